import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MapFolder } from "@/lib/source-maps/map-folder";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

const content = "throw new Error();";
const map = (source: string) =>
  simpleMap(`turbopack:///[project]/${source}`, content, [[0, 0, 0, 0]]);
const maxCacheBytes = 1_000_000;

function sourceOf(maps: MapFolder, file: string, builds = ["b1"]): string | undefined {
  return maps.find(file, builds)?.find(0, 0)?.file;
}

test("a browser's file is found in an older build, a server's only in the builds asked for", () => {
  const folder = mapsFolder();
  for (const file of ["static/chunks/old.js", "server/chunks/same.js"]) {
    writeMap(folder, file, map("old.ts"), { build: "b0" });
  }
  writeMap(folder, "server/chunks/same.js", map("new.ts"));
  const maps = new MapFolder(folder, maxCacheBytes);
  expect(sourceOf(maps, "static/chunks/old.js")).toBe("old.ts");
  expect(sourceOf(maps, "server/chunks/same.js")).toBe("new.ts");
  expect(sourceOf(maps, "server/chunks/same.js", ["b0", "b1"])).toBe("old.ts");
  rmSync(join(folder, "b1"), { recursive: true });
  expect(sourceOf(new MapFolder(folder, maxCacheBytes), "server/chunks/same.js")).toBeUndefined();
});

test("a build's name from a report leads nowhere", () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", map("a.ts"));
  const maps = new MapFolder(folder, maxCacheBytes);
  const builds = ["..", "/etc", "__proto__", "constructor", "", "b1/static"];
  expect(sourceOf(maps, "server/chunks/a.js", builds)).toBeUndefined();
  expect(sourceOf(maps, "static/../../b1/static/chunks/a.js", builds)).toBeUndefined();
});

test("a folder that is itself a link is read", () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", map("a.ts"));
  const link = join(mapsFolder(), "link");
  symlinkSync(folder, link);
  expect(sourceOf(new MapFolder(link, maxCacheBytes), "static/chunks/a.js")).toBe("a.ts");
});

test("maps in memory take no more than the bound, and those used last stay", () => {
  const folder = mapsFolder();
  const large = { ...map("a.ts"), padding: "x".repeat(100_000) };
  const files = Array.from({ length: 20 }, (_, i) => `static/chunks/${i}.js`);
  for (const file of files) writeMap(folder, file, large);
  const maps = new MapFolder(folder, maxCacheBytes);
  const kept = maps.find("static/chunks/0.js", ["b1"]);
  for (const file of files) {
    expect(sourceOf(maps, file)).toBe("a.ts");
    expect(maps.find("static/chunks/0.js", ["b1"])).toBe(kept);
    maps.trim();
    expect(maps.cachedBytes).toBeLessThanOrEqual(maxCacheBytes);
  }
  expect(maps.cachedBytes).toBeGreaterThan(maxCacheBytes / 2);
});

describe("maps that strangers ask for", () => {
  const files = Array.from({ length: 30 }, (_, i) => `static/chunks/${i}.js`);
  const open = () => {
    const folder = mapsFolder();
    const large = { ...map("a.ts"), padding: "x".repeat(100_000) };
    for (const file of [...files, "server/chunks/own.js"]) writeMap(folder, file, large);
    return new MapFolder(folder, maxCacheBytes);
  };
  const use = (maps: MapFolder, file: string, isPublic: boolean) => {
    const found = maps.find(file, ["b1"], isPublic);
    maps.trim();
    expect(maps.cachedBytes).toBeLessThanOrEqual(maxCacheBytes);
    return found;
  };

  test("push out no map that the server's own errors use, also where they name it", () => {
    const maps = open();
    const own = use(maps, "server/chunks/own.js", false);
    const both = use(maps, "static/chunks/0.js", true);
    expect(use(maps, "static/chunks/0.js", false)).toBe(both);
    for (const file of files) use(maps, file, true);
    for (const file of files) use(maps, file, true);
    expect(use(maps, "server/chunks/own.js", true)).toBe(own);
    for (const file of files) use(maps, file, true);
    expect(use(maps, "server/chunks/own.js", false)).toBe(own);
    expect(use(maps, "static/chunks/0.js", false)).toBe(both);
  });

  test("have a part of the memory, however many the server's own errors use", () => {
    const maps = open();
    for (const file of files.slice(1)) use(maps, file, false);
    const asked = use(maps, "static/chunks/0.js", true);
    for (const file of files.slice(1)) use(maps, file, false);
    expect(use(maps, "static/chunks/0.js", true)).toBe(asked);
  });
});

test("a map that is larger than the bound is used, and not kept", () => {
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", { ...map("a.ts"), padding: "x".repeat(maxCacheBytes) });
  const maps = new MapFolder(folder, maxCacheBytes);
  expect(sourceOf(maps, "static/chunks/a.js")).toBe("a.ts");
  maps.trim();
  expect(maps.cachedBytes).toBe(0);
});
