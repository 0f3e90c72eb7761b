import { parentPort, workerData } from "node:worker_threads";
import { MapFolder } from "./map-folder.js";
import { sharedNow } from "./shared-clock.js";
import { TimeShare } from "./time-share.js";

/**
 * A thread that looks up positions in source maps: parsing one takes up to a second. It does nothing
 * that nobody waits for any more.
 *
 * @typedef {object} LookUp
 * @property {number} id
 * @property {{ index: number, file: string, line: number, column: number }[]} positions
 * @property {string[]} builds those whose maps to look in first
 * @property {number} until when whoever asked stops waiting, see `sharedNow`
 * @property {boolean} public whether anybody may have made it: those share a part of the time, and
 *   the others go first
 *
 * @typedef {object} Progress what it says: once at the start, then file by file
 * @property {Set<string>} [files] the built files that have a map
 * @property {number} [id] of the request
 * @property {string} [reading] the file that it turns to now
 * @property {{ index: number, position: import("./source-map.js").SourcePosition }[]} [found]
 * @property {Error} [unusable] why a map can't be used
 * @property {boolean} [complete] the request is done: whether all its positions were looked up
 */

/** @type {{ folder: string, maxCacheBytes: number, publicTime: { burstMs: number, share: number } }} */
const { folder, maxCacheBytes, publicTime } = workerData;
const maps = new MapFolder(folder, maxCacheBytes);
/** Files whose map can't be used. @type {Set<string>} */
const told = new Set();
/** In the order in which they came. @type {LookUp[]} */
const waiting = [];
const share = new TimeShare(publicTime, sharedNow);

say({ files: maps.files });

parentPort?.on("message", (/** @type {LookUp} */ request) => {
  waiting.push(request);
  if (waiting.length === 1) setImmediate(answerNext);
});

/** After each, whatever has come meanwhile is read, so that the order holds for it too. */
function answerNext() {
  const first = waiting.findIndex((request) => !request.public);
  const [request] = waiting.splice(Math.max(first, 0), 1);
  if (request) answer(request);
  if (waiting.length > 0) setImmediate(answerNext);
}

/** @param {LookUp} request */
function answer(request) {
  const begin = sharedNow();
  const until = request.public ? Math.min(request.until, begin + share.leftMs) : request.until;
  const complete = lookUp(request, () => sharedNow() < until);
  if (request.public) share.use(sharedNow() - begin);
  say({ id: request.id, complete });
}

/**
 * @param {LookUp} request
 * @param {() => boolean} inTime
 * @returns {boolean} whether there was time for all of it
 */
function lookUp(request, inTime) {
  const { id, positions } = request;
  for (const file of new Set(positions.map((position) => position.file))) {
    if (!inTime()) return false;
    say({ id, reading: file });
    const inFile = positions.filter((position) => position.file === file);
    const found = inFile.map((position) => (inTime() ? find(request, position) : undefined));
    say({ id, found: found.flatMap((one) => one ?? []) });
    maps.trim();
    if (found.includes(undefined)) return false;
  }
  return true;
}

/** @param {Progress} progress */
function say(progress) {
  parentPort?.postMessage(progress);
}

/**
 * @param {LookUp} request
 * @param {LookUp["positions"][number]} position one of its own
 */
function find({ id, builds, public: isPublic }, { index, file, line, column }) {
  try {
    const position = maps.find(file, builds, isPublic)?.find(line, column);
    return position ? [{ index, position }] : [];
  } catch (error) {
    const unusable = new Error(`The source map of ${file} can't be used`, { cause: error });
    // Named again, as it is still being read.
    if (!told.has(file)) say({ id, reading: file, unusable });
    told.add(file);
    return [];
  }
}
