import { setTimeout as delay } from "node:timers/promises";
import type { Drops } from "../envelope/client-report.ts";
import { type Log, oncePerMinute } from "../log.ts";
import type { Outbox } from "./outbox.ts";

export interface OutboxStats {
  /** Whether the last write succeeded and another one can begin. */
  writable: boolean;
  /** Why it is not writable: one sentence without secrets, for anybody to read. */
  reason: string | undefined;
  /** Number of reports in the outbox, and of those of high priority among them, if they could be read. */
  waiting: number | undefined;
  highWaiting: number | undefined;
  /** What they take, see `sizeOf`. */
  bytes: number | undefined;
  /** Age of the oldest report, and of the oldest of high priority, in milliseconds. */
  oldestAge: number | undefined;
  oldestHighAge: number | undefined;
  /** When the destination last took a report of this process, in milliseconds since the epoch. */
  lastDelivery: number | undefined;
  /** How many reports this process has set aside. */
  setAside: number;
  /** See `Driver.damagedFiles`. */
  damagedFiles: number;
}

/** Minimum time between two writes that only find out whether writing works. */
const probeMs = 1000;
/** The longest time between two readings. */
const maxWaitMs = 500;

type Count = Pick<OutboxStats, "waiting" | "highWaiting" | "bytes"> & {
  /** Null where none waits. */
  oldestAge: number | null;
  oldestHighAge: number | null;
};

/** What operators are told of the outbox. */
export class Stats {
  #probedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<OutboxStats> | undefined;
  #next: Promise<unknown> = Promise.resolve();
  readonly #log: Log;

  constructor(
    private readonly outbox: Outbox,
    log: Log,
  ) {
    this.#log = oncePerMinute(log);
  }

  /** What was dropped, by every process that shares the store, since it was made. @throws {OutboxError} */
  drops(): Promise<Drops[]> {
    const text = "select reason, category, quantity from {drops} order by reason, category";
    return this.outbox.driver.read<Drops>({ text });
  }

  /** Does not reject: what can't be read is left out. */
  read(): Promise<OutboxStats> {
    this.#running ??= this.#next.then(async () => {
      const begun = performance.now();
      const stats = await this.#readNow();
      this.#running = undefined;
      // Where much waits, asking again and again must not hold up what arrives.
      const wait = Math.min(2 * (performance.now() - begun), maxWaitMs);
      this.#next = delay(wait, undefined, { ref: false });
      return stats;
    });
    return this.#running;
  }

  async #readNow(): Promise<OutboxStats> {
    const { driver, health } = this.outbox.store;
    const at = performance.now();
    if (at - this.#probedAt > probeMs || health.failure) {
      this.#probedAt = at;
      // For times when nothing else writes.
      await this.outbox.rehearse();
    }
    const count = await this.#count();
    return {
      writable: health.failure === undefined,
      reason: health.failure?.message,
      waiting: count?.waiting,
      highWaiting: count?.highWaiting,
      bytes: count?.bytes,
      oldestAge: ageOf(count?.oldestAge),
      oldestHighAge: ageOf(count?.oldestHighAge),
      lastDelivery: this.outbox.lastDelivery,
      setAside: health.setAsides,
      damagedFiles: driver.damagedFiles,
    };
  }

  /** Not by `read`, which may wait for pages. @returns nothing where that fails, as with a slow database */
  async #count(): Promise<Count | undefined> {
    const { driver, health, now } = this.outbox.store;
    const age = (of: string) => `${now()} - min(${of})`;
    const text = `select count(*) as waiting, count(case when low = 0 then 1 end) as "highWaiting",
        cast(coalesce(sum(size), 0) as bigint) as bytes, ${age("received_at")} as "oldestAge",
        ${age("case when low = 0 then received_at end")} as "oldestHighAge"
      from {outbox}`;
    try {
      const [[row] = []] = await driver.transaction([{ text }]);
      return row as unknown as Count;
    } catch (error) {
      // Otherwise the log has a line for it.
      if (!health.failure) this.#log("warn", "outbox can't be read", { cause: String(error) });
      return undefined;
    }
  }
}

/** Not negative, though the clock was set back. */
function ageOf(age: number | null | undefined): number | undefined {
  return typeof age === "number" ? Math.max(age, 0) : undefined;
}
