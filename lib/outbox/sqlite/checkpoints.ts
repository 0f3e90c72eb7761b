import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Log } from "../outbox";
import type { CheckpointRequest } from "./checkpoint-worker.ts";
import { fileIdentity } from "./outbox-file";

/** Runs checkpoints in a thread, since their waits for the disk would block the event loop. */
export class Checkpoints {
  #worker: Worker | undefined;
  #failure: string | undefined;
  #closed = false;

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** @returns whether it succeeded; a failure is logged */
  async run(step: CheckpointRequest["step"]): Promise<boolean> {
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
