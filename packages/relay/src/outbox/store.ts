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
  /** Undefined as long as nobody has read it: the store may be away. */
  known: Buffer | undefined;

  constructor(private readonly driver: Pick<Driver, "transaction">) {}

  /** @returns 32 bytes @throws {import("./driver.ts").OutboxError} */
  async read(): Promise<Buffer> {
    if (this.known) return this.known;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    this.known = await this.#reading;
    return this.known;
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

/** Parts of the maximum age that differences are told in. */
const parts = 96;

/**
 * How long reports have waited before the eyes of this process, by a clock that only goes forward. So
 * nothing gets old while no process runs, or where the time of day jumps.
 */
export class WaitingTimes {
  /** Which report was the newest at which time, in order. */
  readonly #marks: { at: number; id: number }[] = [];

  /** @param now milliseconds of any clock that only goes forward */
  constructor(
    private readonly driver: Pick<Driver, "read">,
    private readonly maxAgeMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param ms at most the maximum age @returns whether this process has seen it wait for so long */
  hasWaited(id: number, ms: number): boolean {
    const since = this.now() - Math.min(ms, this.maxAgeMs);
    const newest = this.#marks.findLast(({ at }) => at <= since);
    return newest !== undefined && id <= newest.id;
  }

  /** To be called now and then. @returns the newest report that has waited for the maximum age, if any has */
  async newestOld(): Promise<number | undefined> {
    const [newest] = await this.driver.read<{ id: number | null }>({
      text: "select max(id) as id from {outbox}",
    });
    const at = this.now();
    const last = this.#marks.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    if (newest?.id && at - last >= this.maxAgeMs / parts) this.#marks.push({ at, id: newest.id });
    const index = this.#marks.findLastIndex((mark) => at - mark.at >= this.maxAgeMs);
    if (index > 0) this.#marks.splice(0, index);
    return index < 0 ? undefined : this.#marks[0]?.id;
  }
}
