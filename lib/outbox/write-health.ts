import { oncePerMinute } from "@/lib/log";
import type { Log, OutboxError } from "./outbox";

/**
 * Whether the outbox can be written, as its last write has shown, and how many reports were set
 * aside. Logs each change.
 */
export class WriteHealth {
  readonly #logRepeated: Log;
  #failure: OutboxError | undefined;
  #setAside = 0;

  constructor(private readonly log: Log) {
    this.#logRepeated = oncePerMinute(log);
  }

  /** Number of reports. */
  get reportsSetAside(): number {
    return this.#setAside;
  }

  /** @see OutboxEngine.setAside */
  setAside(reason: string, cause: unknown): void {
    this.#setAside++;
    this.#logRepeated("error", "report set aside", { reason, cause: String(cause) });
  }

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
