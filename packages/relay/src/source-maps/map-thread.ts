import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { Worker } from "node:worker_threads";
import { type Log, oncePerMinute } from "../log.ts";
import { atMost } from "../timing.ts";
import {
  type BuiltPosition,
  builtPosition,
  type FrameResolver,
  readableName,
  type SourceFrame,
} from "./frames.ts";
import type { LookUp } from "./map-worker.ts";

const ending = ".map.gz";

/**
 * The maps in the folder that the build has left, as they are when it is first read. A file's name
 * from a report is only looked up among the names that are there, never made into a path.
 */
export class MapFolder {
  readonly #folder: string;
  /** Of a built file, such as `static/chunks/0abc.js`: the builds that have its map. */
  readonly #builds = new Map<string, string[]>();

  /** @throws {Error} where it is there and can't be read */
  constructor(folder: string) {
    this.#folder = folder;
    if (!existsSync(folder)) return;
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(ending)) continue;
      const [build = "", ...file] = path.slice(0, -ending.length).split(sep);
      const name = file.join("/");
      this.#builds.set(name, [...(this.#builds.get(name) ?? []), build]);
    }
  }

  /**
   * The map of a built file: of the given builds first, or else, where a file's name changes with its
   * content, of any.
   *
   * @param file such as `static/chunks/0abc.js`
   * @returns its path
   */
  find(file: string, builds: readonly string[]): string | undefined {
    const all = this.#builds.get(file) ?? [];
    const other = file.startsWith("static/") ? all[0] : undefined;
    const build = builds.find((one) => all.includes(one)) ?? other;
    return build && join(this.#folder, build, file + ending);
  }
}

/** Requests that wait for the thread, of each side: the server's, and those for browsers' reports. */
const maxWaiting = 16;
/** After so long without a request the thread ends, and its memory is free. */
const idleMs = 60_000;
/** For so long a map that could not be used is not tried again. */
const refusedMs = 60_000;
/** Places kept for the next event. Each has at most 2,200 characters of code. */
const maxKnown = 1_000;
/** The part of all time that looking up what browsers report may take. */
const publicShare = 0.2;

export interface MapThreadOptions {
  /** Where the build has left the maps. Nothing else is read. */
  folder: string;
  /** See `findSources`: ".next" unless it is said. */
  distDir?: string;
  /** How much longer a request may take while the thread starts, in milliseconds. */
  startMs?: number;
  /** The thread's time for one map. */
  maxMapMs?: number;
  /** The thread's time for what browsers report: the most at once, while a fifth of all comes in. */
  publicBurstMs?: number;
  /** Called for each map that can't be used: damaged, too large, too slow, or the thread died of it. */
  onFailure?: (error: Error) => void;
}

interface MapRequest {
  /** Those whose maps to look in first. */
  builds: readonly string[];
  timeoutMs: number;
  /** For a report that anybody can post. */
  isPublic: boolean;
}

/** A position, with the path of its map. */
type Place = BuiltPosition & { path: string; key: string };

/**
 * Looks up positions in source maps, in a thread of its own. Each request is answered in time with
 * what was found until then, whatever happens to the thread.
 *
 * The thread gets one map at a time, and the server's errors go first. So those wait for one map of
 * what strangers made, and beyond a fifth of all time that is not looked up.
 */
export class MapThread {
  readonly #options: Required<MapThreadOptions>;
  #maps: MapFolder | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isBusy = false;
  readonly #waiting = { public: [] as (() => void)[], server: [] as (() => void)[] };
  /** Paths of maps. */
  readonly #refused = new Set<string>();
  /** A burst of errors repeats a few stacks: those used last are at the end. */
  readonly #known = new Map<string, SourceFrame | undefined>();
  /** When as much time will have come in as browsers' reports have taken. */
  #publicPaidAt = 0;

  constructor(options: MapThreadOptions) {
    const times = { startMs: 5_000, maxMapMs: 20_000, publicBurstMs: 2_000 };
    this.#options = { ...times, distDir: ".next", onFailure: () => {}, ...options };
  }

  /**
   * @returns as many as positions; undefined for those not found. Not complete: time or room was short
   * @throws {Error} where the folder can't be read
   */
  async find(
    positions: readonly (BuiltPosition | undefined)[],
    { builds, timeoutMs, isPublic }: MapRequest,
  ): Promise<{ found: (SourceFrame | undefined)[]; complete: boolean }> {
    this.#maps ??= new MapFolder(this.#options.folder);
    const maps = this.#maps;
    const places = positions.map((position): Place | undefined => {
      const path = position && maps.find(position.file, builds);
      return path
        ? { ...position, path, key: `${position.line}:${position.column}:${path}` }
        : undefined;
    });
    let isOver = false;
    const work = async () => {
      while (this.#next(places) && (await this.#turn(isPublic))) {
        const mayRead = !isOver && (!isPublic || this.#hasPublicTime());
        const lookUp = mayRead ? this.#next(places) : undefined;
        if (lookUp) await this.#read(lookUp, isPublic);
        this.#endTurn();
        if (!lookUp) return;
      }
    };
    await atMost(timeoutMs + (this.#worker ? 0 : this.#options.startMs), work());
    isOver = true;
    const complete = !this.#next(places);
    const found = places.map((place) => {
      const frame = place && this.#known.get(place.key);
      if (frame) this.#remember(place.key, frame);
      return frame;
    });
    return { found, complete };
  }

  /** Ends the thread. Another request begins it anew. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** What is still unknown in one map, that of the newest call first. */
  #next(places: readonly (Place | undefined)[]): LookUp<Place> | undefined {
    const unknown = places
      .filter((place) => place !== undefined)
      .filter(({ key, path }) => !this.#known.has(key) && !this.#refused.has(path));
    const path = unknown.at(-1)?.path;
    return path ? { path, positions: unknown.filter((place) => place.path === path) } : undefined;
  }

  /** Waits for the thread. @returns whether there is room */
  async #turn(isPublic: boolean): Promise<boolean> {
    const waiting = isPublic ? this.#waiting.public : this.#waiting.server;
    if (waiting.length >= maxWaiting) return false;
    if (this.#isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
    this.#isBusy = true;
    return true;
  }

  #endTurn(): void {
    const next = this.#waiting.server.shift() ?? this.#waiting.public.shift();
    if (next) next();
    else this.#isBusy = false;
  }

  async #read(lookUp: LookUp<Place>, isPublic: boolean): Promise<void> {
    const { path, positions } = lookUp;
    let begin = performance.now();
    try {
      const worker = await this.#start();
      begin = performance.now();
      worker.postMessage(lookUp);
      const signal = AbortSignal.timeout(this.#options.maxMapMs);
      const [found]: (SourceFrame | undefined)[][] = await once(worker, "message", { signal });
      for (const [i, { key }] of positions.entries()) this.#remember(key, found?.[i]);
    } catch (cause) {
      this.#refused.add(path);
      setTimeout(() => this.#refused.delete(path), refusedMs).unref();
      this.#options.onFailure(new Error(`The source map ${path} can't be used`, { cause }));
      await this.close();
    }
    const now = performance.now();
    const costMs = (now - begin) / publicShare;
    if (isPublic) this.#publicPaidAt = Math.max(this.#publicPaidAt, now) + costMs;
  }

  /** @returns when the thread runs, so that its start is in nobody's time */
  async #start(): Promise<Worker> {
    this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.close(), idleMs).unref();
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./map-worker.ts", import.meta.url), {
      execArgv: [],
      workerData: this.#options.distDir,
    });
    worker.unref();
    // Whoever waits for the thread is told as well; without a listener the process would end.
    worker.on("error", () => {});
    await once(worker, "message");
    this.#worker = worker;
    return worker;
  }

  #hasPublicTime(): boolean {
    const owedMs = Math.max(0, this.#publicPaidAt - performance.now()) * publicShare;
    return owedMs < this.#options.publicBurstMs;
  }

  #remember(key: string, frame: SourceFrame | undefined): void {
    this.#known.delete(key);
    this.#known.set(key, frame);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Frames of one call; SDKs send 50 for each error. */
const maxFrames = 250;

/** Where a build has left its source maps. */
export interface SourceMapOptions {
  /** The folder with the maps of this build and of older ones, by build and file. Nothing else is read. */
  folder: string;
  /** Of the build that runs. */
  build: string;
  /** Next's folder, as its configuration names it: with slashes, relative to the app's. */
  distDir?: string;
}

/** Finds frames with the maps that the build has kept, in a thread of its own. */
export function mapResolver({ folder, build, distDir }: SourceMapOptions, log: Log): FrameResolver {
  const logRepeated = oncePerMinute(log);
  const thread = new MapThread({
    folder,
    ...(distDir !== undefined && { distDir }),
    onFailure: ({ message, cause }) =>
      logRepeated("warn", "stack not resolved", { error: message, cause: String(cause) }),
  });
  const resolver = frameResolver(thread, build);
  return async (frames, options) => {
    try {
      return await resolver(frames, options);
    } catch (error) {
      logRepeated("warn", "stack not resolved", { error: String(error) });
      return frames.map(() => ({ resolved: false, late: true }));
    }
  };
}

/** @param running the id of the build that is served */
export function frameResolver(thread: MapThread, running: string): FrameResolver {
  return async (frames, { timeoutMs, build = running, onlyBuild, origin }) => {
    const from = Math.max(0, frames.length - maxFrames);
    const positions = frames.map((frame, i) => (i < from ? undefined : builtPosition(frame)));
    const { found, complete } = await thread.find(positions, {
      builds: onlyBuild ? [build] : [build, running],
      timeoutMs,
      isPublic: origin === "browser",
    });
    return frames.map((frame, i) => {
      const place = found[i];
      // Where the source has no name, it is as it was reported, unless a minifier has made that up.
      if (place) return { ...place, function: place.function ?? readableName(frame.function) };
      return { resolved: false, late: i < from || (!complete && positions[i] !== undefined) };
    });
  };
}
