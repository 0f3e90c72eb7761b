import { priorityOf } from "../envelope/categories.ts";
import type { Drops } from "../envelope/client-report.ts";
import { type Envelope, readEnvelope } from "../envelope/envelope.ts";
import type { Log } from "../log.ts";
import { Appends } from "./appends.ts";
import { senderNumber, serverSender, sizeOf, unknownSender } from "./capacity.ts";
import { Claims } from "./claims.ts";
import { type Driver, OutboxError, type Statement } from "./driver.ts";
import { countDrops } from "./drops.ts";
import type { ClaimedReport, ClaimRequest, Origin, Outcome } from "./reports.ts";
import { type Store, StoreSecret, WriteHealth } from "./store.ts";

export interface AppendDetails {
  /** What was read of the envelope. Where it is missing, the envelope is read here. */
  read?: Pick<Envelope, "categories" | "release"> | undefined;
  /** The visitor's address, if it may be passed on. */
  clientAddress?: string;
  /** Whose share of the outbox a browser's report takes. It is not stored as it is. */
  senderKey?: string | undefined;
}

export interface OutboxOptions {
  /** What the reports take, see `sizeOf`. */
  maxBytes: number;
  /** After that, a report is dropped when the next attempt has failed, see `Outcome`. */
  maxAgeMs: number;
  log: Log;
  /** The release that this process runs: an error of another waits a minute for a process of that. */
  release?: string | undefined;
  /** Host name, where reports are of several machines. */
  server?: string | undefined;
  /** How long a claim outlives its process. */
  leaseMs?: number;
  /** For tests: in place of the store's clock. Milliseconds since the epoch. */
  now?: () => number;
  /** For tests: milliseconds of a clock that only goes forward. */
  uptime?: () => number;
}

/** What one report may have: a database sends no larger one back in the time of a statement. */
const maxReportBytes = 64 * 1024 * 1024;
/** How long a process runs before it drops what is too old: as it starts, the network may be late. */
const minUptimeMs = 60 * 60_000;
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
  /** When the destination last took a report of this process, in milliseconds since the epoch. */
  lastDelivery: number | undefined;
  /** Called when a report has been appended. */
  onAppend: (() => void) | undefined;
  /**
   * What the destination of this process writes in the transaction that removes the reports, for all that it
   * has taken together: none of it is written without that. A statement may read them in `{outbox}`.
   */
  rowsOf: ((taken: readonly unknown[]) => Statement[]) | undefined;
  /** What all servers of the store know, and nobody else. */
  readonly secret: StoreSecret;
  /** What its stats and its housekeeping work on. */
  readonly store: Store;
  readonly #appends: Appends;
  readonly #claims: Claims;
  /** Milliseconds since this process has opened it, of a clock that only goes forward. */
  readonly uptime: () => number;
  readonly #openedAt: number;
  /** Settles with the last of what was asked for by `countDrops`. */
  #counting: Promise<unknown> = Promise.resolve();

  constructor(
    readonly driver: Driver,
    readonly options: OutboxOptions,
  ) {
    const { log, maxBytes, now, leaseMs, release } = options;
    const { uptime = () => performance.now() } = options;
    const opened = uptime();
    this.uptime = () => uptime() - opened;
    this.#openedAt = (now ?? Date.now)();
    this.store = {
      driver,
      health: new WriteHealth(log),
      now: () => (now ? `cast(${now()} as bigint)` : driver.dialect.now),
    };
    this.secret = new StoreSecret(driver);
    this.#appends = new Appends(this.store, maxBytes);
    const rowsOf = (taken: readonly unknown[]) => this.rowsOf?.(taken) ?? [];
    this.#claims = new Claims(this.store, { leaseMs, release, uptime, rowsOf });
  }

  /**
   * The age, by the store's clock, from which a report may be dropped: `maxAgeMs`, and for how long the machine
   * slept or by how much its clock was set forward, as nothing was offered then.
   */
  get expiryAgeMs(): number {
    const { maxAgeMs, now = Date.now } = this.options;
    return maxAgeMs + Math.max(now() - this.#openedAt - this.uptime(), 0);
  }

  /** Resolves once the report is on disk. */
  async append(envelope: Uint8Array, origin: Origin, details: AppendDetails = {}): Promise<void> {
    if (envelope.length > maxReportBytes) {
      throw new OutboxError("malformed", `The report has more than ${maxReportBytes} bytes.`);
    }
    const { read = readEnvelope(envelope), senderKey, clientAddress = null } = details;
    if ("fault" in read) throw new OutboxError("malformed", read.detail);
    const { server = null, now } = this.options;
    const isLow = priorityOf(read.categories) === "low";
    let sender = origin === "server" ? serverSender : unknownSender;
    if (origin === "browser" && senderKey !== undefined) {
      const secret = await this.store.health.watch(this.secret.read());
      sender = senderNumber(secret, senderKey);
    }
    await this.#appends.rows.write({
      ...(now && { received_at: now() }),
      server,
      origin,
      low: isLow ? 1 : 0,
      categories: read.categories,
      sender,
      release: isLow ? null : read.release,
      size: sizeOf(envelope),
      client_address: clientAddress,
      envelope,
    });
    this.onAppend?.();
  }

  /** Counts what was dropped elsewhere, before it could be appended. */
  async countDrops(drops: readonly Drops[]): Promise<void> {
    const counted = this.store.health.watch(this.driver.transaction(countDrops(drops)));
    // Without their results, of which each would hold all before it.
    this.#counting = Promise.allSettled([this.#counting, counted]).then(() => {});
    await counted;
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
   * Ends a claim. Does nothing where it has ended before, as by its lease. Where that could not be stored, the
   * claim goes on until its lease ends.
   */
  async acknowledge(report: ClaimedReport, outcome: Outcome): Promise<void> {
    const { maxAgeMs, now = Date.now } = this.options;
    const isOver =
      outcome.kind === "later" &&
      !outcome.whateverAge &&
      report.age > this.expiryAgeMs &&
      this.uptime() >= Math.min(minUptimeMs, maxAgeMs);
    const made: Outcome = isOver ? { kind: "dropped", reason: "network_error" } : outcome;
    await this.#claims.acknowledge(report, made);
    this.acknowledged[made.kind]++;
    if (made.kind === "taken") this.lastDelivery = now();
  }

  /** Ends all claims of this process. Where the store is away they end with their leases. Never rejects. */
  async release(): Promise<void> {
    await this.#claims.release().catch(() => {});
  }

  /** Counts and logs a report that can't be stored, read or acknowledged. @param reason one sentence */
  setAside(reason: string, cause: unknown): void {
    this.store.health.setAside(reason, cause);
  }

  /** Finds out whether a report can be stored, and tells `store.health`. Never rejects. */
  rehearse(): Promise<boolean> {
    return this.#appends.rehearse().then(
      () => true,
      () => false,
    );
  }

  /** Resolves once every write requested so far is on disk or has failed. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([this.#appends.rows.flush(), this.#claims.ends.flush(), this.#counting]);
  }

  /**
   * The same, for a process that is about to end. With a local file it is so when this returns, after a
   * second at most; with any other store, the process must be kept alive meanwhile.
   */
  async flushNow(): Promise<void> {
    const flushed = [this.#appends.rows.flushNow(), this.#claims.ends.flushNow()];
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
