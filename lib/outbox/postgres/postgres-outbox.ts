import { hostname } from "node:os";
import {
  type CategorySet,
  everyCategory,
  importantCategories,
  internalOnly,
  isExpendable,
} from "@/lib/envelope/categories";
import { clientReport, type DropReason, type Drops, dropsOf } from "@/lib/envelope/client-report";
import { DropLog } from "../drop-log";
import { recentUsages, senderNumber, serverSender, type Usages } from "../eviction";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type GroupState,
  type Log,
  type OldestIds,
  type Origin,
  type OutboxBounds,
  type OutboxEngine,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "../outbox";
import { categoriesOf } from "../report-categories";
import { isUnwanted } from "../service-limits";
import { WriteHealth } from "../write-health";
import { append, insert, type NewReport, rehearseAppend } from "./append";
import { Claims } from "./claims";
import { Database, type DatabaseOptions, type Run } from "./database";
import { isDataFault } from "./database-faults";
import { GroupCommit, type GroupWrite } from "./group-commit";
import { PostgresRows } from "./postgres-rows";
import { countDrops, type DroppedReport, dropReports, someReports } from "./removals";
import { nowMs } from "./schema";

export interface PostgresOutboxOptions extends DatabaseOptions {
  bounds: OutboxBounds;
  log: Log;
  /** The `limited` of `isUnwanted`, for reports that arrive. */
  limited?: () => CategorySet;
  /** What the inbox calls this server. */
  server?: string;
  /** How long a claim outlives its process, in milliseconds. Sending a report takes 36 s at most. */
  leaseMs?: number;
  /** Milliseconds since the epoch; the database's clock if missing. */
  now?: () => number;
}

interface AppendWrite extends NewReport, GroupWrite {}

interface TotalsRow {
  readOnly: boolean;
  waiting: number;
  importantWaiting: number;
  now: number;
  oldest: number | null;
  oldestImportant: number | null;
  lastDelivery: string | null;
}

const lastDeliveryNote = "last-delivery";
const lastDeliveryIntervalMs = 1000;
/** As large as a few reports: if it fits, they do. */
const probeValue = "x".repeat(32 * 1024);
const probeReport: NewReport = {
  origin: "server",
  categories: importantCategories,
  expendable: false,
  sender: serverSender,
  clientAddress: undefined,
  envelope: Buffer.from(probeValue),
};
/** How many reports one transaction drops. */
const dropBatch = 200;

/** The outbox in Postgres, which any number of servers share. */
export class PostgresOutbox implements OutboxEngine {
  readonly rows: PostgresRows;
  readonly #database: Database;
  readonly #options: PostgresOutboxOptions;
  readonly #server: string;
  readonly #claims: Claims;
  readonly #appends: GroupCommit<AppendWrite>;
  readonly #health: WriteHealth;
  readonly #dropLog: DropLog;
  readonly #usages: Usages;
  #stats: Promise<OutboxStats> | undefined;
  #lastDelivery = 0;

  constructor(options: PostgresOutboxOptions) {
    this.#options = options;
    this.#server = options.server ?? hostname();
    this.#database = new Database(options);
    this.rows = new PostgresRows(this.#database, options.schema);
    this.#claims = new Claims(this.#database, options.leaseMs ?? 45_000, () => options.now?.());
    this.#appends = new GroupCommit((writes) => this.#append(writes));
    this.#health = new WriteHealth(options.log);
    this.#dropLog = new DropLog(options.log);
    this.#usages = recentUsages(options.bounds);
  }

  async append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void> {
    const categories = details?.categories ?? categoriesOf(envelope);
    if (isUnwanted(categories, this.#options.limited?.() ?? 0)) {
      return this.countDrops(dropsOf("ratelimit_backoff", envelope));
    }
    const report: NewReport = {
      origin,
      categories,
      expendable: isExpendable(categories),
      sender: senderNumber(origin, details?.sender),
      clientAddress: details?.clientAddress,
      envelope,
    };
    return new Promise((resolve, reject) => {
      const write = { ...report, bytes: envelope.length, resolve, reject };
      const full = this.#appends.add(write);
      if (full) this.#health.fail(full.error);
      if (full && !full.added) reject(full.error);
    });
  }

  async #append(writes: AppendWrite[]): Promise<void> {
    try {
      const { refused, drops } = await append(this.#database, writes, this.#context());
      for (const write of writes) {
        const error = refused.get(write);
        if (error) write.reject(error);
        else write.resolve();
      }
      this.#dropLog.add(drops);
      this.#health.recover();
    } catch (error) {
      if (isDataFault(error)) return this.#appendApart(writes, error as OutboxError);
      const failure = this.#health.fail(error as OutboxError);
      for (const write of writes) write.reject(failure);
    }
  }

  /**
   * One of the reports can't be stored for what it holds: it is refused alone. Where no report can be
   * stored at all, the fault is the outbox's.
   */
  async #appendApart(writes: AppendWrite[], cause: OutboxError): Promise<void> {
    if (writes.length > 1) {
      for (const write of writes) await this.#append([write]);
      return;
    }
    try {
      await rehearseAppend(this.#database, probeReport, this.#context());
    } catch {
      const failure = this.#health.fail(cause);
      for (const write of writes) write.reject(failure);
      return;
    }
    const error = new OutboxError("malformed", "The report can't be stored.", { cause });
    this.#health.setAside(error.message, cause.cause);
    for (const write of writes) write.reject(error);
  }

  #context() {
    const { bounds, now } = this.#options;
    return { bounds, usages: this.#usages, server: this.#server, now: now?.() };
  }

  async countDrops(drops: Drops[]): Promise<void> {
    await this.#write((query) => countDrops(query, this.#database.tables, drops));
    this.#dropLog.add(drops);
  }

  list({ after, limit }: { after: number; limit: number }): Promise<StoredReport[]> {
    return this.#database.query<StoredReport>(
      `select id, received_at as "receivedAt", server, origin, categories, envelope
       from ${this.#database.tables.reports} where id > $1 order by id limit $2`,
      [after, limit],
    );
  }

  async oldestIds(): Promise<OldestIds> {
    const { reports, totals } = this.#database.tables;
    const oldest = (kind: string) =>
      `(select id from ${reports} where ${kind} order by id limit 1)`;
    const [found] = await this.#database.query<{
      important: number | null;
      expendable: number | null;
      reports: number;
    }>(
      `select ${oldest("not expendable")} as important, ${oldest("expendable")} as expendable,
         i.important + i.others - o.important - o.others as reports
       from ${totals} as i, ${totals} as o where i.side = 'in' and o.side = 'out'`,
    );
    return {
      important: found?.important ?? undefined,
      expendable: found?.expendable ?? undefined,
      reports: found?.reports ?? 0,
    };
  }

  async ids(): Promise<number[]> {
    const { reports } = this.#database.tables;
    const rows = await this.#database.query<{ id: number }>(`select id from ${reports}`);
    return rows.map(({ id }) => id);
  }

  drops(): Promise<Drops[]> {
    const { drops } = this.#database.tables;
    return this.#database.query<Drops>(
      `select reason, category, quantity from ${drops} order by reason, category`,
    );
  }

  groupStates(): Promise<GroupState[]> {
    const { groupStates } = this.#database.tables;
    return this.#database.query<GroupState>(
      `select group_id as "group", state, since from ${groupStates}`,
    );
  }

  async setGroupState(
    group: string,
    state: GroupState["state"] | "open",
    since: number,
  ): Promise<void> {
    const { groupStates } = this.#database.tables;
    await this.#write((query) =>
      state === "open"
        ? query(`delete from ${groupStates} where group_id = $1`, [group])
        : query(
            `insert into ${groupStates} (group_id, state, since) values ($1, $2, $3)
             on conflict (group_id) do update set state = excluded.state, since = excluded.since`,
            [group, state, since],
          ),
    );
  }

  /** Calls at the same time share one look at the database. */
  stats(): Promise<OutboxStats> {
    this.#stats ??= this.#readStats().finally(() => {
      this.#stats = undefined;
    });
    return this.#stats;
  }

  async #readStats(): Promise<OutboxStats> {
    try {
      await this.#probe();
    } catch (error) {
      this.#health.fail(error as OutboxError);
    }
    const failure = this.#health.failure;
    const unreadable = (reason: string) => ({
      writable: false,
      reason,
      waiting: 0,
      importantWaiting: 0,
      oldestAge: undefined,
      oldestImportantAge: undefined,
      lastDelivery: undefined,
      setAside: this.#health.reportsSetAside,
    });
    try {
      const row = await this.#readTotals();
      return {
        writable: failure === undefined,
        reason: failure?.message,
        waiting: row.waiting,
        importantWaiting: row.importantWaiting,
        oldestAge: age(row.oldest, row.now),
        oldestImportantAge: age(row.oldestImportant, row.now),
        lastDelivery: Math.max(Number(row.lastDelivery ?? 0), this.#lastDelivery) || undefined,
        setAside: this.#health.reportsSetAside,
      };
    } catch (error) {
      return unreadable((error as OutboxError).message);
    }
  }

  async #readTotals(): Promise<TotalsRow> {
    const { totals, reports, notes } = this.#database.tables;
    const oldest = (kind: string) =>
      `(select received_at from ${reports} where ${kind} order by id limit 1)`;
    const [row] = await this.#database.query<TotalsRow>(
      `select i.important + i.others - o.important - o.others as waiting,
         i.important - o.important as "importantWaiting", ${nowMs("$1")} as now,
         ${oldest("not expendable")} as "oldestImportant",
         least(${oldest("not expendable")}, ${oldest("expendable")}) as oldest,
         (select value from ${notes} where name = '${lastDeliveryNote}') as "lastDelivery"
       from ${totals} as i, ${totals} as o where i.side = 'in' and o.side = 'out'`,
      [this.#options.now?.() ?? null],
    );
    if (!row) throw new OutboxError("unwritable", "The outbox's totals are missing.");
    return row;
  }

  /**
   * Finds out whether writing works, for times when nothing else writes. After a failure it stores a
   * report and undoes that; otherwise it asks only for what is read-only or lacks a right.
   */
  async #probe(): Promise<void> {
    const { reports, totals } = this.#database.tables;
    if (this.#health.failure) {
      await rehearseAppend(this.#database, probeReport, this.#context());
      await this.setNote("probe", probeValue);
      await this.setNote("probe", "");
      this.#health.recover();
      return;
    }
    await this.#database.query(
      `with gone as (delete from ${reports} where false),
         counted as (update ${totals} set bytes = bytes where false)
       insert into ${reports} select * from ${reports} where false`,
    );
  }

  async flush(): Promise<void> {
    await Promise.all([this.#appends.flush(), this.#claims.flush()]);
  }

  claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    return this.#claims.claim(request);
  }

  async ack(id: number, outcome: "delivered" | DropReason): Promise<void> {
    if (outcome === "delivered") {
      await this.#claims.ackDelivered(id);
      await this.#noteDelivery();
    } else this.#dropLog.add(await this.#claims.ackDropped(id, outcome));
  }

  async #noteDelivery(): Promise<void> {
    const now = this.#options.now?.() ?? Date.now();
    if (now - this.#lastDelivery < lastDeliveryIntervalMs) return;
    this.#lastDelivery = now;
    await this.setNote(lastDeliveryNote, String(now));
  }

  requeue(id: number, retryAfterMs?: number): Promise<void> {
    return this.#claims.requeue(id, retryAfterMs);
  }

  setAside(reason: string, cause: unknown): void {
    this.#health.setAside(reason, cause);
  }

  release(): Promise<void> {
    return this.#claims.release();
  }

  async expire(limited: CategorySet): Promise<void> {
    const { maxAgeMs } = this.#options.bounds;
    await this.#dropWhere(
      `received_at < ${nowMs("$1")} - $2::bigint`,
      [maxAgeMs],
      ({ categories }) => ((categories & limited) !== 0 ? "ratelimit_backoff" : "network_error"),
    );
  }

  async dropUnwanted(limited: CategorySet): Promise<void> {
    if (limited === 0) return;
    const wanted = everyCategory & ~limited & ~internalOnly;
    await this.#dropWhere(
      "expendable and categories & $2 = 0 and categories & $3 <> 0",
      [wanted, limited & ~internalOnly],
      () => "ratelimit_backoff",
    );
  }

  /** Drops what nobody has in hand, in batches. $1 is the time. */
  async #dropWhere(
    condition: string,
    values: unknown[],
    reasonFor: (report: DroppedReport) => DropReason,
  ): Promise<void> {
    const { tables } = this.#database;
    for (let more = true; more; ) {
      const drops = await this.#write(async (query) => {
        const now = this.#options.now?.() ?? null;
        const dropped = await query<DroppedReport>(
          someReports(
            tables,
            `${condition} and (claimed_by is null or free_at <= ${nowMs("$1")})`,
            dropBatch,
          ),
          [now, ...values],
        );
        more = dropped.length > 0;
        return dropReports(query, tables, dropped, reasonFor);
      });
      this.#dropLog.add(drops);
    }
  }

  async reportDrops(): Promise<void> {
    const { tables } = this.#database;
    await this.#write(async (query) => {
      const drops = await query<Drops>(
        `with open as (
           select reason, category, quantity - reported as quantity from ${tables.drops}
           where quantity > reported order by reason, category for update
         ), done as (update ${tables.drops} as d set reported = d.quantity from open
           where d.reason = open.reason and d.category = open.category)
         select reason, category, quantity from open`,
      );
      if (drops.length === 0) return;
      const context = this.#context();
      const report = {
        origin: "server" as const,
        categories: internalOnly,
        expendable: true,
        sender: serverSender,
        clientAddress: undefined,
        envelope: clientReport(drops, context.now ?? Date.now()),
      };
      await insert(query, tables, [report], context);
    });
  }

  async note(name: string): Promise<string | undefined> {
    const { notes } = this.#database.tables;
    const [found] = await this.#database.query<{ value: string }>(
      `select value from ${notes} where name = $1`,
      [name],
    );
    return found?.value;
  }

  async setNote(name: string, value: string): Promise<void> {
    const { notes } = this.#database.tables;
    await this.#write((query) =>
      query(
        `insert into ${notes} (name, value) values ($1, $2)
         on conflict (name) do update set value = excluded.value`,
        [name, value],
      ),
    );
  }

  /** Ends all claims as far as the database can be reached. */
  async close(): Promise<void> {
    await this.flush();
    await this.release().catch(() => {});
    await this.#database.close();
  }

  async #write<T>(run: (query: Run) => Promise<T>): Promise<T> {
    try {
      // Where a row can be written, there may still be no way to store a report: no recovery here.
      return await this.#database.transaction(run);
    } catch (error) {
      throw this.#health.fail(error as OutboxError);
    }
  }
}

function age(time: number | null, now: number): number | undefined {
  return time === null ? undefined : Math.max(0, now - time);
}
