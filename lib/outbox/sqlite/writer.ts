import type { Priority } from "@/lib/envelope/categories";
import type { Drops } from "@/lib/envelope/client-report";
import { DropLog } from "../drop-log";
import { isOutboxError, type Log, OutboxError } from "../outbox";
import { type PendingWrite, PendingWrites, settleAll } from "../pending-writes";
import { StartTimer } from "../start-timer";
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

/** Minimum time between the starts of two transactions. */
const intervalMs = 5;
/** The same while several reports arrive in between, so that more of them share a transaction. */
const loadedIntervalMs = 15;
/** How long a write waits for another process that blocks the file. */
const busyMs = 2000;
const busyRetryMs = 10;

/** Pages written between two checkpoints. */
const checkpointPages = 2000;
/** Pages that a transaction writes beside its reports: inner nodes, the index. */
const transactionPages = 4;
const pageBytes = 4096;

/**
 * Writes to the outbox's file by group commit. A single write is committed at once; under load, all
 * writes since the last transaction share the next one, and one sync to disk. Nothing blocks the
 * event loop meanwhile.
 */
export class Writer {
  readonly #dropLog: DropLog;
  /** Whether writing works. */
  readonly health: WriteHealth;
  readonly #pending = new PendingWrites<Write>((error) => this.health.fail(error));
  readonly #timer = new StartTimer(() => this.#commit(false));
  #lastStart = 0;
  #interval = intervalMs;
  #busySince: number | undefined;
  /** A transaction is committed and not on disk yet. */
  #syncing = false;
  /** The end of a checkpoint needs a moment in which nobody writes. */
  #held = false;
  #checkpointing = false;
  #pagesSinceCheckpoint = 0;

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
    return new Promise((resolve, reject) => {
      this.#pending.add({ change, bytes, priority, resolve, reject });
      const interval = bytes > 0 ? this.#interval : Math.max(this.#interval, loadedIntervalMs);
      this.#schedule(this.#lastStart + interval);
    });
  }

  /**
   * Writes everything to disk before it returns, unless another process blocks the file.
   *
   * @returns resolves once all pending writes have resolved or were rejected
   */
  flush(): Promise<void> {
    const settled =
      this.#pending.size > 0 ? this.write(0, () => undefined).catch(() => {}) : Promise.resolve();
    this.#timer.cancel();
    // The writes of an earlier transaction wait for its own sync, and report if that fails.
    if (this.#syncing) this.#syncNow();
    this.#commit(true);
    return settled;
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

  /** Does nothing while a sync or a checkpoint holds writes back: both schedule when they end. */
  #schedule(at: number): void {
    if (!this.#syncing && !this.#held) this.#timer.plan(at);
  }

  /** @param apart whether each write may fail alone, at the cost of two more statements for each */
  #commit(mayBlock: boolean, apart = false): void {
    if (this.#pending.size === 0) return;
    const start = performance.now();
    const drops: Drops[] = [];
    const refused = new Map<Write, OutboxError>();
    const apply = apart ? applyApart : applyChange;
    try {
      this.file.transaction((table) => {
        drops.length = 0;
        refused.clear();
        for (const write of this.#pending) apply(write, table, drops, refused);
      }, mayBlock);
    } catch (error) {
      const failure = error as OutboxError;
      if (!apart && isDataFault(failure.cause)) this.#commit(mayBlock, true);
      else this.#commitFailed(failure, start);
      return;
    }
    const writes = this.#takePending(start);
    for (const [write, error] of refused) {
      if (error.fault === "malformed") this.health.setAside(error.message, error.cause);
      write.reject(error);
    }
    this.#dropLog.add(drops);
    const appends = writes.some((write) => write.bytes > 0 && !refused.has(write));
    // Where a row can be written, there may still be no way to store a report.
    if (appends) this.health.recover();
    this.#countPages(writes);
    // If a crash undoes what only removes reports, they are delivered again.
    if (!appends) settleAll(writes);
    else if (mayBlock) settleAll(writes, this.#syncNow());
    else void this.#sync(writes);
  }

  #commitFailed(error: OutboxError, start: number): void {
    this.#busySince ??= start;
    if (error.fault === "busy" && start - this.#busySince < busyMs) {
      this.#schedule(start + busyRetryMs * (0.5 + Math.random()));
      return;
    }
    this.health.fail(error);
    settleAll(this.#takePending(start), error);
  }

  #takePending(start: number): Write[] {
    const writes = this.#pending.take();
    const loaded = writes.filter(({ bytes }) => bytes > 0).length > 1;
    this.#interval = loaded ? loadedIntervalMs : intervalMs;
    this.#busySince = undefined;
    this.#lastStart = start;
    return writes;
  }

  /** Meanwhile the next writes gather. */
  async #sync(writes: Write[]): Promise<void> {
    this.#syncing = true;
    let failure: OutboxError | undefined;
    try {
      await this.file.sync();
    } catch (error) {
      failure = this.health.fail(error as OutboxError);
    }
    this.#syncing = false;
    settleAll(writes, failure);
    this.#resume();
  }

  /** @returns why it failed */
  #syncNow(): OutboxError | undefined {
    try {
      this.file.syncNow();
      return undefined;
    } catch (error) {
      return this.health.fail(error as OutboxError);
    }
  }

  #resume(): void {
    if (this.#pending.size > 0) this.#schedule(this.#lastStart + this.#interval);
  }

  #countPages(writes: Write[]): void {
    const bytes = writes.reduce((sum, write) => sum + write.bytes, 0);
    this.#pagesSinceCheckpoint += transactionPages + writes.length + bytes / pageBytes;
    if (this.#pagesSinceCheckpoint < checkpointPages || this.#checkpointing) return;
    this.#pagesSinceCheckpoint = 0;
    void this.#checkpoint();
  }

  /**
   * SQLite restarts its `-wal` only once all of it is copied, which constant writing would prevent:
   * the `-wal` would grow for ever. So most is copied beside the writing, and writes wait for the rest.
   */
  async #checkpoint(): Promise<void> {
    this.#checkpointing = true;
    if (await this.checkpoints.run("copy")) {
      this.#held = true;
      this.#timer.cancel();
      await this.checkpoints.run("restart");
      this.#held = false;
      this.#resume();
    }
    this.#checkpointing = false;
  }
}

/** A write that finds no room is refused alone; after any other error the transaction must end. */
function applyChange(
  write: Write,
  table: ReportTable,
  drops: Drops[],
  refused: Map<Write, OutboxError>,
): void {
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
function applyApart(
  write: Write,
  table: ReportTable,
  drops: Drops[],
  refused: Map<Write, OutboxError>,
): void {
  try {
    table.savepoint(() => applyChange(write, table, drops, refused));
  } catch (cause) {
    if (!isDataFault(cause)) throw cause;
    if (write.bytes > 0) table.rehearseAppend();
    refused.set(write, new OutboxError("malformed", "The report can't be stored.", { cause }));
  }
}
