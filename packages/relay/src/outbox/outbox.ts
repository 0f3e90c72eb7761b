import {
  type CategorySet,
  everyCategory,
  internalOnly,
  isUnwanted,
  primaryCategories,
  priorityOf,
} from "../categories.ts";
import { clientReport, type Drops, dropsOf } from "../envelope/client-report.ts";
import { type Envelope, readEnvelope } from "../envelope/envelope.ts";
import type { Log } from "../log.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { Appends } from "./appends.ts";
import { senderOf, sizeOf } from "./capacity.ts";
import { Claims } from "./claims.ts";
import { type Driver, OutboxError, type Statement } from "./driver.ts";
import { type Droppable, dropSome, tellDrops } from "./drops.ts";
import type { ClaimedReport, ClaimRequest, Origin, Outcome, ReportRow } from "./reports.ts";
import { type OutboxStats, Stats } from "./stats.ts";
import type { Store } from "./store.ts";
import { StoreSecret, WaitingTimes, WriteHealth } from "./store.ts";

export interface AppendDetails {
  /** What was read of the envelope. Where it is missing, the envelope is read here. */
  facts?: EnvelopeFacts;
  /** The visitor's address, if it may be passed on. */
  clientAddress?: string;
  /** Whose share of the outbox a browser's report takes. It is not stored as it is. */
  sender?: string;
}

export interface OutboxOptions {
  /** What the reports take, see `sizeOf`. */
  maxBytes: number;
  /** After that, a report is dropped when the next attempt has failed, see `Outcome`. */
  maxAgeMs: number;
  log: Log;
  /** The release that this process runs: an error of another waits a minute for a process of that. */
  release?: string;
  /** Host name, where reports are of several machines. */
  server?: string;
  /** How long a claim outlives its process. */
  leaseMs?: number;
  /** For tests: in place of the store's clock. Milliseconds since the epoch. */
  now?: () => number;
  /** For tests: milliseconds of a clock that only goes forward. */
  uptime?: () => number;
}

/** What one report may have: a database sends no larger one back in the time of a statement. */
const maxReportBytes = 64 * 1024 * 1024;
/** Characters. Services take no longer one. */
const maxRelease = 200;
/** How long a report is offered at least: where a server starts, or its clock jumps, the network may be late. */
const minOfferedMs = 60 * 60_000;
/** How long a process that is about to end waits for the disk. */
const maxFlushMs = 1000;

/**
 * The durable store of reports: what is the same in both engines, which is all but the driver. Any number
 * of processes may share one store. A promise may reject with an OutboxError where nothing else is said.
 */
export class Outbox {
  /** What this process has made of the reports that it claimed, since it was opened. */
  readonly acknowledged: Record<Outcome["kind"], number> = {
    taken: 0,
    dropped: 0,
    later: 0,
    back: 0,
  };
  /** Called when a report has been appended. */
  onAppend: (() => void) | undefined;
  /** What the service limits for so long that measurements don't wait: see `isUnwanted`. */
  limited: () => CategorySet = () => 0;
  /**
   * What the destination of this process writes in the transaction that removes the reports, for all that it
   * has taken together: none of it is written without that. A statement may read them in `{outbox}`.
   */
  rowsOf: ((taken: readonly unknown[]) => Statement[]) | undefined;
  /** What all servers of the store know, and nobody else. */
  readonly secret: StoreSecret;
  readonly #store: Store;
  readonly #appends: Appends;
  readonly #claims: Claims;
  readonly #acknowledgements: Acknowledgements;
  readonly #stats: Stats;
  readonly #waitingTimes: WaitingTimes;

  constructor(
    readonly driver: Driver,
    private readonly options: OutboxOptions,
  ) {
    const { log, maxBytes, maxAgeMs, now, uptime } = options;
    this.#waitingTimes = new WaitingTimes(driver, maxAgeMs, uptime);
    this.#store = {
      driver,
      health: new WriteHealth(log),
      now: () => (now ? `cast(${now()} as bigint)` : driver.dialect.now),
    };
    this.secret = new StoreSecret(driver);
    this.#appends = new Appends(this.#store, this.secret, maxBytes);
    this.#acknowledgements = new Acknowledgements(
      this.#store,
      (taken) => this.rowsOf?.(taken) ?? [],
    );
    this.#claims = new Claims(this.#store, options);
    this.#stats = new Stats(this.#store, () => this.#appends.rehearse());
  }

  /**
   * Resolves once the report is on disk; one that is not wanted, see `isUnwanted`, once it is counted.
   *
   * @throws {OutboxError} if the report was not stored
   */
  async append(
    envelope: Uint8Array,
    origin: Origin,
    { facts, sender, ...details }: AppendDetails = {},
  ): Promise<void> {
    if (envelope.length > maxReportBytes) {
      throw new OutboxError("malformed", `The report has more than ${maxReportBytes} bytes.`);
    }
    const known = facts ?? factsIn(envelope);
    if (isUnwanted(known.categories, this.limited())) {
      return this.countDrops(dropsOf("ratelimit_backoff", envelope));
    }
    const row = this.#row(envelope, origin, known, details);
    await this.#appends.append(row, origin === "browser" ? sender : undefined);
    this.onAppend?.();
  }

  #row(
    envelope: Uint8Array,
    origin: Origin,
    { categories, release }: EnvelopeFacts,
    { clientAddress }: AppendDetails = {},
  ): ReportRow {
    const { server, now } = this.options;
    const isLow = priorityOf(categories) === "low";
    return {
      ...(now && { received_at: now() }),
      server: server ?? null,
      origin,
      low: isLow ? 1 : 0,
      categories,
      sender: senderOf(origin),
      release: isLow ? null : release,
      size: sizeOf(envelope),
      client_address: clientAddress ?? null,
      envelope,
    };
  }

  /** Counts what was dropped elsewhere, before it could be appended. */
  countDrops(drops: readonly Drops[]): Promise<void> {
    return this.#acknowledgements.count(drops);
  }

  /** What was dropped, by every process that shares the store, since it was made. @throws {OutboxError} */
  drops(): Promise<Drops[]> {
    const text = "select reason, category, quantity from {drops} order by reason, category";
    return this.driver.read<Drops>({ text });
  }

  /** Of high priority first, then those with fewest failed attempts, then the oldest. */
  claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    return this.#claims.claim(request);
  }

  /** Puts off the end of a claim that takes long. */
  renew(report: ClaimedReport): Promise<void> {
    return this.#claims.renew(report);
  }

  /**
   * Ends a claim. Does nothing where it has ended before, as by its lease.
   *
   * @throws {OutboxError} if that could not be stored; the claim goes on until its lease ends
   */
  async acknowledge(report: ClaimedReport, outcome: Outcome): Promise<void> {
    const isOver =
      outcome.kind === "later" &&
      !outcome.whateverAge &&
      report.age > this.options.maxAgeMs &&
      this.#waitingTimes.hasWaited(report.id, minOfferedMs);
    const made: Outcome = isOver ? { kind: "dropped", reason: "network_error" } : outcome;
    await this.#acknowledgements.acknowledge(report, made);
    this.acknowledged[made.kind]++;
  }

  /** Ends all claims of this process. Where the store is away they end with their leases. Never rejects. */
  async release(): Promise<void> {
    await this.#acknowledgements.flush();
    const text = "update {outbox} set claimed_by = null, free_at = 0 where claimed_by = $1";
    await this.driver.transaction([{ text, values: [this.driver.me] }]).catch(() => {});
  }

  /** Counts and logs a report that can't be stored, read or acknowledged. @param reason one sentence */
  setAside(reason: string, cause: unknown): void {
    this.#store.health.setAside(reason, cause);
  }

  /**
   * Drops what can be offered to nobody and has waited for the maximum age while this process ran. What can
   * be offered is dropped by a failed attempt alone: see `Outcome`.
   *
   * @param limited by the service now @param hasDestination false where nothing can be offered
   */
  async expire(limited: CategorySet, hasDestination = true): Promise<void> {
    const newest = await this.#waitingTimes.newestOld();
    if (newest === undefined) return;
    const old = `id <= ${newest}`;
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

  /** Drops the stored reports that `isUnwanted` holds for. */
  async dropUnwanted(limited: CategorySet): Promise<void> {
    if (limited === 0) return;
    // `isUnwanted` as SQL can ask it: nothing that the service takes, and more than client reports.
    await this.#dropAll({
      where: "low = 1 and (categories & $1) = 0 and (categories & $2) <> 0",
      values: [everyCategory & ~limited, everyCategory & ~internalOnly],
      reason: "ratelimit_backoff",
    });
  }

  async #dropAll(which: Droppable): Promise<void> {
    while ((await dropSome(this.#store, which)).length > 0) {
      // There may be more.
    }
  }

  /** Tells of all drops since it was done last: in the log and, if the service is told, in a client report. */
  async reportDrops(toService: boolean): Promise<void> {
    const { log, now = Date.now } = this.options;
    const told = await tellDrops(this.driver, (drops) =>
      toService ? this.#row(clientReport(drops, now()), "server", factsOfReport) : undefined,
    );
    for (const drop of told) log("warn", "reports dropped", { ...drop });
    if (told.length > 0) this.onAppend?.();
  }

  /** Does not reject: a store that can't be read counts as one that can't be written. */
  stats(): Promise<OutboxStats> {
    return this.#stats.read();
  }

  /** Resolves once every write requested so far is on disk or has failed. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([this.#appends.flush(), this.#acknowledgements.flush()]);
  }

  /**
   * The same, for a process that is about to end. With a local file it is so when this returns, after a
   * second at most; with any other store, the process must be kept alive meanwhile.
   */
  async flushNow(): Promise<void> {
    const flushed = [this.#appends.flushNow(), this.#acknowledgements.flushNow()];
    this.driver.flushNow(maxFlushMs);
    await Promise.all(flushed);
  }

  /** Ends all claims as far as the store can be reached, and closes it. Never rejects. */
  async close(): Promise<void> {
    await this.flush();
    await this.release();
    await this.driver.close();
  }
}

const factsOfReport: EnvelopeFacts = { categories: internalOnly, release: null };

/** @throws {OutboxError} `malformed` */
function factsIn(envelope: Uint8Array): EnvelopeFacts {
  const read = readEnvelope(envelope);
  if ("fault" in read) throw new OutboxError("malformed", read.detail);
  return factsOf(read);
}

/** What the outbox has to know of an envelope. */
export interface EnvelopeFacts {
  categories: CategorySet;
  /** The one that an SDK names in the header. Anybody can have written it. */
  release: string | null;
}

export function factsOf({
  header,
  categories,
}: Pick<Envelope, "header" | "categories">): EnvelopeFacts {
  const { release } = (header.trace ?? {}) as { release?: unknown };
  const isRelease = typeof release === "string" && release.length <= maxRelease;
  return { categories, release: isRelease ? release : null };
}
