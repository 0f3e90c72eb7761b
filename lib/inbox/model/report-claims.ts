import { randomUUID } from "node:crypto";
import type { StoredReport } from "@/lib/outbox/outbox";
import type { Rows, Statement } from "@/lib/outbox/rows";

/** Reports that are claimed at once: each can have 2 MB. */
const batchSize = 16;
/** How often it looks for reports that another process has claimed or freed, and has not filed. */
const unfinishedMs = 5_000;

interface ClaimOptions {
  /** Milliseconds since the epoch. */
  now(): number;
  /** How long a claim outlives its process, in milliseconds. */
  leaseMs: number;
}

interface Waiting {
  id: number;
}

/** Which reports this process files: none that another has claimed, and none that is filed. */
export class ReportClaims {
  readonly #rows: Rows;
  readonly #options: ClaimOptions;
  readonly #me = randomUUID();
  /** Reports up to this id are claimed, filed, or deferred. */
  #cursor = 0;
  #lookedForUnfinished = Number.NEGATIVE_INFINITY;
  /** When they are tried again. */
  readonly #deferred = new Map<number, number>();

  constructor(rows: Rows, options: ClaimOptions) {
    this.#rows = rows;
    this.#options = options;
  }

  /** Number of reports that wait. */
  get deferred(): number {
    return this.#deferred.size;
  }

  /** Claims the next reports, in the order of arrival. */
  async next(): Promise<{ reports: StoredReport[]; isLast: boolean }> {
    const now = this.#options.now();
    await this.#tryAgain(now);
    const [newest] = await this.#rows.select<{ id: number | null }>({
      text: "select max(id) as id from {reports}",
    });
    const waiting = await this.#waiting(now);
    const some = waiting.filter(({ id }) => !this.#deferred.has(id));
    const reports = some.length > 0 ? await this.#claim(some, now) : [];
    const isLast = waiting.length < batchSize;
    this.#cursor = Math.max(this.#cursor, (isLast ? newest?.id : waiting.at(-1)?.id) ?? 0);
    return { reports, isLast };
  }

  /** @returns what frees the report, which this process leaves to others until then */
  defer(id: number, until: number): Statement {
    this.#deferred.set(id, until);
    return {
      text: "update {filings} set claimed_by = null, free_at = 0 where report_id = $1 and done = 0",
      values: [id],
    };
  }

  async #tryAgain(now: number): Promise<void> {
    if (now - this.#lookedForUnfinished >= unfinishedMs) {
      this.#lookedForUnfinished = now;
      const [first] = await this.#rows.select<{ id: number | null }>({
        text: "select min(report_id) as id from {filings} where done = 0",
      });
      this.#cursor = Math.min(this.#cursor, (first?.id ?? Number.POSITIVE_INFINITY) - 1);
    }
    for (const [id, at] of this.#deferred) {
      if (at > now) continue;
      this.#deferred.delete(id);
      this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  #waiting(now: number): Promise<Waiting[]> {
    return this.#rows.select<Waiting>({
      text: `select id from {reports} as r
        where id > $1 and not exists (
          select 1 from {filings} as f where f.report_id = r.id and (f.done = 1 or f.free_at > $2))
        order by id limit ${batchSize}`,
      values: [this.#cursor, now],
    });
  }

  /** @returns those that no other process has claimed */
  async #claim(some: readonly Waiting[], now: number): Promise<StoredReport[]> {
    const ids = some.map(({ id }) => id);
    const rows = ids.map((_, i) => `($${i + 4}, $1, $2, 0)`).join(", ");
    await this.#rows.change([
      {
        text: `insert into {filings} as f (report_id, claimed_by, free_at, done) values ${rows}
          on conflict (report_id) do update
            set claimed_by = excluded.claimed_by, free_at = excluded.free_at
            where f.done = 0 and f.free_at <= $3`,
        values: [this.#me, now + this.#options.leaseMs, now, ...ids],
      },
    ]);
    return this.#rows.select<StoredReport>({
      text: `select id, received_at as "receivedAt", origin, categories, envelope
        from {reports} where id in (select report_id from {filings}
          where report_id in (${ids.map((_, i) => `$${i + 2}`).join(", ")})
            and claimed_by = $1 and done = 0)
        order by id`,
      values: [this.#me, ...ids],
    });
  }
}
