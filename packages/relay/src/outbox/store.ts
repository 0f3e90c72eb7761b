import { randomBytes } from "node:crypto";
import { type Log, oncePerMinute } from "../log.ts";
import type { Driver, OutboxError } from "./driver.ts";

/** What the parts of an outbox share. */
export interface Store {
  driver: Driver;
  health: WriteHealth;
  /** The store's clock, as SQL. */
  now(): string;
}

/** What is watched: writes, and claims, which may fail where writes don't. */
type Work = "write" | "claim";

/**
 * Whether the outbox can be used, as its last write and its last claim have shown, and how many reports were
 * set aside. Logs each change: a failure that comes again and again once a minute, a recovery always.
 */
export class WriteHealth {
  readonly #logSetAside: Log;
  readonly #logFailure: Log;
  readonly #failures = new Map<Work, OutboxError>();
  /** What the log says last: the reason of a failure, or nothing after a recovery. */
  #logged: string | undefined;
  /** How many reports were set aside. */
  setAsides = 0;

  constructor(private readonly log: Log) {
    this.#logSetAside = oncePerMinute(log);
    this.#logFailure = oncePerMinute((level, event, fields) => {
      this.#logged = String(fields?.reason);
      log(level, event, fields);
    });
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
    const cause = error.cause ? String(error.cause) : undefined;
    if (this.#logged !== reason)
      this.#logFailure("error", "outbox can't be written", { reason, cause });
    return error;
  }

  recover(work: Work = "write"): void {
    this.#failures.delete(work);
    if (this.failure || this.#logged === undefined) return;
    this.#logged = undefined;
    this.log("info", "outbox can be written again");
  }
}

const noteName = "store-secret";

/**
 * A random value that the servers of one store share, and nobody else knows. The first server that reads it
 * makes it. It stays as it is for as long as the store is there.
 */
export class StoreSecret {
  #reading: Promise<Buffer> | undefined;

  constructor(private readonly driver: Pick<Driver, "transaction">) {}

  /** @returns 32 bytes */
  read(): Promise<Buffer> {
    this.#reading ??= this.#read().catch((error) => {
      // The store is away: the next one reads it again.
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  async #read(): Promise<Buffer> {
    const made = randomBytes(32).toString("base64url");
    const [, [found] = []] = await this.driver.transaction([
      {
        text: "insert into {notes} (name, value) values ($1, $2) on conflict do nothing",
        values: [noteName, made],
      },
      { text: "select value from {notes} where name = $1", values: [noteName] },
    ]);
    return Buffer.from(String(found?.value), "base64url");
  }
}
