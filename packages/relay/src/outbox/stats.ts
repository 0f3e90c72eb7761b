import { setTimeout as delay } from "node:timers/promises";
import { lastDelivery } from "./acknowledgements.ts";
import { type Sum, totals } from "./capacity.ts";
import { OutboxError } from "./driver.ts";
import type { Store } from "./store.ts";

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
  /** When a destination last took a report, in milliseconds since the epoch. */
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

/** What operators are told of the outbox. */
export class Stats {
  #probedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<OutboxStats> | undefined;
  #next: Promise<unknown> = Promise.resolve();

  /** @param rehearse finds out whether a report can be stored, and tells `health` */
  constructor(
    private readonly store: Store,
    private readonly rehearse: () => Promise<void>,
  ) {}

  /** @see Outbox.stats */
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
    const { health } = this.store;
    const at = performance.now();
    if (at - this.#probedAt > probeMs || health.failure) {
      this.#probedAt = at;
      // For times when nothing else writes.
      await this.rehearse().catch(() => {});
    }
    const found = await this.#readAll().catch((error: OutboxError) => health.fail(error));
    const { sums, now = 0, delivered } = found instanceof OutboxError ? {} : found;
    const high = sums?.filter(({ low }) => low === 0);
    const age = (of: Sum[] = []) =>
      of.length === 0 ? undefined : Math.max(0, now - Math.min(...of.map(({ oldest }) => oldest)));
    const waiting = (of?: Sum[]) => of?.reduce((sum, { quantity }) => sum + quantity, 0);
    return {
      writable: health.failure === undefined,
      reason: health.failure?.message,
      waiting: waiting(sums),
      highWaiting: waiting(high),
      bytes: sums?.reduce((sum, { bytes }) => sum + bytes, 0),
      oldestAge: age(sums),
      oldestHighAge: age(high),
      lastDelivery: Number(delivered) || undefined,
      setAside: health.setAsides,
      damagedFiles: this.store.driver.damagedFiles,
    };
  }

  /** Not by `read`, which may wait for pages. */
  async #readAll() {
    const { driver, now } = this.store;
    const text = `select ${now()} as now, (${lastDelivery}) as delivered`;
    const [sums, times] = await driver.transaction([totals, { text }]);
    const [row] = (times ?? []) as { now: number; delivered: string | null }[];
    return { sums: (sums ?? []) as unknown as Sum[], ...row };
  }
}
