import { randomUUID } from "node:crypto";
import { type Claimed, type Claims, claimBytes, type StoredReport } from "@/lib/outbox/outbox";
import { type Rows, type Statement, Values } from "@/lib/outbox/rows";

/**
 * How often it looks at all reports again: for those that another process has claimed and not filed,
 * and for those of a database that was restored, in which ids begin anew.
 */
const lookBackMs = 5_000;
/** No claim and no wait is meant to last longer: one that seems to is of a clock that was set back. */
export const maxClaimMs = 10 * 60_000;

/** A report that this process might claim. */
interface Candidate {
  id: number;
  /** Of its envelope, in bytes. */
  size: number;
}

/** Until when this process leaves a report alone. */
interface Wait {
  until: number;
  failures: number;
}

/**
 * Which reports this process files: none that another has claimed, and none that is filed. Claims are
 * leases in the table `filings`.
 */
export class ReportClaims implements Claims<{ limit: number }, Claimed> {
  /** No other process has this id. */
  readonly me = randomUUID();
  /** What this process has in hand, with how often it failed. */
  readonly #held = new Map<number, number>();
  readonly #waits = new Map<number, Wait>();
  /** Reports up to this id are claimed, filed, or wait. */
  #cursor = 0;
  #lookedBack = 0;
  #now = 0;
  #lastClaim: Promise<unknown> = Promise.resolve();

  /** @param leaseMs how long a claim outlives its process */
  constructor(
    private readonly rows: Rows,
    private readonly leaseMs: number,
  ) {}

  /** When the last claim was made, by the clock that stamps reports. */
  get now(): number {
    return this.#now;
  }

  /** Number of reports that this process leaves alone for a while. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** In the order of arrival. @returns none only where there is none to be claimed */
  claim({ limit }: { limit: number }): Promise<Claimed[]> {
    // One after another: two at once would take the same reports.
    const claimed = this.#lastClaim.then(() => this.#claimInTurn(limit));
    this.#lastClaim = claimed.catch(() => {});
    return claimed;
  }

  /**
   * Ends claims of reports that are filed.
   *
   * @param rows run in the same transaction, so that nothing is filed twice
   */
  async ack(ids: readonly number[], rows: readonly Statement[]): Promise<void> {
    const values = new Values();
    const text = `update {filings} set done = 1 where report_id in (${values.list(ids)})`;
    await this.#end(ids, [...rows, { text, values: values.all }]);
  }

  /** Ends the claim of a report that can't be filed. @param fault why */
  async ackFault(id: number, fault: string): Promise<void> {
    const text = "update {filings} set done = 1, fault = $2 where report_id = $1";
    await this.#end([id], [{ text, values: [id, fault.slice(0, 100)] }]);
  }

  async requeue(id: number, retryAfterMs?: number): Promise<void> {
    const failures = this.#held.get(id);
    if (failures === undefined) return;
    const until =
      retryAfterMs === undefined ? 0 : (await this.rows.now()) + Math.ceil(retryAfterMs);
    await this.#free(id, until);
    if (retryAfterMs === undefined) this.#cursor = Math.min(this.#cursor, id - 1);
    else this.#waits.set(id, { until, failures: failures + 1 });
  }

  /** Ends the claim of a report that other processes may file at once, and this one after a time. */
  async leaveToOthers(id: number, forMs: number): Promise<void> {
    const failures = this.#held.get(id);
    if (failures === undefined) return;
    await this.#free(id, 0);
    this.#waits.set(id, { until: (await this.rows.now()) + forMs, failures });
  }

  /** After an error of the database: this process, and no other, can claim these again. */
  forget(ids: readonly number[]): void {
    for (const id of ids) {
      if (this.#held.delete(id)) this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  async release(): Promise<void> {
    // A claim that is still on its way would outlast it.
    await this.#lastClaim;
    this.forget([...this.#held.keys()]);
    await this.rows.change([
      {
        text: `update {filings} set claimed_by = null, free_at = 0
          where claimed_by = $1 and done = 0`,
        values: [this.me],
      },
    ]);
  }

  async #claimInTurn(limit: number): Promise<Claimed[]> {
    const now = await this.rows.now();
    this.#now = now;
    this.#lookBack(now);
    for (;;) {
      const [newest] = await this.rows.select<{ id: number | null }>({
        text: "select max(id) as id from {reports}",
      });
      const found = await this.#unclaimed(limit, now);
      const { ids, last } = this.#fitting(found, now);
      const reports = ids.length > 0 ? await this.#take(ids, now) : [];
      const isLast = found.length < limit && last === found.at(-1)?.id;
      this.#cursor = Math.max(this.#cursor, (isLast ? newest?.id : last) ?? 0);
      this.#forgetGone(now);
      if (reports.length > 0 || isLast) return reports;
    }
  }

  /** To what the cursor has passed, and can be claimed again. */
  #lookBack(now: number): void {
    if (Math.abs(now - this.#lookedBack) >= lookBackMs) {
      this.#lookedBack = now;
      this.#cursor = 0;
    }
    for (const id of this.#waits.keys()) {
      if (!this.#mustWait(id, now)) this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  #mustWait(id: number, now: number): boolean {
    const left = (this.#waits.get(id)?.until ?? now) - now;
    return left > 0 && left <= maxClaimMs;
  }

  /**
   * @returns those that this process may take, as many as fit into one answer; `last` is the id up to
   *   which it has looked
   */
  #fitting(found: readonly Candidate[], now: number): { ids: number[]; last: number | undefined } {
    const ids: number[] = [];
    let bytes = 0;
    let last: number | undefined;
    for (const { id, size } of found) {
      if (!this.#held.has(id) && !this.#mustWait(id, now)) {
        bytes += size;
        if (ids.length > 0 && bytes > claimBytes) break;
        ids.push(id);
      }
      last = id;
    }
    return { ids, last };
  }

  /** What the cursor has passed though it need not wait is gone, or somebody else's. */
  #forgetGone(now: number): void {
    for (const id of this.#waits.keys()) {
      if (id <= this.#cursor && !this.#mustWait(id, now)) this.#waits.delete(id);
    }
  }

  /** The next reports that no other process has claimed, and nobody has filed. */
  #unclaimed(limit: number, now: number): Promise<Candidate[]> {
    return this.rows.select<Candidate>({
      text: `select id, length(envelope) as size from {reports} as r
        where id > $1 and not exists (
          select 1 from {filings} as f where f.report_id = r.id and (f.done = 1 or (
            f.free_at > $2 and f.free_at <= $3 and (f.claimed_by is null or f.claimed_by <> $4))))
        order by id limit $5`,
      values: [this.#cursor, now, now + maxClaimMs, this.me, limit],
    });
  }

  /** @returns those that no other process has claimed meanwhile */
  async #take(ids: readonly number[], now: number): Promise<Claimed[]> {
    const rows = ids.map((_, i) => `($${i + 5}, $1, $2, 0)`).join(", ");
    await this.rows.change([
      {
        text: `insert into {filings} as f (report_id, claimed_by, free_at, done) values ${rows}
          on conflict (report_id) do update
            set claimed_by = excluded.claimed_by, free_at = excluded.free_at
            where f.done = 0 and (f.free_at <= $3 or f.free_at > $4 or f.claimed_by = $1)`,
        values: [this.me, now + this.leaseMs, now, now + maxClaimMs, ...ids],
      },
    ]);
    const taken = await this.rows.select<StoredReport>({
      text: `select id, received_at as "receivedAt", origin, categories, envelope
        from {reports} where id in (select report_id from {filings}
          where report_id in (${ids.map((_, i) => `$${i + 2}`).join(", ")})
            and claimed_by = $1 and done = 0)
        order by id`,
      values: [this.me, ...ids],
    });
    return taken.map((report) => {
      const failures = this.#waits.get(report.id)?.failures ?? 0;
      this.#waits.delete(report.id);
      this.#held.set(report.id, failures);
      return { ...report, failures };
    });
  }

  async #end(ids: readonly number[], statements: readonly Statement[]): Promise<void> {
    await this.rows.change(statements);
    for (const id of ids) this.#held.delete(id);
  }

  /** @param freeAt when others may claim it */
  async #free(id: number, freeAt: number): Promise<void> {
    await this.rows.change([
      {
        text: `update {filings} set claimed_by = null, free_at = $2
          where report_id = $1 and claimed_by = $3 and done = 0`,
        values: [id, freeAt, this.me],
      },
    ]);
    this.#held.delete(id);
  }
}
