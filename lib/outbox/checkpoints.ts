import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { CheckpointRequest } from "./checkpoint-worker";
import { fileIdentity, type Log } from "./database";

/** Pages written between two checkpoints. */
const pagesBetween = 2000;
/** Pages that a transaction writes beside those of its reports: inner nodes, the index. */
const pagesBeside = 4;
const pageBytes = 4096;

export interface CheckpointOptions {
  /** Path of the SQLite file. */
  file: string;
  log: Log;
  /** Keeps this process from writing until `resume`. */
  hold(): void;
  resume(): void;
}

/**
 * Has what SQLite gathers in its `-wal` carried over into the database now and then, by a thread of
 * its own: the waits for the disk would stop everything else that the process does for tens of
 * milliseconds.
 *
 * Most of it happens beside writing. For the short rest writing is held, which blocks nothing:
 * SQLite begins its `-wal` anew only if all of it has been carried over, so under constant writing
 * it would grow for ever. Where the thread fails, SQLite does it by itself, later and blocking: see
 * `wal_autocheckpoint`.
 */
export class Checkpoints {
  #worker: Worker | undefined;
  #pages = 0;
  #underWay = false;
  #closed = false;
  #trouble: string | undefined;

  constructor(private readonly options: CheckpointOptions) {}

  /** Tells of a transaction with so many writes, of so many bytes together. */
  wrote(writes: number, bytes: number): void {
    this.#pages += pagesBeside + writes + bytes / pageBytes;
    if (this.#pages < pagesBetween || this.#underWay || this.#closed) return;
    this.#pages = 0;
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    void this.#worker?.terminate();
  }

  async #run(): Promise<void> {
    const { log, hold, resume } = this.options;
    this.#underWay = true;
    let trouble: string | undefined;
    try {
      trouble = await this.#step("most");
      hold();
      trouble ??= await this.#step("rest");
    } catch (error) {
      trouble = String(error);
    } finally {
      resume();
    }
    this.#underWay = false;
    if (trouble && trouble !== this.#trouble && !this.#closed) {
      log("warn", "outbox not checkpointed", { cause: trouble });
    }
    this.#trouble = trouble;
  }

  /**
   * @returns what went wrong
   * @throws {Error} where the thread itself fails
   */
  async #step(step: CheckpointRequest["step"]): Promise<string | undefined> {
    const { file } = this.options;
    const worker = this.#worker ?? this.#start();
    const request: CheckpointRequest = { step, identity: fileIdentity(file) };
    worker.postMessage(request);
    const ended = new AbortController();
    try {
      const exit = once(worker, "exit", ended).then(() => {
        throw new Error("The thread has ended.");
      });
      const [trouble] = await Promise.race([once(worker, "message", ended), exit]);
      return trouble;
    } finally {
      ended.abort();
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("./checkpoint-worker.js", import.meta.url), {
      workerData: { file: this.options.file },
      execArgv: [],
    });
    worker.unref();
    // A step under way tells of it; between two, a thread that ends is only begun anew.
    worker.on("error", () => {});
    worker.once("exit", () => {
      this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
