import type { Log, OutboxError } from "./outbox";

/** Whether the outbox can be written, as its last write has shown. Logs each change. */
export class WriteHealth {
  #failure: OutboxError | undefined;

  constructor(private readonly log: Log) {}

  /** Why the last write failed; undefined if it succeeded. */
  get failure(): OutboxError | undefined {
    return this.#failure;
  }

  fail(error: OutboxError): OutboxError {
    if (this.#failure?.message !== error.message) {
      const cause = error.cause ? String(error.cause) : undefined;
      this.log("error", "outbox can't be written", { reason: error.message, cause });
    }
    this.#failure = error;
    return error;
  }

  recover(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.log("info", "outbox can be written again");
  }
}
