import { parentPort, workerData } from "node:worker_threads";
import { MapFolder } from "./map-folder.js";

/**
 * A thread that looks up positions in source maps: parsing one takes up to a second.
 *
 * @typedef {object} LookUp
 * @property {number} id
 * @property {{ index: number, file: string, line: number, column: number }[]} positions
 * @property {string[]} builds those whose maps to look in first
 *
 * @typedef {object} Progress what it says: once at the start, then file by file
 * @property {Set<string>} [files] the built files that have a map
 * @property {number} [id] of the request
 * @property {string} [reading] the file that it turns to now
 * @property {{ index: number, position: import("./source-map.js").SourcePosition }[]} [found]
 * @property {Error} [unusable] why a map can't be used
 * @property {true} [done]
 */

/** @type {{ folder: string, maxCacheBytes: number }} */
const { folder, maxCacheBytes } = workerData;
const maps = new MapFolder(folder, maxCacheBytes);
/** Files whose map can't be used. @type {Set<string>} */
const told = new Set();

say({ files: maps.files });

parentPort?.on("message", (/** @type {LookUp} */ { id, positions, builds }) => {
  for (const file of new Set(positions.map((position) => position.file))) {
    say({ id, reading: file });
    const inFile = positions.filter((position) => position.file === file);
    say({ id, found: inFile.flatMap((position) => find(id, position, builds)) });
    maps.trim();
  }
  say({ id, done: true });
});

/** @param {Progress} progress */
function say(progress) {
  parentPort?.postMessage(progress);
}

/**
 * @param {number} id
 * @param {LookUp["positions"][number]} position
 * @param {string[]} builds
 */
function find(id, { index, file, line, column }, builds) {
  try {
    const position = maps.find(file, builds)?.find(line, column);
    return position ? [{ index, position }] : [];
  } catch (error) {
    const unusable = new Error(`The source map of ${file} can't be used`, { cause: error });
    // Named again, as it is still being read.
    if (!told.has(file)) say({ id, reading: file, unusable });
    told.add(file);
    return [];
  }
}
