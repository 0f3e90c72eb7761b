import { everyCategory, primaryCategories } from "../categories.ts";
import { Values } from "./driver.ts";
import type { ClaimedReport, ClaimRequest } from "./reports.ts";
import type { Store } from "./store.ts";

/** About how many bytes a claim brings at most: each report can have 2 MB. */
const claimBytes = 4 * 1024 * 1024;
/** Who works on a report for longer renews it, see `renew`. */
const defaultLeaseMs = 45_000;
/** How long an error waits for a process of its release. */
const ownReleaseMs = 60_000;
/** No lease and no back-off lasts longer: one that seems to is of a clock that was set back. */
const maxWaitMs = 10 * 60_000;

/** How often the claims of processes that have died are looked for. */
const endedMs = 5000;

interface ClaimOptions {
  leaseMs?: number | undefined;
  /** Errors of another release are left to others at first; undefined if it doesn't matter. */
  release?: string | undefined;
}

/** Claims reports that nobody has. */
export class Claims {
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly options: ClaimOptions,
  ) {}

  /** @see Outbox.claim @throws {OutboxError} */
  async claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    const { health } = this.store;
    const claimed = await health.watch(
      this.#endOthers().then(() => this.#claim(request)),
      "claim",
    );
    health.recover("claim");
    return claimed;
  }

  /** Begins the lease of a report anew, if it has not ended. @throws {OutboxError} */
  async renew({ id }: ClaimedReport): Promise<void> {
    const { driver, now } = this.store;
    const { leaseMs = defaultLeaseMs } = this.options;
    const text = `update {outbox} set free_at = ${now()} + ${leaseMs}
      where id = $1 and claimed_by = $2`;
    await driver.transaction([{ text, values: [id, driver.me] }]);
  }

  /** Of processes that have died: their leases would outlive them. */
  async #endOthers(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAt < endedMs) return;
    this.#lookedAt = now;
    const { driver } = this.store;
    const ended = await driver.ended();
    if (ended.length === 0) return;
    const values = new Values();
    const text = `update {outbox} set free_at = 0 where claimed_by in (${values.list(ended)})`;
    await driver.transaction([{ text, values: values.all }]);
  }

  /**
   * Those of high priority first, then those with fewest failed attempts, then the oldest. A claim that was
   * not ended by its process counts as a failed attempt: that may have died of the report.
   */
  async #claim({ limit, without, maxSize }: ClaimRequest): Promise<ClaimedReport[]> {
    const { store } = this;
    const { leaseMs = defaultLeaseMs, release } = this.options;
    const now = store.now();
    const values = new Values();
    const isOwn =
      release === undefined
        ? "1 = 1"
        : `(release is null or release = ${values.add(release)}
          or received_at <= ${now} - ${ownReleaseMs} or received_at > ${now})`;
    // `isSendable` as SQL can ask it.
    const isSendable = `(categories & ${values.add(without & primaryCategories)}) = 0
      and (categories & ${values.add(everyCategory & ~without)}) <> 0`;
    const isSmall = maxSize === undefined ? "1 = 1" : `size <= ${values.add(maxSize)}`;
    // Materialized: some plans of Postgres would run the inner part again, and claim more.
    const text = `with free as materialized (
      select id, low, attempts, size from {outbox}
      where (free_at <= ${now} or free_at > ${now} + ${maxWaitMs})
        and ${isSendable} and ${isOwn} and ${isSmall}
      order by low, attempts, id limit ${values.add(limit)} ${store.driver.dialect.skipLocked}
    ), summed as (
      select id, sum(size) over (order by low, attempts, id) - size as before from free
    )
    update {outbox} set claimed_by = ${values.add(store.driver.me)}, free_at = ${now} + ${leaseMs},
      attempts = attempts + case when claimed_by is null then 0 else 1 end
    where id in (select id from summed where before < ${claimBytes})
    returning id, received_at as "receivedAt", ${now} - received_at as age, server, origin, low, categories, release, attempts, sender,
      client_address as "clientAddress", envelope`;
    const [rows = []] = await store.driver.transaction([{ text, values: values.all }]);
    return (rows as unknown as (ClaimedReport & { low: number })[]).toSorted(
      (a, b) => a.low - b.low || a.attempts - b.attempts || a.id - b.id,
    );
  }
}
