import { oncePerMinute } from "@/lib/base/log";
import type { OutboxError } from "./driver";
import type { Log } from "./outbox";

/**
 * Whether the outbox can be written, as its last write has shown, and how many reports were set
 * aside. Logs each change. Where they come again and again, it logs a recovery once a minute, and always
 * the failure after it: while the outbox fails, the log's last word says so.
 */
export class WriteHealth {
  readonly #logSetAside: Log;
  readonly #logFailure: Log;
  readonly #logRecovery: Log;
  /** What the log says last: the reason of a failure, or nothing after a recovery. */
  #logged: string | undefined;
  /** Why the last write failed; undefined if it succeeded. */
  failure: OutboxError | undefined;
  /** How many reports were set aside. */
  setAsides = 0;

  constructor(private readonly log: Log) {
    this.#logSetAside = oncePerMinute(log);
    this.#logFailure = oncePerMinute(log);
    this.#logRecovery = oncePerMinute((...line) => {
      this.#logged = undefined;
      log(...line);
    });
  }

  /** @see Outbox.setAside */
  setAside(reason: string, cause: unknown): void {
    this.setAsides++;
    this.#logSetAside("error", "report set aside", { reason, cause: String(cause) });
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
    if (this.#logged !== error.message) {
      const cause = error.cause ? String(error.cause) : undefined;
      const logFailure = this.#logged === undefined ? this.log : this.#logFailure;
      logFailure("error", "outbox can't be written", { reason: error.message, cause });
      this.#logged = error.message;
    }
    this.failure = error;
    return error;
  }

  recover(): void {
    this.failure = undefined;
    if (this.#logged !== undefined) this.#logRecovery("info", "outbox can be written again");
  }
}
