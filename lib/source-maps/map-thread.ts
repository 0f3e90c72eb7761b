import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { BuiltPosition } from "./frames";
import type { LookUp, Progress } from "./resolve-worker.ts";
import type { SourcePosition } from "./source-map";
import { sharedNow } from "./time-share";

/**
 * Requests that the thread has not answered yet, also those that nobody waits for any more. Each
 * holds at most the frames of one event.
 */
const maxPending = 32;
/** Of these, how many may be for reports that anybody can post. */
const maxPublic = 16;
/** After so long without a request the thread ends, and its memory is free. */
const idleMs = 60_000;
/**
 * Places kept for the next event. Each has at most 2,200 characters of code, and is kept by the names
 * of file and builds, whose lengths frames.ts and resolve-frames.ts bound.
 */
const maxRecent = 500;
/** V8's heap in the thread: the cache, and what it takes to parse one large map. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

export interface MapThreadOptions {
  /** Where the build has left the maps. Nothing else is read. */
  folder: string;
  /** Bound of the maps kept in memory. */
  maxCacheBytes?: number;
  /** A map that takes longer, or that crashes the thread, is not tried again. */
  maxMapMs?: number;
  /**
   * The thread's time for all public requests together: the most at once, in milliseconds, and the
   * share of all time that comes in.
   */
  publicTime?: { burstMs: number; share: number };
  /** Called once for each map that can't be used, and each time the thread dies. */
  onFailure?: (error: Error) => void;
}

interface Findings {
  /** As many as positions; undefined for those that were not found. */
  found: (SourcePosition | undefined)[];
  /** Whether all maps were looked into. Where not, time or room was short, or the thread died. */
  complete: boolean;
}

export interface MapRequest {
  /** Those whose maps to look in first. */
  builds: readonly string[];
  timeoutMs: number;
  /** How much longer it may take where the thread has to start first: 0 if missing. */
  startMs?: number;
  /** Whether it is for a report that anybody can post. */
  public?: boolean;
}

interface Pending {
  public: boolean;
  found: Findings["found"];
  keys: (string | undefined)[];
  settle: (complete: boolean) => void;
  /** Set while it waits for the thread's start. */
  ask?: () => void;
}

/**
 * Looks up positions in source maps, in a thread of its own. Each request is answered in time with
 * what was found until then, whatever happens to the thread.
 */
export class MapThread {
  #worker: Worker | undefined;
  /** The thread has started: it has said something. */
  #isUp = false;
  #pending = new Map<number, Pending>();
  #lastId = 0;
  #reading: string | undefined;
  #watch: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Not read again. Once `#files` is known, only files that have a map are asked for. */
  #refused = new Set<string>();
  /** The built files that have a map, once the thread has told. */
  #files: ReadonlySet<string> | undefined;
  /** A burst of errors repeats a few stacks, and waking the thread costs more than all else here. */
  #recent = new Map<string, SourcePosition>();
  readonly #options: Required<MapThreadOptions>;

  constructor(options: MapThreadOptions) {
    this.#options = {
      maxCacheBytes: 64_000_000,
      maxMapMs: 20_000,
      publicTime: { burstMs: 2_000, share: 0.2 },
      onFailure: () => {},
      ...options,
    };
  }

  find(
    positions: readonly (BuiltPosition | undefined)[],
    { builds, timeoutMs, startMs = 0, public: isPublic = false }: MapRequest,
  ): Promise<Findings> {
    // A build without maps has none to start a thread for.
    if (!this.#files && !existsSync(this.#options.folder)) this.#files = new Set();
    const keys = positions.map((position) => position && keyOf(position, builds));
    const found = keys.map((key) => (key === undefined ? undefined : this.#recent.get(key)));
    const asked = positions.flatMap((position, index) =>
      position && !found[index] && this.#hasMap(position.file) ? [{ index, ...position }] : [],
    );
    if (asked.length === 0) return Promise.resolve({ found, complete: true });
    if (!this.#hasCapacity(isPublic)) return Promise.resolve({ found, complete: false });
    let worker: Worker;
    try {
      worker = this.#start();
    } catch (cause) {
      this.#options.onFailure(
        new Error("The thread that reads source maps can't start", { cause }),
      );
      return Promise.resolve({ found, complete: false });
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (complete: boolean) => {
        clearTimeout(timer);
        resolve({ found: [...found], complete });
      };
      let timer: NodeJS.Timeout | undefined;
      const pending: Pending = { public: isPublic, found, keys, settle };
      this.#pending.set(id, pending);
      const ask = () => {
        pending.ask = undefined;
        clearTimeout(timer);
        timer = setTimeout(settle, timeoutMs, false);
        const until = sharedNow() + timeoutMs;
        const request: LookUp = {
          id,
          positions: asked,
          builds: [...builds],
          until,
          public: isPublic,
        };
        worker.postMessage(request);
      };
      if (this.#isUp || startMs === 0) return ask();
      pending.ask = ask;
      const giveUp = () => {
        this.#pending.delete(id);
        settle(false);
      };
      timer = setTimeout(giveUp, startMs);
    });
  }

  /** Ends the thread. Another request begins it anew. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    const worker = this.#worker;
    this.#forget();
    await worker?.terminate();
  }

  #hasCapacity(isPublic: boolean): boolean {
    const pending = [...this.#pending.values()];
    const ofAnybody = pending.filter((request) => request.public).length;
    return pending.length < maxPending && !(isPublic && ofAnybody >= maxPublic);
  }

  #hasMap(file: string): boolean {
    return !this.#refused.has(file) && (this.#files?.has(file) ?? true);
  }

  #remember(key: string, position: SourcePosition): void {
    const [oldest] = this.#recent.keys();
    if (this.#recent.size >= maxRecent && oldest !== undefined) this.#recent.delete(oldest);
    this.#recent.set(key, position);
  }

  #start(): Worker {
    this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.close(), idleMs).unref();
    if (this.#worker) return this.#worker;
    const { folder, maxCacheBytes, publicTime } = this.#options;
    const worker = new Worker(new URL("./resolve-worker.ts", import.meta.url), {
      workerData: { folder, maxCacheBytes, publicTime },
      execArgv: [],
      resourceLimits,
    });
    worker.unref();
    worker.on("message", (progress: Progress) => {
      if (worker === this.#worker) this.#progress(progress);
    });
    worker.on("error", (error: unknown) => {
      this.#options.onFailure(
        new Error("The thread that reads source maps has died", { cause: error }),
      );
    });
    worker.once("exit", () => {
      if (worker !== this.#worker) return;
      if (this.#reading) this.#refused.add(this.#reading);
      this.#forget();
    });
    this.#worker = worker;
    return worker;
  }

  #progress({ files, id = 0, reading, found = [], unusable, complete }: Progress): void {
    this.#files = files ?? this.#files;
    this.#isUp = true;
    if (files) for (const { ask } of this.#pending.values()) ask?.();
    clearTimeout(this.#watch);
    this.#reading = reading;
    if (reading)
      this.#watch = setTimeout(() => this.#giveUp(reading), this.#options.maxMapMs).unref();
    const pending = this.#pending.get(id);
    for (const { index, position } of found) {
      const key = pending?.keys[index];
      if (!pending || key === undefined) continue;
      pending.found[index] = position;
      this.#remember(key, position);
    }
    if (unusable) this.#options.onFailure(unusable);
    if (complete === undefined) return;
    this.#pending.delete(id);
    pending?.settle(complete);
  }

  /** The timer may be late because this thread was busy: its messages are looked at first. */
  #giveUp(file: string): void {
    setImmediate(() => {
      if (this.#reading !== file) return;
      this.#refused.add(file);
      this.#options.onFailure(
        new Error(`The source map of ${file} took longer than ${this.#options.maxMapMs} ms`),
      );
      void this.close();
    });
  }

  /** Whoever still waits for the thread is answered with what it has found. */
  #forget(): void {
    clearTimeout(this.#watch);
    this.#worker = undefined;
    this.#isUp = false;
    this.#reading = undefined;
    for (const { settle } of this.#pending.values()) settle(false);
    this.#pending.clear();
  }
}

function keyOf({ file, line, column }: BuiltPosition, builds: readonly string[]) {
  return [line, column, file, ...builds].join("\n");
}
