import { hostname } from "node:os";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { DropLog } from "../drop-log";
import { DurableOutbox, type DurableOutboxOptions } from "../durable-outbox";
import { recentUsages, type Usages } from "../eviction";
import { GroupCommit } from "../group-commit";
import { type ClaimedReport, type ClaimRequest, type OutboxBounds, OutboxError } from "../outbox";
import { type PendingWrite, settleAll } from "../pending-writes";
import { type Statement, withTables } from "../rows";
import {
  clientReportOf,
  type Droppable,
  dropBatch,
  type NewReport,
  noteStatement,
  probeReport,
  probeValue,
  type ReasonFor,
  type Store,
  type Totals,
} from "../store";
import { WriteHealth } from "../write-health";
import { append, insert, rehearseAppend } from "./append";
import { Claims } from "./claims";
import { Database, type DatabaseOptions, loadedIntervalMs, type Run } from "./database";
import { isDataFault } from "./database-faults";
import { countDrops, type DroppedReport, dropReports, someReports } from "./removals";
import { nowMs, tableIn } from "./schema";

interface StoreOptions extends DatabaseOptions {
  bounds: OutboxBounds;
  /** What the inbox calls this server. */
  server?: string;
  /** How long a claim outlives its process, in milliseconds. Sending a report takes 36 s at most. */
  leaseMs?: number;
  /** Milliseconds since the epoch; the database's clock if missing. */
  now?: () => number;
}

export type PostgresOutboxOptions = StoreOptions & DurableOutboxOptions;

interface AppendWrite extends NewReport, PendingWrite {}

/** How many appends wait: eight groups. A database that is so far behind is too slow for all of them. */
const maxPendingAppends = 4000;

const probe = probeReport(Buffer.from(probeValue));

/** The outbox in Postgres, which any number of servers share. */
export class PostgresOutbox extends DurableOutbox {
  constructor(options: PostgresOutboxOptions) {
    super(new PostgresStore(options), options);
  }
}

class PostgresStore implements Store {
  readonly reportColumns = 'id, received_at as "receivedAt", server, origin, categories, envelope';
  readonly health: WriteHealth;
  readonly #database: Database;
  readonly #options: StoreOptions;
  readonly #server: string;
  readonly #table: (name: string) => string;
  readonly #claims: Claims;
  readonly #appends: GroupCommit<AppendWrite>;
  readonly #dropLog: DropLog;
  readonly #usages: Usages;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#server = options.server ?? hostname();
    this.#table = tableIn(options.schema);
    this.#database = new Database(options);
    this.#claims = new Claims(this.#database, options.leaseMs ?? 45_000, () => options.now?.());
    this.health = new WriteHealth(options.log);
    this.#appends = new GroupCommit({
      run: async (writes) => {
        await this.#append(writes);
      },
      loadedIntervalMs,
      maxPending: maxPendingAppends,
      onFull: (error) => this.health.fail(error),
    });
    this.#dropLog = new DropLog(options.log);
    this.#usages = recentUsages(options.bounds);
  }

  append(report: NewReport): Promise<void> {
    return this.#appends.write({ ...report, bytes: report.envelope.length });
  }

  /** @returns why the database stored none of them */
  async #append(writes: AppendWrite[]): Promise<OutboxError | undefined> {
    try {
      const { refused, drops } = await append(this.#database, writes, this.#context());
      for (const [write, error] of refused) write.reject(error);
      settleAll(writes);
      this.#dropLog.add(drops);
      this.health.recover();
      return undefined;
    } catch (error) {
      if (isDataFault(error)) {
        await this.#appendApart(writes, error as OutboxError);
        return undefined;
      }
      const failure = this.health.fail(error as OutboxError);
      settleAll(writes, failure);
      // Each further group might wait as long for the same database.
      settleAll(this.#appends.pending.take(), failure);
      return failure;
    }
  }

  /**
   * One of the reports can't be stored for what it holds: it is refused alone. Where no report can be
   * stored at all, the fault is the outbox's.
   */
  async #appendApart(writes: AppendWrite[], cause: OutboxError): Promise<void> {
    if (writes.length > 1) {
      for (const write of writes) {
        const failure = await this.#append([write]);
        // The others, too, might each wait as long.
        if (failure) return settleAll(writes, failure);
      }
      return;
    }
    try {
      await rehearseAppend(this.#database, probe, this.#context());
    } catch {
      settleAll(writes, this.health.fail(cause));
      return;
    }
    const error = new OutboxError("malformed", "The report can't be stored.", { cause });
    this.health.setAside(error.message, cause.cause);
    settleAll(writes, error);
  }

  #context() {
    const { bounds, now } = this.#options;
    return { bounds, usages: this.#usages, server: this.#server, now: now?.() };
  }

  async countDrops(drops: Drops[]): Promise<void> {
    await this.#write((query) => countDrops(query, this.#database.tables, drops));
    this.#dropLog.add(drops);
  }

  async now(): Promise<number> {
    const values = [this.#options.now?.() ?? null];
    const [row] = await this.#database.query<{ now: number }>(
      `select ${nowMs("$1")} as now`,
      values,
    );
    return row?.now ?? Date.now();
  }

  select<Row extends object>({ text, values = [] }: Statement): Promise<Row[]> {
    return this.#database.read<Row>(withTables(text, this.#table), [...values]);
  }

  async change(statements: readonly Statement[]): Promise<void> {
    try {
      await this.#database.transaction(async (query) => {
        // One at a time, as `Rows.change` says.
        await query("select pg_advisory_xact_lock(hashtext($1))", [
          `rows ${this.#database.tables.schema}`,
        ]);
        for (const statement of statements) await this.#run(query, statement);
      });
    } catch (error) {
      if (!isDataFault(error)) throw error;
      throw new OutboxError("malformed", "The row can't be stored.", { cause: error });
    }
  }

  async write(statement: Statement): Promise<void> {
    await this.#write((query) => this.#run(query, statement));
  }

  #run(query: Run, { text, values = [] }: Statement): Promise<unknown> {
    return query(withTables(text, this.#table), [...values]);
  }

  async totals(): Promise<Totals> {
    const { totals, reports } = this.#database.tables;
    const oldest = (kind: string) =>
      `(select json_build_object('id', id, 'receivedAt', received_at)
        from ${reports} where ${kind} order by id limit 1)`;
    const [row] = await this.#database.query<Totals>(
      `select i.important + i.others - o.important - o.others as waiting,
         i.important - o.important as "highWaiting", ${nowMs("$1")} as now,
         ${oldest("not expendable")} as high, ${oldest("expendable")} as low
       from ${totals} as i, ${totals} as o where i.side = 'in' and o.side = 'out'`,
      [this.#options.now?.() ?? null],
    );
    if (!row) throw new OutboxError("unwritable", "The outbox's totals are missing.");
    return row;
  }

  /**
   * After a failure it stores a report and undoes that; otherwise it asks only for what is read-only
   * or lacks a right.
   */
  async probe(): Promise<void> {
    try {
      if (this.health.failure) await this.#probeRoom();
      else await this.#probeRights();
    } catch (error) {
      this.health.fail(error as OutboxError);
    }
  }

  async #probeRoom(): Promise<void> {
    await rehearseAppend(this.#database, probe, this.#context());
    await this.write(noteStatement("probe", probeValue));
    await this.write(noteStatement("probe", ""));
    this.health.recover();
  }

  async #probeRights(): Promise<void> {
    const { reports, totals } = this.#database.tables;
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

  async removeDelivered(id: number, note: Statement | undefined): Promise<void> {
    await this.#claims.ackDelivered(id);
    if (note) await this.write(note);
  }

  async drop(id: number, reason: DropReason): Promise<void> {
    this.#dropLog.add(await this.#claims.ackDropped(id, reason));
  }

  requeue(id: number, retryAfterMs?: number): Promise<void> {
    return this.#claims.requeue(id, retryAfterMs);
  }

  release(): Promise<void> {
    return this.#claims.release();
  }

  /** Of what nobody has in hand. */
  async dropSome(which: Droppable, reasonFor: ReasonFor): Promise<boolean> {
    const { tables } = this.#database;
    const [condition, values] =
      which === "old"
        ? [`received_at < ${nowMs("$1")} - $2::bigint`, [this.#options.bounds.maxAgeMs]]
        : [
            "expendable and categories & $2 = 0 and categories & $3 <> 0",
            [which.without, which.withOneOf],
          ];
    const isFree = `(claimed_by is null or free_at <= ${nowMs("$1")})`;
    const statement = someReports(tables, `${condition} and ${isFree}`, dropBatch);
    let more = false;
    const drops = await this.#write(async (query) => {
      const now = this.#options.now?.() ?? null;
      const dropped = await query<DroppedReport>(statement, [now, ...values]);
      more = dropped.length > 0;
      return dropReports(query, tables, dropped, reasonFor);
    });
    this.#dropLog.add(drops);
    return more;
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
      const report = clientReportOf(drops, context.now ?? Date.now());
      await insert(query, tables, [report], context);
    });
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
      throw this.health.fail(error as OutboxError);
    }
  }
}
