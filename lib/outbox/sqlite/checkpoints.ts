import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Log } from "../outbox";
import type { CheckpointRequest } from "./checkpoint-worker.ts";
import { fileIdentity } from "./outbox-file";

/** Pages written between two checkpoints. */
const checkpointPages = 2000;
/** Pages that a transaction writes beside its reports: inner nodes, the index. */
const transactionPages = 4;
const pageBytes = 4096;

/**
 * Runs checkpoints in a thread, since their waits for the disk would block the event loop.
 *
 * SQLite restarts its `-wal` only once all of it is copied, which constant writing would prevent: the
 * `-wal` would grow for ever. So most is copied beside the writing, and the next transaction waits
 * for the rest.
 */
export class Checkpoints {
  #pages = 0;
  #step: "none" | "copying" | "copied" = "none";
  #worker: Worker | undefined;
  #failure: string | undefined;
  #closed = false;

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /**
   * Counts a transaction.
   *
   * @param bytes size of the reports that it appends
   * @returns whether it is time to copy
   */
  isDue(writes: number, bytes: number): boolean {
    this.#pages += transactionPages + writes + bytes / pageBytes;
    if (this.#pages < checkpointPages || this.#step !== "none") return false;
    this.#pages = 0;
    return true;
  }

  /** Copies beside the writing. @returns whether `finish` is to follow */
  async copy(): Promise<boolean> {
    this.#step = "copying";
    this.#step = (await this.#run("copy")) ? "copied" : "none";
    return this.#step === "copied";
  }

  /** Ends a checkpoint whose copying is done. Nobody may write until this resolves. */
  async finish(): Promise<void> {
    if (this.#step !== "copied") return;
    await this.#run("restart");
    this.#step = "none";
  }

  /** @returns whether it succeeded; a failure is logged */
  async #run(step: CheckpointRequest["step"]): Promise<boolean> {
    if (this.#closed) return false;
    let failure: string | undefined;
    try {
      failure = await this.#ask({ step, identity: fileIdentity(this.file) });
    } catch (error) {
      failure = String(error);
    }
    if (failure && failure !== this.#failure && !this.#closed) {
      this.log("warn", "outbox not checkpointed", { cause: failure });
    }
    this.#failure = failure;
    return failure === undefined;
  }

  close(): void {
    this.#closed = true;
    void this.#worker?.terminate();
  }

  /**
   * @returns why the step failed
   * @throws {Error} if the thread fails
   */
  async #ask(request: CheckpointRequest): Promise<string | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.postMessage(request);
    const answered = new AbortController();
    try {
      const exit = once(worker, "exit", answered).then(() => {
        throw new Error("The checkpoint thread ended.");
      });
      const [failure] = await Promise.race([once(worker, "message", answered), exit]);
      return failure;
    } finally {
      answered.abort();
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: { file: this.file },
      execArgv: [],
    });
    worker.unref();
    // `#ask` reports an error during a step. Between two steps, the next step starts a new thread.
    worker.on("error", () => {});
    worker.once("exit", () => {
      this.#worker = undefined;
    });
    return worker;
  }
}
