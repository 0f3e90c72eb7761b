import { type Log, oncePerMinute } from "../log.ts";
import type { OutboxError } from "./driver.ts";

/** What is watched: writes, and claims, which may fail where writes don't. */
type Work = "write" | "claim";

/** Minimum time between two lines about the same failure. */
const repeatMs = 60_000;

/**
 * Whether the outbox can be used, as its last write and its last claim have shown, and how many reports were
 * set aside. Logs each change: a failure that comes again and again once a minute, a recovery always.
 */
export class WriteHealth {
  readonly #logSetAside: Log;
  readonly #failures = new Map<Work, OutboxError>();
  /** What the log says last: the reason of a failure, or nothing after a recovery. */
  #logged: string | undefined;
  /** When each reason was logged. */
  readonly #loggedAt = new Map<string, number>();
  /** How many reports were set aside. */
  setAsides = 0;

  constructor(private readonly log: Log) {
    this.#logSetAside = oncePerMinute(log);
  }

  /** Why the last write, or else the last claim, failed; undefined if both succeeded. */
  get failure(): OutboxError | undefined {
    return this.#failures.get("write") ?? this.#failures.get("claim");
  }

  /** @see Outbox.setAside */
  setAside(reason: string, cause: unknown): void {
    this.setAsides++;
    this.#logSetAside("error", "report set aside", { reason, cause: String(cause) });
  }

  /** Waits for it. What is wrong with what is written alone does not count. @throws {OutboxError} */
  async watch<T>(running: Promise<T>, work: Work = "write"): Promise<T> {
    try {
      return await running;
    } catch (error) {
      if ((error as OutboxError).fault === "malformed") throw error;
      throw this.fail(error as OutboxError, work);
    }
  }

  fail(error: OutboxError, work: Work = "write"): OutboxError {
    this.#failures.set(work, error);
    const reason = error.message;
    const loggedAt = this.#loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY;
    if (this.#logged === reason || performance.now() - loggedAt < repeatMs) return error;
    const cause = error.cause ? String(error.cause) : undefined;
    this.log("error", "outbox can't be written", { reason, cause });
    this.#logged = reason;
    this.#loggedAt.set(reason, performance.now());
    return error;
  }

  recover(work: Work = "write"): void {
    this.#failures.delete(work);
    if (this.failure || this.#logged === undefined) return;
    this.#logged = undefined;
    this.log("info", "outbox can be written again");
  }
}
