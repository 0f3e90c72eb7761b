import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { keepSourceMaps, noteUpload } from "@/packages/sentry/src/config/kept-source-maps";
import {
  sourceMapsFolder,
  sourceMapsWereUploaded,
} from "@/packages/sentry/src/shared/environment/build";
import { temporaryFolder, writeIn } from "@/tests/support/folders";

let dist: string;

beforeEach(() => {
  dist = temporaryFolder();
});

const write = (path: string, text: string) => writeIn(dist, path, text);
const read = (path: string) => readFileSync(join(dist, path), "utf8");

function kept(build: string, file: string): string {
  return gunzipSync(readFileSync(join(sourceMapsFolder(dist), build, `${file}.map.gz`))).toString();
}

/** What Next leaves when it has compiled, with all but `cache` made anew. */
function compile(content = "1"): void {
  for (const part of ["static", "server", "source-maps"]) {
    rmSync(join(dist, part), { recursive: true, force: true });
  }
  write("static/chunks/a.js", `a(${content});\n\n//# sourceMappingURL=%5Bother%5D.js.map`);
  write("static/chunks/[other].js.map", `map of a ${content}`);
  write("static/chunks/plain.js", "plain();\n");
  write("static/chunks/a.css", "b{}\n/*# sourceMappingURL=a.css.map*/");
  write("static/chunks/a.css.map", "map of a style");
  write("static/chunks/nobodys.js.map", "a map that no script names");
  write("server/chunks/ssr/[root]__a._.js", "b();\n//# sourceMappingURL=%5Broot%5D__a._.js.map");
  write("server/chunks/ssr/[root]__a._.js.map", "map of a server's file");
}

test("nothing of a map is left in what is served; it is kept by its file's name, under the build's id", () => {
  compile();
  keepSourceMaps(dist, "b1");
  const served = readdirSync(join(dist, "static"), { recursive: true, encoding: "utf8" });
  expect(served.filter((path) => path.endsWith(".map"))).toEqual([]);
  expect(read("static/chunks/a.js").trim()).toBe("a(1);");
  expect(read("static/chunks/plain.js")).toBe("plain();\n");
  expect(read("static/chunks/a.css")).toBe("b{}");
  // For Next, which reads it.
  expect(read("server/chunks/ssr/[root]__a._.js.map")).toBe("map of a server's file");
  expect(kept("b1", "static/chunks/a.js")).toBe("map of a 1");
  expect(kept("b1", "server/chunks/ssr/[root]__a._.js")).toBe("map of a server's file");
  expect(JSON.parse(read("source-maps/b1/build.json"))).toMatchObject({ build: "b1" });
  expect(JSON.parse(read("source-maps/build.json"))).toEqual({ build: "b1", uploaded: false });
});

test("the maps of the last three builds are kept", () => {
  for (const build of ["b1", "b2", "b3", "b4"]) {
    compile(build);
    keepSourceMaps(dist, build);
  }
  expect(readdirSync(sourceMapsFolder(dist)).sort()).toEqual(["b2", "b3", "b4", "build.json"]);
  expect(kept("b2", "static/chunks/a.js")).toBe("map of a b2");
  expect(readdirSync(join(dist, "cache/source-maps")).sort()).toEqual(["b2", "b3", "b4"]);
});

test("a build of the same id takes the place of the one before", () => {
  compile("old");
  write("server/chunks/gone.js.map", "of a file that is gone");
  keepSourceMaps(dist, "b1");
  compile("new");
  keepSourceMaps(dist, "b1");
  expect(kept("b1", "static/chunks/a.js")).toBe("map of a new");
  expect(existsSync(join(sourceMapsFolder(dist), "b1/server/chunks/gone.js.map.gz"))).toBe(false);
});

test("what an interrupted build has left is dropped, and so is what takes too much room", () => {
  write("cache/source-maps/interrupted/static/chunks/a.js.map.gz", "");
  write("cache/source-maps/large/build.json", JSON.stringify({ made: "2026-01-01T00:00:00.000Z" }));
  write("cache/source-maps/large/static/chunks/a.js.map.gz", "x".repeat(200_000_001));
  write("cache/source-maps/small/build.json", JSON.stringify({ made: "2026-01-02T00:00:00.000Z" }));
  compile();
  keepSourceMaps(dist, "b1");
  expect(readdirSync(join(dist, "cache/source-maps")).sort()).toEqual(["b1", "small"]);
});

test("a build says whether it has uploaded its maps", () => {
  expect(sourceMapsWereUploaded(dist)).toBe(false);
  noteUpload(dist, "b1");
  expect(sourceMapsWereUploaded(dist)).toBe(true);
  compile();
  keepSourceMaps(dist, "b2");
  expect(sourceMapsWereUploaded(dist)).toBe(false);
});
