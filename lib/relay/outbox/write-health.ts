import { oncePerMinute } from "@/lib/base/log";
import type { OutboxError } from "./driver";
import type { Log } from "./outbox";

/**
 * Whether the outbox can be written, as its last write has shown, and how many reports were set aside. Each
 * is logged, the same once a minute.
 */
export class WriteHealth {
  readonly #log: Log;
  /** Why the last write failed; undefined if it succeeded. */
  failure: OutboxError | undefined;
  /** How many reports were set aside. */
  setAsides = 0;

  constructor(log: Log) {
    this.#log = oncePerMinute(log);
  }

  /** @see Outbox.setAside */
  setAside(reason: string, cause: unknown): void {
    this.setAsides++;
    this.#log("error", "report set aside", { reason, cause: String(cause) });
  }

  /** Waits for a write. What is wrong with the write alone does not count. @throws {OutboxError} */
  async watch<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if ((error as OutboxError).fault === "malformed") throw error;
      throw this.fail(error as OutboxError);
    }
  }

  fail(error: OutboxError): OutboxError {
    const cause = error.cause ? String(error.cause) : undefined;
    this.#log("error", "outbox can't be written", { reason: error.message, cause });
    this.failure = error;
    return error;
  }

  recover(): void {
    if (this.failure) this.#log("info", "outbox can be written again");
    this.failure = undefined;
  }
}
