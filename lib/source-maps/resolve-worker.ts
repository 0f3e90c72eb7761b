import { parentPort, workerData } from "node:worker_threads";
import { MapFolder } from "./map-folder.ts";
import type { SourcePosition } from "./source-map.ts";
import { sharedNow, TimeShare } from "./time-share.ts";

/*
 * The thread that looks up positions in source maps: parsing one takes up to a second. It leaves out
 * what nobody waits for any more.
 */

/** A request to the thread. */
export interface LookUp {
  id: number;
  positions: { index: number; file: string; line: number; column: number }[];
  /** Those whose maps to look in first. */
  builds: string[];
  /** When whoever asked stops waiting, see `sharedNow`. */
  until: number;
  /** Whether anybody may have made it: those share a part of the time, and the others go first. */
  public: boolean;
}

/** A message of the thread: one at the start, then one or more for each file. */
export interface Progress {
  /** The built files that have a map. */
  files?: Set<string>;
  /** Of the request. */
  id?: number;
  /** The file that it turns to now. */
  reading?: string;
  found?: { index: number; position: SourcePosition }[];
  /** Why a map can't be used. */
  unusable?: Error;
  /** The request is done: whether all its positions were looked up. */
  complete?: boolean;
}

const {
  folder,
  maxCacheBytes,
  publicTime,
}: { folder: string; maxCacheBytes: number; publicTime: { burstMs: number; share: number } } =
  workerData;
const maps = new MapFolder(folder, maxCacheBytes);
/** Files whose map can't be used. */
const told: Set<string> = new Set();
/** In the order in which they came. */
const waiting: LookUp[] = [];
const share = new TimeShare(publicTime, sharedNow);

say({ files: maps.files });

parentPort?.on("message", (request: LookUp) => {
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

function answer(request: LookUp) {
  const begin = sharedNow();
  const until = request.public ? Math.min(request.until, begin + share.leftMs) : request.until;
  const complete = lookUp(request, () => sharedNow() < until);
  if (request.public) share.use(sharedNow() - begin);
  say({ id: request.id, complete });
}

/** @returns whether there was time for all of it */
function lookUp(request: LookUp, inTime: () => boolean): boolean {
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

function say(progress: Progress) {
  parentPort?.postMessage(progress);
}

function find(
  { id, builds, public: isPublic }: LookUp,
  { index, file, line, column }: LookUp["positions"][number],
) {
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
