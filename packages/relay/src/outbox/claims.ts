import { everyCategory, primaryCategories } from "../envelope/categories.ts";
import { type Drops, dropsOf } from "../envelope/client-report.ts";
import { type OutboxError, type Statement, Values } from "./driver.ts";
import { countDrops } from "./drops.ts";
import { GroupCommit } from "./group-commit.ts";
import { type ClaimedReport, type ClaimRequest, isRemoved, type Outcome } from "./reports.ts";
import type { Store } from "./store.ts";

/** About how many bytes a claim brings at most: each report can have 2 MB. */
const claimBytes = 4 * 1024 * 1024;
/** Who works on a report for longer renews it, see `renew`. */
const defaultLeaseMs = 15_000;
/** How long an error waits for a process of its release. */
const ownReleaseMs = 60_000;
/** No lease and no back-off lasts longer: one that seems to is of a clock that was set back. */
const maxWaitMs = 10 * 60_000;

/**
 * How long the claims of others are left alone as the store comes back: whoever has delivered a report meanwhile
 * could not say so, and its lease may be over.
 */
const handBackMs = 3000;

export interface ClaimOptions {
  leaseMs?: number | undefined;
  /** Errors of another release are left to others at first; undefined if it doesn't matter. */
  release?: string | undefined;
  /** Milliseconds of a clock that only goes forward. */
  uptime(): number;
  /** See `Outbox.rowsOf`. */
  rowsOf(taken: readonly unknown[]): Statement[];
}

/** The end of a claim. */
interface Acknowledgement {
  report: ClaimedReport;
  outcome: Outcome;
  size: 0;
  low: 0;
}

/** Claims reports that nobody has, and ends the claims in groups. All may throw an OutboxError. */
export class Claims {
  readonly ends = new GroupCommit<Acknowledgement>({
    faultsOfOne: ["malformed", "unwritable"],
    write: (group) => this.#write(group),
  });
  /** When the store last failed at a claim. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly options: ClaimOptions,
  ) {}

  /**
   * Those of high priority first, then those with fewest failed attempts, then the oldest. A claim that was
   * not ended by its process counts as a failed attempt: that may have died of the report.
   */
  async claim({ limit, without, maxSize }: ClaimRequest): Promise<ClaimedReport[]> {
    const { driver, health, now: clock } = this.store;
    const { leaseMs = defaultLeaseMs, release, uptime } = this.options;
    const now = clock();
    const values = new Values();
    const conditions = [
      `(free_at <= ${now} or free_at > ${now} + ${maxWaitMs})`,
      // `isSendable` as SQL can ask it.
      `(categories & ${values.add(without & primaryCategories)}) = 0`,
      `(categories & ${values.add(everyCategory & ~without)}) <> 0`,
    ];
    if (release !== undefined) {
      conditions.push(`(release is null or release = ${values.add(release)}
        or received_at <= ${now} - ${ownReleaseMs} or received_at > ${now})`);
    }
    if (maxSize !== undefined) conditions.push(`size <= ${values.add(maxSize)}`);
    if (uptime() - this.#failedAt < handBackMs) {
      conditions.push(`(claimed_by is null or claimed_by = ${values.add(driver.me)})`);
    }
    // Materialized: some plans of Postgres would run the inner part again, and claim more. The limit stands as a
    // number: SQLite plans a statement anew for each value of a bound one.
    const text = `with free as materialized (
      select id, low, attempts, size from {outbox}
      where ${conditions.join(" and ")}
      order by low, attempts, id limit ${limit} ${driver.dialect.skipLocked}
    ), summed as (
      select id, sum(size) over (order by low, attempts, id) - size as before from free
    )
    update {outbox} set claimed_by = ${values.add(driver.me)}, free_at = ${now} + ${leaseMs},
      attempts = attempts + case when claimed_by is null then 0 else 1 end
    where id in (select id from summed where before < ${claimBytes})
    returning id, received_at as "receivedAt", ${now} - received_at as age, server, origin, low, categories, release, attempts, sender,
      client_address as "clientAddress", envelope`;
    const claimed = driver.transaction([{ text, values: values.all }]);
    const [rows = []] = await health.watch(claimed, "claim").catch((error) => {
      this.#failedAt = uptime();
      throw error;
    });
    health.recover("claim");
    return (rows as unknown as (ClaimedReport & { low: number })[]).toSorted(
      (a, b) => a.low - b.low || a.attempts - b.attempts || a.id - b.id,
    );
  }

  /** Begins the lease of a report anew, if it has not ended. */
  async renew(report: ClaimedReport): Promise<void> {
    const { leaseMs = defaultLeaseMs } = this.options;
    const set = `update {outbox} set free_at = ${this.store.now()} + ${leaseMs}`;
    await this.store.driver.transaction(this.#ofClaimed(set, [report]));
  }

  acknowledge(report: ClaimedReport, outcome: Outcome): Promise<void> {
    return this.ends.write({ report, outcome, size: 0, low: 0 });
  }

  /** Ends all claims of this process. */
  async release(): Promise<void> {
    await this.ends.flush();
    const { driver } = this.store;
    const text = "update {outbox} set claimed_by = null, free_at = 0 where claimed_by = $1";
    await driver.transaction([{ text, values: [driver.me] }]);
  }

  /**
   * In one transaction, which an end without its claim (see `#allClaimed`) fails as malformed, and so does one that
   * can't be stored. `GroupCommit` then tries halves until that end stands alone, and `#refused` finds out which it is.
   */
  async #write(group: readonly Acknowledgement[]): Promise<void> {
    const { driver, health } = this.store;
    const [one] = group;
    await health.watch(driver.transaction(this.#statements(group))).catch((error: OutboxError) => {
      if (!one || group.length > 1 || error.fault !== "malformed") throw error;
      return this.#refused(one, error);
    });
  }

  #statements(group: readonly Acknowledgement[]): Statement[] {
    const taken = group.flatMap(({ outcome }) => (outcome.kind === "taken" ? [outcome.value] : []));
    const removed = group.filter(({ outcome }) => isRemoved(outcome)).map(({ report }) => report);
    const added = [
      ...(taken.length > 0 ? this.options.rowsOf(taken) : []),
      ...countDrops(group.flatMap(lostBy)),
    ];
    return [
      ...(added.length > 0 ? this.#allClaimed(removed) : []),
      ...added,
      ...this.#ofClaimed("delete from {outbox}", removed),
      ...group.flatMap((one) => this.#freed(one)),
    ];
  }

  /** Nothing is to be done without its claim. If what was made of it can't be stored, the report is dropped. */
  async #refused(one: Acknowledgement, error: OutboxError): Promise<void> {
    const { driver, health } = this.store;
    const claimed = this.#ofClaimed("select id from {outbox}", [one.report]);
    const [found = []] = await health.watch(driver.transaction(claimed));
    if (found.length === 0) return;
    if (one.outcome.kind !== "taken") throw error;
    health.setAside("What was made of the report can't be stored.", error.cause);
    const outcome = { kind: "dropped", reason: "internal_sdk_error" } as const;
    await health.watch(driver.transaction(this.#statements([{ ...one, outcome }])));
  }

  /**
   * Locks these reports, and is refused as malformed unless all are claimed. One may not be: another process has
   * it since its lease ended, or it was removed before, by a transaction whose answer was lost.
   */
  #allClaimed(reports: readonly ClaimedReport[]): Statement[] {
    const { forUpdate } = this.store.driver.dialect;
    const refuse = `insert into {notes} (name, value) select 'unclaimed', null
      where ${reports.length} > (select count(*) from {outbox}`;
    return [
      ...this.#ofClaimed("select id from {outbox}", reports, forUpdate),
      ...this.#ofClaimed(refuse, reports, ")"),
    ];
  }

  /** @param values those that the text holds already */
  #ofClaimed(
    text: string,
    reports: readonly ClaimedReport[],
    end = "",
    values = new Values(),
  ): Statement[] {
    if (reports.length === 0) return [];
    const ids = values.list(reports.map(({ id }) => id));
    const claimed = `where id in (${ids}) and claimed_by = ${values.add(this.store.driver.me)}`;
    return [{ text: `${text} ${claimed} ${end}`, values: values.all }];
  }

  /** Of a report that stays. */
  #freed({ report, outcome }: Acknowledgement): Statement[] {
    if (outcome.kind !== "later" && outcome.kind !== "back") return [];
    const [attempts, ms] = outcome.kind === "later" ? [1, Math.ceil(outcome.ms)] : [0, 0];
    const values = new Values();
    const set = `update {outbox} set attempts = attempts + ${attempts}, claimed_by = null,
        free_at = ${this.store.now()} + ${values.add(ms)}`;
    return this.#ofClaimed(set, [report], "", values);
  }
}

function lostBy({ report, outcome }: Acknowledgement): readonly Drops[] {
  if (outcome.kind === "dropped") return dropsOf(outcome.reason, report.envelope);
  return outcome.kind === "taken" ? (outcome.lost ?? []) : [];
}
