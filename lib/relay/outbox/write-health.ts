import { ConditionLog, oncePerMinute } from "@/lib/base/log";
import type { OutboxError } from "./driver";
import type { Log } from "./outbox";

/** Whether the outbox can be written, as its last write has shown, and how many reports were set aside. */
export class WriteHealth {
  readonly #logSetAside: Log;
  readonly #condition: ConditionLog;
  /** Why the last write failed; undefined if it succeeded. */
  failure: OutboxError | undefined;
  /** How many reports were set aside. */
  setAsides = 0;

  constructor(log: Log) {
    this.#logSetAside = oncePerMinute(log);
    this.#condition = new ConditionLog(log, "outbox can be written again");
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
    const reason = error.message;
    const cause = error.cause ? String(error.cause) : undefined;
    this.#condition.fail(reason, "error", "outbox can't be written", { reason, cause });
    this.failure = error;
    return error;
  }

  recover(): void {
    this.failure = undefined;
    this.#condition.recover();
  }
}
