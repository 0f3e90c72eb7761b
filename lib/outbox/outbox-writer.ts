import type { Drops } from "@/lib/envelope/client-report";
import { Checkpoints } from "./checkpoints";
import { isBusy, isDamage, sqliteCode, writePatienceMs } from "./database";
import { DropLog } from "./drop-log";
import { GroupCommit } from "./group-commit";
import { OutboxError } from "./outbox";
import { explain, type OutboxFile, type OutboxOptions } from "./outbox-file";
import type { ReportTable } from "./report-table";

/** What goes into one transaction; the drops it causes are logged once it is on disk. */
type Task = (table: ReportTable, drops: Drops[]) => void;

interface Write {
  task: Task;
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** How long a last write before the end of the process may block. */
const lastPatienceMs = 1000;

/** As much as some reports: where it finds room, they will. */
const reportsWorth = "x".repeat(32 * 1024);

/** Writes to the outbox's file, many at once, and knows whether that works. */
export class OutboxWriter {
  readonly #commits = new GroupCommit<Write>((writes, mayBlock) => this.#commit(writes, mayBlock));
  readonly #checkpoints: Checkpoints;
  readonly #dropLog: DropLog;
  readonly #listeners: (() => void)[] = [];
  #failure: OutboxError | undefined;

  constructor(
    private readonly file: OutboxFile,
    private readonly options: Required<OutboxOptions>,
  ) {
    this.#checkpoints = new Checkpoints({
      file: options.file,
      log: options.log,
      hold: () => this.#commits.hold(),
      resume: () => this.#commits.resume(),
    });
    this.#dropLog = new DropLog(options.log);
  }

  /** Why the last write failed; nothing where it went well. */
  get failure(): OutboxError | undefined {
    return this.#failure;
  }

  /**
   * Resolves once what the task has written is on disk; what only takes reports out may come undone.
   *
   * @param bytes of the report that it appends, 0 for none
   * @throws {OutboxError}
   */
  write(bytes: number, task: Task): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => {
        // Only here is it known that waiting for the other process was in vain.
        if (error instanceof OutboxError && error.fault === "busy") this.#failed(error);
        reject(error);
      };
      this.#commits.add({ bytes, task, resolve, reject: refuse });
    });
  }

  /** Puts on disk what is still being written, before it returns. */
  flush(): void {
    this.#commits.flush();
    if (this.#commits.underWay) this.#sync(true);
  }

  /** Finds out whether writing works while nothing else is being written. */
  probe(): void {
    if (this.#failure) {
      // Its outcome shows in the next stats; a failure is logged where it is noted.
      this.#tryRoom().catch(() => {});
      return;
    }
    try {
      this.file.open("write").transaction(() => {});
    } catch (error) {
      if (!isBusy(error)) this.#failed(explain(error));
    }
  }

  async #tryRoom(): Promise<void> {
    await this.write(reportsWorth.length, (table) => table.setNote("probe", reportsWorth));
    await this.write(0, (table) => table.setNote("probe", ""));
  }

  onAppend(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Carries nothing over any more. */
  close(): void {
    this.#checkpoints.close();
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
    // What only takes reports out may come undone: then they are delivered again.
    const keeps = writes.some((write) => write.bytes > 0 && !refused.has(write));
    // On a full disk there may be room for a line and none for a report.
    if (keeps || this.#failure?.fault !== "full") this.#recovered();
    this.#checkpoints.wrote(
      writes.length,
      writes.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    for (const [write, error] of refused) write.reject(error);
    this.#dropLog.add(drops);
    if (!keeps) return undefined;
    for (const listener of this.#listeners) listener();
    return this.#sync(mayBlock);
  }

  #sync(mayBlock: boolean): Promise<void> | undefined {
    const fail = (cause: unknown) => {
      const error = new OutboxError("unwritable", "The disk can't be reached.", { cause });
      this.#failed(error);
      this.file.letGo();
      return error;
    };
    if (!mayBlock) {
      return this.file
        .disk()
        .sync()
        .catch((error) => {
          throw fail(error);
        });
    }
    try {
      this.file.disk().syncNow();
      return undefined;
    } catch (error) {
      throw fail(error);
    }
  }

  #transaction(mayBlock: boolean, run: (table: ReportTable) => void): void {
    for (let tries = 1; ; tries++) {
      const table = this.file.open("write");
      const { db } = table;
      try {
        if (mayBlock) db.pragma(`busy_timeout = ${lastPatienceMs}`);
        table.transaction(() => run(table));
        return;
      } catch (error) {
        // Damage, or a file without our tables: opening it again mends either.
        const mends = isDamage(error) || sqliteCode(error) === "SQLITE_ERROR";
        if (!isBusy(error) && sqliteCode(error) !== "SQLITE_FULL") this.file.letGo();
        if (!mends || tries > 1) throw error;
      } finally {
        if (mayBlock && db.open) db.pragma(`busy_timeout = ${writePatienceMs}`);
      }
    }
  }

  #failed(error: OutboxError): void {
    if (this.#failure?.fault !== error.fault) {
      const cause = error.cause ? String(error.cause) : undefined;
      this.options.log("error", "outbox can't be written", { reason: error.message, cause });
    }
    this.#failure = error;
  }

  #recovered(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.options.log("info", "outbox can be written again");
  }
}
