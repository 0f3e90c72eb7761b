import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { GroupCommit } from "../group-commit";
import { type ClaimedReport, type ClaimRequest, claimBytes, type OutboxError } from "../outbox";
import { type PendingWrite, settleAll } from "../pending-writes";
import { type Database, loadedIntervalMs, settings } from "./database";
import { type DroppedReport, dropReports, removal } from "./removals";
import { nowMs } from "./schema";

interface ClaimedRow extends Omit<ClaimedReport, "clientAddress" | "envelope"> {
  clientAddress: string | null;
  /** As base64: shorter than the hexadecimal text that a binary column is read as otherwise. */
  envelope: string;
  expendable: boolean;
}

interface Ack extends PendingWrite {
  id: number;
}

/**
 * Minimum time between two claims after one that brought few reports: a statement costs more of the
 * processor than all that a claim brings.
 */
const claimIntervalMs = 40;
const fewReports = 8;

/** No claim and no back-off is meant to last longer: one that seems to is of a clock that was set back. */
const maxWaitMs = 10 * 60_000;

/** In the order of delivery: see `ClaimRequest`. */
const branches = {
  byArrival: ["not expendable", "expendable"],
  failedLast: [
    "not expendable and failures = 0",
    "expendable and failures = 0",
    "not expendable and failures > 0",
    "expendable and failures > 0",
  ],
};

/** More than any id. */
const lastRank = "1000000000000000000";

/** Where those that failed before begin in `failedLast`. */
const firstFailed = 2;

/**
 * The claims of this process: leases in the database's rows, by the database's clock. A process that
 * dies or freezes loses its claims when they end, and nobody waits for anything else of it.
 */
export class Claims {
  /** No other process has this id, also none before or after this one on the same machine. */
  readonly #me = randomUUID();
  /** What the courier has in hand. */
  readonly #held = new Set<number>();
  readonly #acks: GroupCommit<Ack>;
  #lastClaim: Promise<unknown> = Promise.resolve();
  #nextClaimAt = Number.NEGATIVE_INFINITY;

  /**
   * @param leaseMs how long a claim lasts: longer than sending one report can take
   * @param now milliseconds since the epoch; undefined for the database's clock
   */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
    private readonly now: () => number | undefined,
  ) {
    this.#acks = new GroupCommit({
      run: (writes) => this.#removeDelivered(writes),
      loadedIntervalMs,
    });
  }

  /** @throws {OutboxError} */
  claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    // One after another. If the answer to a claim is lost, the next one takes the same rows again;
    // two claims at once would take each other's.
    const claimed = this.#lastClaim.then(() => this.#claimInTurn(request));
    this.#lastClaim = claimed.catch(() => {});
    return claimed;
  }

  async #claimInTurn(request: ClaimRequest): Promise<ClaimedReport[]> {
    const wait = this.#nextClaimAt - performance.now();
    if (wait > 0) await delay(wait);
    const start = performance.now();
    const reports = await this.#claim(request);
    this.#nextClaimAt = reports.length < fewReports ? start + claimIntervalMs : start;
    return reports;
  }

  /** Removes a report that was delivered, together with others. @throws {OutboxError} */
  async ackDelivered(id: number): Promise<void> {
    await this.#acks.write({ id, bytes: 0, priority: "high" });
    this.#held.delete(id);
  }

  /** @returns what was dropped. @throws {OutboxError} */
  async ackDropped(id: number, reason: DropReason): Promise<Drops[]> {
    const { tables } = this.database;
    const drops = await this.database.transaction(async (query) => {
      const dropped = await query<DroppedReport>(
        `select id, categories, envelope from ${tables.reports}
         where id = $1 and claimed_by = $2 for update`,
        [id, this.#me],
      );
      return dropReports(query, tables, dropped, () => reason);
    });
    this.#held.delete(id);
    return drops;
  }

  /** @throws {OutboxError} */
  async requeue(id: number, retryAfterMs: number | undefined): Promise<void> {
    if (!this.#held.has(id)) return;
    const retry = retryAfterMs ?? null;
    const freeAt = `case when $3::bigint is null then 0 else ${nowMs("$4")} + $3::bigint end`;
    try {
      await this.database.query(
        `update ${this.database.tables.reports} set claimed_by = null, free_at = ${freeAt},
           failures = failures + case when $3::bigint is null then 0 else 1 end
         where id = $1 and claimed_by = $2`,
        [id, this.#me, retry === null ? null : Math.round(retry), this.now() ?? null],
      );
    } finally {
      this.#held.delete(id);
    }
  }

  /** Ends all claims. @throws {OutboxError} */
  async release(): Promise<void> {
    const ids = [...this.#held];
    this.#held.clear();
    if (ids.length === 0) return;
    await this.database.query(
      `update ${this.database.tables.reports} set claimed_by = null, free_at = 0
       where id = any($1) and claimed_by = $2`,
      [ids, this.#me],
    );
  }

  /** Resolves once all acks so far are committed or have failed. */
  flush(): Promise<void> {
    return this.#acks.flush();
  }

  async #claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    const { limit, without, failedLast, newestFirst = false, maxFailed, lastOf = [] } = request;
    const { reports } = this.database.tables;
    const kinds = failedLast ? branches.failedLast : branches.byArrival;
    const now = nowMs("$1");
    const byNewest = failedLast && newestFirst;
    const less = (from: number, to: number) =>
      kinds.slice(from, to).map((_, n) => ` - (select count(*) from found${from + n})`);
    const found = kinds.map((kind, at) => {
      const order = byNewest && at === 0 ? `(sender = any($8))::int * ${lastRank} - id` : "id";
      const room = `$5${less(0, at).join("")}`;
      const isFailed = failedLast && at >= firstFailed;
      const most = isFailed ? `least(${room}, $7${less(firstFailed, at).join("")})` : room;
      return `found${at} as (select id, size, ${at} as rank, ${order} as place from ${reports}
        where ${kind} and categories & $2 = 0 and id <> all($4)
          and (free_at <= ${now} or free_at > ${now} + ${maxWaitMs} or claimed_by = $3)
        order by ${order} limit ${most} for update skip locked)`;
    });
    const all = kinds.map((_, at) => `select * from found${at}`).join(" union all ");
    const fitting = `select id from (
      select id, sum(size) over (order by rank, place) - size as before from (${all}) as found
    ) as summed where before < ${claimBytes}`;
    const rows = await this.database.queryAlone<ClaimedRow>(
      `with ${settings}, ${found.join(", ")}
       update ${reports} as r set claimed_by = $3, free_at = ${now} + $6
       from settings, (${fitting}) as found where r.id = found.id and settings.applied is not null
       returning r.id, r.received_at as "receivedAt", r.server, r.origin, r.categories,
         r.client_address as "clientAddress", r.sender, r.failures, r.expendable,
         encode(r.envelope, 'base64') as envelope`,
      [
        this.now() ?? null,
        without,
        this.#me,
        [...this.#held],
        limit,
        this.leaseMs,
        ...(failedLast ? [Math.min(maxFailed ?? limit, limit)] : []),
        ...(byNewest ? [[...lastOf]] : []),
      ],
    );
    const rank = ({ expendable, failures }: ClaimedRow) =>
      (failedLast && failures > 0 ? 2 : 0) + (expendable ? 1 : 0);
    const byAge = (a: ClaimedRow, b: ClaimedRow) =>
      byNewest && rank(a) === 0 ? b.id - a.id : a.id - b.id;
    rows.sort((a, b) => rank(a) - rank(b) || byAge(a, b));
    for (const { id } of rows) this.#held.add(id);
    return rows.map(({ expendable, clientAddress, envelope, ...report }) => ({
      ...report,
      clientAddress: clientAddress ?? undefined,
      envelope: Buffer.from(envelope, "base64"),
    }));
  }

  async #removeDelivered(acks: Ack[]): Promise<void> {
    const { tables } = this.database;
    try {
      await this.database.query(removal(tables, "id = any($1) and claimed_by = $2"), [
        acks.map(({ id }) => id),
        this.#me,
      ]);
      settleAll(acks);
    } catch (error) {
      settleAll(acks, error as OutboxError);
    }
  }
}
