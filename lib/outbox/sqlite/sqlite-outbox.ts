import type Database from "better-sqlite3";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { DurableOutbox, type DurableOutboxOptions } from "../durable-outbox";
import {
  type ClaimedReport,
  type ClaimRequest,
  type Log,
  type OutboxBounds,
  OutboxError,
} from "../outbox";
import type { Statement } from "../rows";
import type { Droppable, NewReport, ReasonFor, Store, Totals } from "../store";
import type { WriteHealth } from "../write-health";
import { Checkpoints } from "./checkpoints";
import { Claims } from "./claims";
import { OutboxFile } from "./outbox-file";
import { storedColumns } from "./report-table";
import { runStatement, selectRows } from "./sqlite-rows";
import { Writer } from "./writer";

interface StoreOptions {
  /** Path of the SQLite file. Its folder is created; `<file>.lease` is put beside it. */
  file: string;
  bounds: OutboxBounds;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow?: () => number;
  /** Called with each new connection. */
  onOpen?: (db: Database.Database) => void;
}

export type SqliteOutboxOptions = StoreOptions & DurableOutboxOptions;

/** The outbox in a SQLite file, which the processes of one machine may share. */
export class SqliteOutbox extends DurableOutbox {
  constructor(options: SqliteOutboxOptions) {
    super(new SqliteStore(options), options);
  }
}

class SqliteStore implements Store {
  readonly reportColumns = storedColumns;
  readonly #file: OutboxFile;
  readonly #checkpoints: Checkpoints;
  readonly #writer: Writer;
  readonly #claims: Claims;
  readonly #now: () => number;
  readonly #monotonicNow: () => number;
  readonly #maxAgeMs: number;

  constructor({
    file,
    bounds,
    log,
    now = Date.now,
    monotonicNow = () => performance.now(),
    onOpen,
  }: StoreOptions) {
    this.#now = now;
    this.#monotonicNow = monotonicNow;
    this.#maxAgeMs = bounds.maxAgeMs;
    this.#claims = new Claims(`${file}.lease`);
    this.#file = new OutboxFile({ file, bounds, log, now, monotonicNow, onOpen });
    this.#checkpoints = new Checkpoints(file, log);
    this.#writer = new Writer(this.#file, this.#checkpoints, log);
  }

  get health(): WriteHealth {
    return this.#writer.health;
  }

  append(report: NewReport): Promise<void> {
    const { envelope, priority } = report;
    const stamped = { ...report, receivedAt: this.#now() };
    return this.#writer.write(envelope.length, (table) => table.append(stamped), priority);
  }

  countDrops(drops: Drops[]): Promise<void> {
    return this.#writer.write(0, (table) => {
      table.countDrops(drops);
      return drops;
    });
  }

  async now(): Promise<number> {
    return this.#now();
  }

  async select<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#file.read(({ db }) => selectRows<Row>(db, statement));
  }

  /** Shares a transaction with what is appended. */
  change(statements: readonly Statement[]): Promise<void> {
    return this.#writer.write(0, ({ db }) => {
      for (const statement of statements) runStatement(db, statement);
    });
  }

  write(statement: Statement): Promise<void> {
    return this.change([statement]);
  }

  async probe(): Promise<void> {
    this.#writer.probe();
  }

  async totals(): Promise<Totals> {
    return this.#file.read((table) => ({ ...table.totals(), now: this.#now() }));
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    if (!this.#leased()) return [];
    return this.#file.read((table) =>
      this.#claims.claim(table, this.#file.identity, request, this.#monotonicNow()),
    );
  }

  async removeDelivered(id: number, note: Statement | undefined): Promise<void> {
    await this.#writer.write(0, (table) => {
      if (this.#holds(id)) table.delete(id);
      if (note) runStatement(table.db, note);
    });
    this.#claims.end(id);
  }

  async drop(id: number, reason: DropReason): Promise<void> {
    await this.#writer.write(0, (table) => (this.#holds(id) ? table.drop(id, reason) : undefined));
    this.#claims.end(id);
  }

  async requeue(id: number, retryAfterMs?: number): Promise<void> {
    const retryAt = retryAfterMs === undefined ? undefined : this.#monotonicNow() + retryAfterMs;
    this.#claims.requeue(id, retryAt);
  }

  async release(): Promise<void> {
    this.#claims.release();
  }

  async dropSome(which: Droppable, reasonFor: ReasonFor): Promise<boolean> {
    if (!this.#leased()) return false;
    if (which === "old") this.#claims.startOver();
    const before = this.#now() - this.#maxAgeMs;
    let more = false;
    await this.#writer.write(0, (table) => {
      const drops =
        which === "old" ? table.expire(before, reasonFor) : table.dropUnwanted(which, reasonFor);
      more = drops !== undefined;
      return drops;
    });
    if (which === "old" && !more) this.#file.read((table) => this.#claims.forgetGone(table));
    return more;
  }

  async reportDrops(): Promise<void> {
    if (!this.#leased()) return;
    await this.#writer.write(0, (table) => {
      table.reportDrops(this.#now());
    });
  }

  async close(): Promise<void> {
    const flushed = this.#writer.flush();
    this.#checkpoints.close();
    this.#file.close();
    this.#claims.release();
    await flushed;
  }

  /** Whether this id still means the claimed report: the file may have been replaced since. */
  #holds(id: number): boolean {
    return this.#claims.holds(id, this.#file.identity);
  }

  #leased(): boolean {
    try {
      return this.#claims.acquireLease();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }
}
