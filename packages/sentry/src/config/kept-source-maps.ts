import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { sourceMapsFolder } from "../shared/environment/build.ts";

/** Builds whose maps are kept: a visitor's page may be of an older one than the server. */
const maxBuilds = 3;
const maxBytes = 200_000_000;

const scriptComment = /\n?\/\/[#@] sourceMappingURL=([^\s'"`*]+)\s*$/;
const styleComment = /\n?\/\*[#@] sourceMappingURL=([^\s*]+)\s*\*\/\s*$/;

/**
 * Takes a build's source maps to where nothing is served from, and out of what browsers get, their
 * addresses too. Next empties its folder before each build, all but `cache`: that is where the maps
 * of older builds outlive it, on a machine that keeps Next's cache as Next advises for CI.
 *
 * The server's maps stay where they are as well: Next itself reads them when a page fails in the
 * build, and they are not served.
 *
 * @param build its id
 * @throws {Error} where a file can't be read or written; the build fails then
 */
export function keepSourceMaps(distDir: string, build: string) {
  const cache = join(distDir, "cache", "source-maps");
  const folder = join(cache, build);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, map] of [...dropBrowserMaps(distDir), ...serverMaps(distDir)]) {
    const kept = join(folder, `${relative(distDir, file)}.map.gz`);
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, gzipSync(map));
  }
  // Written last: a folder without it is what an interrupted build has left.
  writeNote(folder, { build, made: new Date().toISOString() });
  dropOldBuilds(cache, build);
  const served = sourceMapsFolder(distDir);
  cpSync(cache, served, { recursive: true });
  writeNote(served, { build, uploaded: false });
}

/**
 * Tells the server that the service has the maps.
 *
 * @param build its id
 */
export function noteUpload(distDir: string, build: string) {
  writeNote(sourceMapsFolder(distDir), { build, uploaded: true });
}

function writeNote(folder: string, note: object) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "build.json"), `${JSON.stringify(note)}\n`);
}

/**
 * Takes maps, and the comments that name them, out of what browsers get. A browser file's map has
 * another name than the file: only the comment tells.
 *
 * @returns scripts with their maps, which are gone from the folder
 */
export function dropBrowserMaps(distDir: string): [file: string, map: Buffer][] {
  const files = filesBelow(join(distDir, "static"));
  const maps: [string, Buffer][] = [];
  for (const file of files.filter((path) => /\.(js|css)$/.test(path))) {
    const text = readFileSync(file, "utf8");
    const comment = (file.endsWith(".js") ? scriptComment : styleComment).exec(text);
    if (!comment) continue;
    const map = join(dirname(file), basename(decodeURIComponent(comment[1] ?? "")));
    if (file.endsWith(".js") && existsSync(map)) maps.push([file, readFileSync(map)]);
    writeFileSync(file, text.slice(0, comment.index));
  }
  for (const file of files.filter((path) => path.endsWith(".map"))) rmSync(file);
  return maps;
}

function serverMaps(distDir: string): [file: string, map: Buffer][] {
  return filesBelow(join(distDir, "server"))
    .filter((path) => path.endsWith(".js.map"))
    .map((path) => [path.slice(0, -".map".length), readFileSync(path)]);
}

/** @param current never dropped */
function dropOldBuilds(cache: string, current: string) {
  const builds = readdirSync(cache)
    .map((name) => ({ name, made: name === current ? "9" : whenMade(join(cache, name)) }))
    .sort((a, b) => (a.made < b.made ? 1 : -1));
  let bytes = 0;
  for (const [i, { name, made }] of builds.entries()) {
    const folder = join(cache, name);
    bytes += filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0);
    const fits = i < maxBuilds && bytes <= maxBytes && made;
    if (name !== current && !fits) rmSync(folder, { recursive: true });
  }
}

/**
 * @param folder of a build's maps
 * @returns an ISO time; empty where the folder is not whole
 */
function whenMade(folder: string): string {
  try {
    return String(JSON.parse(readFileSync(join(folder, "build.json"), "utf8")).made);
  } catch {
    // Nothing hangs on an older build's maps: what can't be read is dropped.
    return "";
  }
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.parentPath + sep + entry.name);
}
