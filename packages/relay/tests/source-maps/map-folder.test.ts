import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MapFolder } from "@/packages/relay/src/source-maps/map-thread";
import { mapsFolder, writeMap } from "@/tests/support/source-maps";

test("a browser's file is found in an older build, a server's only in the builds asked for", () => {
  const folder = mapsFolder();
  const old = writeMap(folder, "static/chunks/old.js", "", { build: "b0" });
  const before = writeMap(folder, "server/chunks/same.js", "", { build: "b0" });
  const now = writeMap(folder, "server/chunks/same.js", "");
  const maps = new MapFolder(folder);
  expect(maps.find("static/chunks/old.js", ["b1"])).toBe(old);
  expect(maps.find("server/chunks/same.js", ["b1"])).toBe(now);
  expect(maps.find("server/chunks/same.js", ["b0", "b1"])).toBe(before);
  expect(maps.find("server/chunks/same.js", ["b2"])).toBeUndefined();
});

test("a build's name from a report leads nowhere", () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", "");
  const maps = new MapFolder(join(folder, "b1"));
  const builds = ["..", "/etc", "__proto__", "constructor", "", "b1/static", "é".repeat(500_000)];
  for (const file of ["server/chunks/a.js", "static/../../b1/static/chunks/a.js"]) {
    expect(maps.find(file, builds)).toBeUndefined();
  }
});

test("a folder that is itself a link is read", () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", "");
  const link = join(mapsFolder(), "link");
  symlinkSync(folder, link);
  const path = join(link, "b1/static/chunks/a.js.map.gz");
  expect(new MapFolder(link).find("static/chunks/a.js", [])).toBe(path);
});
