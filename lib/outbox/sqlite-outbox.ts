import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { Checkpoints } from "./checkpoints";
import { isBusy, isDamage, sqliteCode, writePatienceMs } from "./database";
import { DropLog } from "./drop-log";
import { GroupCommit } from "./group-commit";
import { Lease } from "./lease";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Origin,
  type Outbox,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "./outbox";
import { explain, OutboxFile, type OutboxOptions } from "./outbox-file";
import type { ReportTable } from "./report-table";

/** What goes into one transaction; the drops it causes are logged once it is on disk. */
type Task = (table: ReportTable, drops: Drops[]) => void;

interface Write {
  task: Task;
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

const lastDelivery = "last-delivery";
const lastDeliveryEveryMs = 1000;
/** How long a last write before the end of the process may block. */
const lastPatienceMs = 1000;

/**
 * The outbox on SQLite, in WAL mode. A promise resolves when the transaction is on disk, as it would
 * with `synchronous = FULL`; only that the wait for the disk is not spent inside of SQLite, where it
 * would stop everything else the process does.
 */
export class SqliteOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>;
  readonly #file: OutboxFile;
  readonly #lease: Lease;
  readonly #commits = new GroupCommit<Write>((writes, mayBlock) => this.#commit(writes, mayBlock));
  readonly #checkpoints: Checkpoints;
  readonly #dropLog: DropLog;
  readonly #listeners: (() => void)[] = [];
  #failure: OutboxError | undefined;
  #lastDelivery = 0;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = { now: Date.now, onOpen: () => {}, ...options };
    this.#file = new OutboxFile(this.#options);
    this.#lease = new Lease(`${options.file}.lease`);
    this.#checkpoints = new Checkpoints({
      file: options.file,
      log: options.log,
      hold: () => this.#commits.hold(),
      resume: () => this.#commits.resume(),
    });
    this.#dropLog = new DropLog(options.log);
  }

  append(envelope: Uint8Array, origin: Origin, details: AppendDetails = {}): Promise<void> {
    let { categories } = details;
    if (categories === undefined) {
      const read = readEnvelope(envelope);
      if ("fault" in read) return Promise.reject(new OutboxError("malformed", read.detail));
      categories = read.categories;
    }
    const known = { ...details, categories };
    const now = this.#options.now();
    return this.#write(envelope.length, (table, drops) => {
      drops.push(...table.append(envelope, origin, known, now));
      drops.push(...table.trim());
    });
  }

  flush(): void {
    this.#commits.flush();
    if (this.#commits.underWay) this.#sync(true);
  }

  claim(request: ClaimRequest): ClaimedReport[] {
    return this.lease() ? this.#read((table) => table.claim(request)) : [];
  }

  lease(): boolean {
    try {
      return this.#lease.acquire();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }

  release(): void {
    this.#lease.release();
  }

  settle(id: number, outcome: "delivered" | DropReason): Promise<void> {
    const now = this.#options.now();
    return this.#write(0, (table, drops) => {
      if (outcome === "delivered") {
        table.remove(id);
        if (now - this.#lastDelivery < lastDeliveryEveryMs) return;
        table.setNote(lastDelivery, String(now));
        this.#lastDelivery = now;
      } else {
        const report = table.find(id);
        if (report) drops.push(...table.giveUp([report], outcome));
      }
    });
  }

  async expire(limited: CategorySet): Promise<void> {
    const before = this.#options.now() - this.#options.bounds.maxAgeMs;
    const reason = (report: ClaimedReport): DropReason =>
      (report.categories & limited) !== 0 ? "ratelimit_backoff" : "network_error";
    for (let more = true; more; ) {
      await this.#write(0, (table, drops) => {
        const expired = table.expire(before, reason);
        more = expired !== undefined;
        drops.push(...(expired ?? []));
      });
    }
  }

  countDrops(given: Drops[]): Promise<void> {
    return this.#write(0, (table, drops) => {
      table.countDrops(given);
      drops.push(...given);
    });
  }

  reportDrops(): Promise<void> {
    return this.#write(0, (table) => {
      table.reportDrops(this.#options.now());
    });
  }

  list(range: { after: number; limit: number }): StoredReport[] {
    return this.#read((table) => table.list(range));
  }

  oldestId(): number | undefined {
    return this.#read((table) => table.oldest()?.id);
  }

  note(name: string): string | undefined {
    return this.#read((table) => table.note(name));
  }

  setNote(name: string, value: string): Promise<void> {
    return this.#write(0, (table) => table.setNote(name, value));
  }

  stats(): OutboxStats {
    this.#probe();
    try {
      return this.#read((table) => {
        const oldest = table.oldest();
        const delivered = Number(table.note(lastDelivery) ?? 0);
        return {
          writable: this.#failure === undefined,
          fault: this.#failure?.fault,
          waiting: table.count(),
          oldestAge: oldest && Math.max(0, this.#options.now() - oldest.receivedAt),
          lastDelivery: Math.max(delivered, this.#lastDelivery) || undefined,
          drops: table.drops(),
        };
      });
    } catch (error) {
      const fault = error instanceof OutboxError ? error.fault : "unwritable";
      const nothing = { oldestAge: undefined, lastDelivery: undefined, drops: [] };
      return { writable: false, fault, waiting: 0, ...nothing };
    }
  }

  drops(): Drops[] {
    return this.#read((table) => table.drops());
  }

  onAppend(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#checkpoints.close();
    this.#file.close();
    this.#lease.release();
  }

  #write(bytes: number, task: Task): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => {
        // Only here is it known that waiting for the other process was in vain.
        if (error instanceof OutboxError && error.fault === "busy") this.#failed(error);
        reject(error);
      };
      this.#commits.add({ bytes, task, resolve, reject: refuse });
    });
  }

  /** Runs the tasks in one transaction. One that finds no room is refused alone. */
  #commit(writes: Write[], mayBlock: boolean): Promise<void> | undefined {
    const drops: Drops[] = [];
    const refused = new Map<Write, OutboxError>();
    try {
      this.#transaction(mayBlock, (table) => {
        drops.length = 0;
        refused.clear();
        for (const write of writes) {
          try {
            write.task(table, drops);
          } catch (error) {
            if (!(error instanceof OutboxError)) throw error;
            refused.set(write, error);
          }
        }
      });
    } catch (cause) {
      const error = explain(cause);
      if (error.fault !== "busy") this.#failed(error);
      throw error;
    }
    this.#recovered();
    this.#checkpoints.wrote(
      writes.length,
      writes.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    for (const [write, error] of refused) write.reject(error);
    this.#dropLog.add(drops);
    // What only takes reports out may come undone: then they are delivered again.
    if (!writes.some((write) => write.bytes > 0 && !refused.has(write))) return undefined;
    for (const listener of this.#listeners) listener();
    return this.#sync(mayBlock);
  }

  #sync(mayBlock: boolean): Promise<void> | undefined {
    const fail = (cause: unknown) => {
      const error = new OutboxError("unwritable", "The disk can't be reached.", { cause });
      this.#failed(error);
      this.#file.letGo();
      return error;
    };
    if (!mayBlock) {
      return this.#file
        .disk()
        .sync()
        .catch((error) => {
          throw fail(error);
        });
    }
    try {
      this.#file.disk().syncNow();
      return undefined;
    } catch (error) {
      throw fail(error);
    }
  }

  #transaction(mayBlock: boolean, run: (table: ReportTable) => void): void {
    for (let tries = 1; ; tries++) {
      const table = this.#file.open("write");
      const { db } = table;
      try {
        if (mayBlock) db.pragma(`busy_timeout = ${lastPatienceMs}`);
        table.transaction(() => run(table));
        return;
      } catch (error) {
        // Damage, or a file without our tables: opening it again mends either.
        const mends = isDamage(error) || sqliteCode(error) === "SQLITE_ERROR";
        if (!isBusy(error) && sqliteCode(error) !== "SQLITE_FULL") this.#file.letGo();
        if (!mends || tries > 1) throw error;
      } finally {
        if (mayBlock && db.open) db.pragma(`busy_timeout = ${writePatienceMs}`);
      }
    }
  }

  #read<T>(query: (table: ReportTable) => T): T {
    try {
      return query(this.#file.open("read"));
    } catch (error) {
      if (sqliteCode(error) && !isBusy(error)) this.#file.letGo();
      throw explain(error);
    }
  }

  #failed(error: OutboxError): void {
    if (this.#failure?.fault !== error.fault) {
      const cause = error.cause ? String(error.cause) : undefined;
      this.#options.log("error", "outbox can't be written", { reason: error.message, cause });
    }
    this.#failure = error;
  }

  #recovered(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.#options.log("info", "outbox can be written again");
  }

  /** Finds out whether writing works while nothing else is being written. */
  #probe(): void {
    if (this.#failure) {
      // Its outcome shows in the next stats; a failure is logged where it is noted.
      this.setNote("probe", String(this.#options.now())).catch(() => {});
      return;
    }
    try {
      this.#file.open("write").transaction(() => {});
    } catch (error) {
      if (!isBusy(error)) this.#failed(explain(error));
    }
  }
}
