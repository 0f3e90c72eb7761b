import {
  type CategorySet,
  everyCategory,
  internalOnly,
  primaryCategories,
} from "../envelope/categories.ts";
import { clientReport, type Drops, summed } from "../envelope/client-report.ts";
import { type Log, oncePerMinute } from "../log.ts";
import type { Driver } from "../outbox/driver.ts";
import { type Droppable, dropSome } from "../outbox/drops.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { Destination } from "./destination.ts";
import type { DestinationHealth } from "./destination-health.ts";
import type { ServiceLimits } from "./service-limits.ts";

export interface HousekeepingOptions {
  outbox: Outbox;
  destination: Destination | undefined;
  limits: ServiceLimits;
  log: Log;
  health: Pick<DestinationHealth, "failedAt">;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
  /** How often to look whether something is to be done. */
  pollMs?: number;
}

const intervalMs = 60_000;
/** After a failure of the destination, what it limits is not dropped for its age for so long: it was not offered. */
const graceMs = 60 * 60_000;

/**
 * Drops what is too old or unwanted, and tells what was dropped: once a minute, and at once where something
 * is limited for long.
 */
export class Housekeeping {
  readonly #options: Required<HousekeepingOptions>;
  /** Several jobs fail by one cause. */
  readonly #logTrouble: Log;
  #timer: NodeJS.Timeout | undefined;
  #lastRun = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #limited: CategorySet = 0;
  /** Drops that the log has told of, and no client report yet. */
  readonly #untold: Drops[] = [];

  constructor(options: HousekeepingOptions) {
    this.#logTrouble = oncePerMinute(options.log);
    this.#options = { now: () => performance.now(), pollMs: 500, ...options };
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), this.#options.pollMs).unref();
    this.#poll();
  }

  /** What is under way goes on. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #poll(): void {
    const { limits, now } = this.#options;
    const limited = limits.limitedForLong();
    const isNews = (limited & ~this.#limited) !== 0;
    this.#limited = limited;
    if (!isNews && now() - this.#lastRun < intervalMs) return;
    this.#lastRun = now();
    this.#running = this.#running.then(() => this.#run());
  }

  async #run(): Promise<void> {
    const { destination, limits, now, health } = this.#options;
    const limited = now() - health.failedAt < graceMs ? 0 : limits.limited();
    const jobs = [
      () => this.dropUnwanted(limits.limitedForLong()),
      () => this.expire(limited, destination !== undefined),
      () => this.reportDrops(destination !== undefined && !destination.rows),
    ];
    for (const job of jobs) {
      await job().catch((error) =>
        this.#logTrouble("warn", "housekeeping failed", { cause: String(error) }),
      );
    }
  }

  /**
   * Drops what is beyond the maximum age and can be offered to nobody, once this process has run for as long.
   * What can be offered is dropped by a failed attempt alone: see `Outcome`.
   *
   * @param limited by the service now
   * @param hasDestination false where nothing can be offered
   * @throws {OutboxError}
   */
  async expire(limited: CategorySet, hasDestination = true): Promise<void> {
    const { store, options, uptime, expiryAgeMs } = this.#options.outbox;
    if (uptime() < options.maxAgeMs) return;
    const old = `received_at < ${store.now()} - ${Math.ceil(expiryAgeMs)}`;
    if (!hasDestination) await this.#dropAll({ where: old, reason: "network_error" });
    else if (limited !== 0) {
      // `isSendable` as SQL can ask it.
      await this.#dropAll({
        where: `${old} and ((categories & $1) <> 0 or (categories & $2) = 0)`,
        values: [limited & primaryCategories, everyCategory & ~limited],
        reason: "ratelimit_backoff",
      });
    }
  }

  /**
   * Drops the reports of low priority that the service takes nothing of, but for client reports alone.
   *
   * @param limited for so long that measurements don't wait
   * @throws {OutboxError}
   */
  async dropUnwanted(limited: CategorySet): Promise<void> {
    if (limited === 0) return;
    await this.#dropAll({
      where: "low = 1 and (categories & $1) = 0 and (categories & $2) <> 0",
      values: [everyCategory & ~limited, everyCategory & ~internalOnly],
      reason: "ratelimit_backoff",
    });
  }

  async #dropAll(which: Droppable): Promise<void> {
    while ((await dropSome(this.#options.outbox.store, which)).length > 0) {
      // There may be more.
    }
  }

  /**
   * Tells of all drops since it was done last: in the log and, if the service is told, in a client report.
   *
   * @throws {OutboxError} where the report can't be stored: the next one tells of them, too
   */
  async reportDrops(toService: boolean): Promise<void> {
    const { outbox, log } = this.#options;
    const { now = Date.now } = outbox.options;
    const drops = await takeUntold(outbox.driver);
    for (const drop of drops) log("warn", "reports dropped", { ...drop });
    if (toService) this.#untold.push(...drops);
    const untold = summed(this.#untold.splice(0));
    if (untold.length === 0) return;
    await outbox.append(clientReport(untold, now()), "server").catch((error) => {
      this.#untold.push(...untold);
      throw error;
    });
  }
}

/**
 * Marks all drops as told of.
 *
 * @returns what this process is to tell of: of several at once, one gets each
 */
async function takeUntold(driver: Driver): Promise<Drops[]> {
  const found = await driver.read<Drops & { reported: number }>({
    text: `select reason, category, quantity, reported from {drops}
      where quantity > reported order by reason, category`,
  });
  const marked = await driver.transaction(
    found.map(({ reason, category, quantity, reported }) => ({
      text: `update {drops} set reported = $1
        where reason = $2 and category = $3 and reported = $4 returning reason`,
      values: [quantity, reason, category, reported],
    })),
  );
  const ours = found.filter((_, i) => marked[i]?.length === 1);
  return ours.map(({ reported, ...drop }) => ({ ...drop, quantity: drop.quantity - reported }));
}
