import { randomUUID } from "node:crypto";
import type { Claimed, Claims, StoredReport } from "@/lib/outbox/outbox";
import { type Rows, type Statement, Values } from "@/lib/outbox/rows";

/** How often it looks for reports that another process has claimed or freed, and has not filed. */
const unfinishedMs = 5_000;

interface ClaimOptions {
  /** Milliseconds since the epoch. */
  now(): number;
  /** How long a claim outlives its process, in milliseconds. */
  leaseMs: number;
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
  readonly #rows: Rows;
  readonly #options: ClaimOptions;
  /** No other process has this id. */
  readonly #me = randomUUID();
  /** What this process has in hand, with how often it failed. */
  readonly #held = new Map<number, number>();
  readonly #waits = new Map<number, Wait>();
  /** Reports up to this id are claimed, filed, or wait. */
  #cursor = 0;
  #lookedForUnfinished = Number.NEGATIVE_INFINITY;
  #lastClaim: Promise<unknown> = Promise.resolve();

  constructor(rows: Rows, options: ClaimOptions) {
    this.#rows = rows;
    this.#options = options;
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
    const until = retryAfterMs === undefined ? 0 : this.#options.now() + Math.ceil(retryAfterMs);
    await this.#free(id, until);
    if (retryAfterMs === undefined) this.#cursor = Math.min(this.#cursor, id - 1);
    else this.#waits.set(id, { until, failures: failures + 1 });
  }

  /** Ends the claim of a report that other processes may file at once, and this one after a time. */
  async leaveToOthers(id: number, forMs: number): Promise<void> {
    const failures = this.#held.get(id);
    if (failures === undefined) return;
    await this.#free(id, 0);
    this.#waits.set(id, { until: this.#options.now() + forMs, failures });
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
    await this.#rows.change([
      {
        text: `update {filings} set claimed_by = null, free_at = 0
          where claimed_by = $1 and done = 0`,
        values: [this.#me],
      },
    ]);
  }

  async #claimInTurn(limit: number): Promise<Claimed[]> {
    const now = this.#options.now();
    await this.#lookBack(now);
    for (;;) {
      const [newest] = await this.#rows.select<{ id: number | null }>({
        text: "select max(id) as id from {reports}",
      });
      const found = await this.#unclaimed(limit, now);
      const ids = found.filter((id) => !this.#held.has(id) && !this.#mustWait(id, now));
      const reports = ids.length > 0 ? await this.#take(ids, now) : [];
      const isLast = found.length < limit;
      this.#cursor = Math.max(this.#cursor, (isLast ? newest?.id : found.at(-1)) ?? 0);
      this.#forgetGone(now);
      if (reports.length > 0 || isLast) return reports;
    }
  }

  /** To what the cursor has passed, and can be claimed again. */
  async #lookBack(now: number): Promise<void> {
    if (now - this.#lookedForUnfinished >= unfinishedMs) {
      this.#lookedForUnfinished = now;
      const [first] = await this.#rows.select<{ id: number | null }>({
        text: "select min(report_id) as id from {filings} where done = 0",
      });
      this.#cursor = Math.min(this.#cursor, (first?.id ?? Number.POSITIVE_INFINITY) - 1);
    }
    for (const id of this.#waits.keys()) {
      if (!this.#mustWait(id, now)) this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  #mustWait(id: number, now: number): boolean {
    return (this.#waits.get(id)?.until ?? now) > now;
  }

  /** What the cursor has passed though it need not wait is gone, or somebody else's. */
  #forgetGone(now: number): void {
    for (const id of this.#waits.keys()) {
      if (id <= this.#cursor && !this.#mustWait(id, now)) this.#waits.delete(id);
    }
  }

  /** The next reports that no other process has claimed, and nobody has filed. */
  async #unclaimed(limit: number, now: number): Promise<number[]> {
    const found = await this.#rows.select<{ id: number }>({
      text: `select id from {reports} as r
        where id > $1 and not exists (
          select 1 from {filings} as f where f.report_id = r.id
            and (f.done = 1 or (f.free_at > $2 and (f.claimed_by is null or f.claimed_by <> $3))))
        order by id limit $4`,
      values: [this.#cursor, now, this.#me, limit],
    });
    return found.map(({ id }) => id);
  }

  /** @returns those that no other process has claimed meanwhile */
  async #take(ids: readonly number[], now: number): Promise<Claimed[]> {
    const rows = ids.map((_, i) => `($${i + 4}, $1, $2, 0)`).join(", ");
    await this.#rows.change([
      {
        text: `insert into {filings} as f (report_id, claimed_by, free_at, done) values ${rows}
          on conflict (report_id) do update
            set claimed_by = excluded.claimed_by, free_at = excluded.free_at
            where f.done = 0 and (f.free_at <= $3 or f.claimed_by = $1)`,
        values: [this.#me, now + this.#options.leaseMs, now, ...ids],
      },
    ]);
    const taken = await this.#rows.select<StoredReport>({
      text: `select id, received_at as "receivedAt", origin, categories, envelope
        from {reports} where id in (select report_id from {filings}
          where report_id in (${ids.map((_, i) => `$${i + 2}`).join(", ")})
            and claimed_by = $1 and done = 0)
        order by id`,
      values: [this.#me, ...ids],
    });
    return taken.map((report) => {
      const failures = this.#waits.get(report.id)?.failures ?? 0;
      this.#waits.delete(report.id);
      this.#held.set(report.id, failures);
      return { ...report, failures };
    });
  }

  async #end(ids: readonly number[], statements: readonly Statement[]): Promise<void> {
    await this.#rows.change(statements);
    for (const id of ids) this.#held.delete(id);
  }

  /** @param freeAt when others may claim it */
  async #free(id: number, freeAt: number): Promise<void> {
    await this.#rows.change([
      {
        text: `update {filings} set claimed_by = null, free_at = $2
          where report_id = $1 and claimed_by = $3 and done = 0`,
        values: [id, freeAt, this.#me],
      },
    ]);
    this.#held.delete(id);
  }
}
