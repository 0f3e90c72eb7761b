import { setTimeout as delay } from "node:timers/promises";
import type { Priority } from "@/lib/envelope/categories";
import type { Drops } from "@/lib/envelope/client-report";
import { DropLog } from "../drop-log";
import { GroupCommit } from "../group-commit";
import { isOutboxError, type Log, OutboxError } from "../outbox";
import { type PendingWrite, settleAll } from "../pending-writes";
import { noteStatement, probeValue } from "../store";
import { WriteHealth } from "../write-health";
import type { Checkpoints } from "./checkpoints";
import type { OutboxFile } from "./outbox-file";
import type { ReportTable } from "./report-table";
import { isDataFault } from "./sqlite-faults";
import { runStatement } from "./sqlite-rows";

/** What a write does inside the transaction. It returns the drops it causes, to be logged. */
export type Change = (table: ReportTable) => readonly Drops[] | undefined;

interface Write extends PendingWrite {
  change: Change;
}

/** The writes that can't be done for what they hold, or find no room. */
type Refused = Map<Write, OutboxError>;

/** See `GroupCommitOptions`. */
const loadedIntervalMs = 15;
/** How long a write waits for another process that blocks the file. */
const busyMs = 2000;
const busyRetryMs = 10;

/**
 * - `busy`: another process blocks the file, and the writes may be tried again
 * - `committed`: the writes are settled once they are on disk
 * - `settled`: nothing is left to do
 */
type Outcome = "busy" | "committed" | "settled";

/**
 * Writes to the outbox's file by group commit: a group is one transaction, and one sync to disk.
 * Nothing blocks the event loop meanwhile.
 */
export class Writer {
  readonly #dropLog: DropLog;
  /** Whether writing works. */
  readonly health: WriteHealth;
  readonly #group = new GroupCommit<Write>({
    run: (writes) => this.#run(writes),
    loadedIntervalMs,
    onFull: (error) => this.health.fail(error),
  });
  /** What the running group has not committed yet. */
  #uncommitted: Write[] = [];
  /** A transaction is committed and not on disk yet. */
  #syncing = false;

  constructor(
    private readonly file: OutboxFile,
    private readonly checkpoints: Checkpoints,
    log: Log,
  ) {
    this.#dropLog = new DropLog(log);
    this.health = new WriteHealth(log);
  }

  /**
   * Resolves once the change is on disk. One that appends nothing (0 bytes) resolves earlier: a
   * crash of the machine may undo it.
   *
   * @param bytes size of the report that it appends
   * @param priority of that report: while too many wait, those of low priority make room
   * @throws {OutboxError}
   */
  write(bytes: number, change: Change, priority: Priority = "high"): Promise<void> {
    return this.#group.write({ change, bytes, priority });
  }

  /**
   * Writes everything to disk before it returns, unless another process blocks the file.
   *
   * @returns resolves once all pending writes have resolved or were rejected
   */
  flush(): Promise<void> {
    // The writes of an earlier transaction wait for its own sync, and report if that fails.
    if (this.#syncing) this.#syncNow();
    const writes = [...this.#uncommitted, ...this.#group.pending];
    const outcome = this.#commit(writes, true);
    if (outcome !== "busy") {
      this.#uncommitted = [];
      this.#group.pending.take();
    }
    if (outcome === "committed") settleAll(writes, this.#syncNow());
    return this.#group.flush();
  }

  /** Finds out whether writing works, for times when nothing else writes. */
  probe(): void {
    if (this.health.failure) {
      // The next probe sees the result; a failure is logged.
      this.#probeRoom().catch(() => {});
      return;
    }
    try {
      this.file.transaction(() => {});
    } catch (error) {
      // Only the writer knows whether waiting for the other process is hopeless.
      if ((error as OutboxError).fault !== "busy") this.health.fail(error as OutboxError);
    }
  }

  async #probeRoom(): Promise<void> {
    await this.write(probeValue.length, (table) => {
      table.rehearseAppend(Buffer.from(probeValue));
      runStatement(table.db, noteStatement("probe", probeValue));
    });
    await this.write(0, ({ db }) => {
      runStatement(db, noteStatement("probe", ""));
    });
  }

  async #run(writes: Write[]): Promise<void> {
    this.#uncommitted = writes;
    await this.checkpoints.finish();
    const busyUntil = performance.now() + busyMs;
    // While this waits, `flush` may commit them.
    while (this.#uncommitted === writes) {
      const outcome = this.#commit(writes, false, performance.now() < busyUntil);
      if (outcome === "busy") {
        await delay(busyRetryMs * (0.5 + Math.random()));
        continue;
      }
      this.#uncommitted = [];
      if (outcome === "committed") settleAll(writes, await this.#sync());
    }
  }

  #commit(writes: readonly Write[], mayBlock: boolean, mayRetry = true): Outcome {
    if (writes.length === 0) return "settled";
    let refused: Refused;
    try {
      refused = this.#transact(writes, mayBlock);
    } catch (error) {
      const failure = error as OutboxError;
      if (failure.fault === "busy" && mayRetry) return "busy";
      settleAll(writes, this.health.fail(failure));
      return "settled";
    }
    for (const [write, error] of refused) {
      if (error.fault === "malformed") this.health.setAside(error.message, error.cause);
      write.reject(error);
    }
    const bytes = writes.reduce((sum, write) => sum + write.bytes, 0);
    if (this.checkpoints.isDue(writes.length, bytes)) void this.#checkpoint();
    if (writes.some((write) => write.bytes > 0 && !refused.has(write))) return "committed";
    // If a crash undoes what only removes reports, they are delivered again.
    settleAll(writes);
    return "settled";
  }

  /**
   * @param apply with `applyApart` each write may fail alone, at the cost of two more statements each
   * @throws {OutboxError} if none was written
   */
  #transact(writes: readonly Write[], mayBlock: boolean, apply = applyChange): Refused {
    const drops: Drops[] = [];
    const refused: Refused = new Map();
    try {
      this.file.transaction((table) => {
        drops.length = 0;
        refused.clear();
        for (const write of writes) apply(write, table, drops, refused);
      }, mayBlock);
    } catch (error) {
      const mayBeOne = apply === applyChange && isDataFault((error as OutboxError).cause);
      if (mayBeOne) return this.#transact(writes, mayBlock, applyApart);
      throw error;
    }
    this.#dropLog.add(drops);
    return refused;
  }

  /** The next group ends it. As there may be none for long, an empty one does. */
  async #checkpoint(): Promise<void> {
    if (!(await this.checkpoints.copy())) return;
    // A failure is logged as any other of writing.
    await this.write(0, () => undefined).catch(() => {});
  }

  /**
   * Meanwhile the next writes gather. Only once a report is on disk, the outbox can be written: where
   * a row can be written, there may still be no way to store a report, or to keep it.
   *
   * @returns why it failed
   */
  async #sync(): Promise<OutboxError | undefined> {
    this.#syncing = true;
    try {
      await this.file.sync();
      this.health.recover();
      return undefined;
    } catch (error) {
      return this.health.fail(error as OutboxError);
    } finally {
      this.#syncing = false;
    }
  }

  /** The same, before it returns. @returns why it failed */
  #syncNow(): OutboxError | undefined {
    try {
      this.file.syncNow();
      this.health.recover();
      return undefined;
    } catch (error) {
      return this.health.fail(error as OutboxError);
    }
  }
}

/** A write that finds no room is refused alone; after any other error the transaction must end. */
function applyChange(write: Write, table: ReportTable, drops: Drops[], refused: Refused): void {
  try {
    const caused = write.change(table);
    if (caused) drops.push(...caused);
  } catch (error) {
    if (!isOutboxError(error)) throw error;
    refused.set(write, error);
  }
}

/**
 * The same, but a write that fails for what it holds is undone and refused alone too. Where no report
 * can be stored at all, the fault is the outbox's.
 */
function applyApart(write: Write, table: ReportTable, drops: Drops[], refused: Refused): void {
  try {
    table.savepoint(() => applyChange(write, table, drops, refused));
  } catch (cause) {
    if (!isDataFault(cause)) throw cause;
    if (write.bytes > 0) table.rehearseAppend();
    refused.set(write, new OutboxError("malformed", "The report can't be stored.", { cause }));
  }
}
