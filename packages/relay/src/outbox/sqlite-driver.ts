import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { Log } from "../log.ts";
import {
  type Dialect,
  type Driver,
  OutboxError,
  type Row,
  type Statement,
  type Value,
} from "./driver.ts";
import type { Result, Task, ThreadData } from "./sqlite-thread.ts";
import { setsOf, type TableSet } from "./tables.ts";

const dialect: Dialect = {
  engine: "sqlite",
  now: "cast(round(unixepoch('subsec') * 1000) as integer)",
  // A transaction is the only one that writes.
  skipLocked: "",
  forUpdate: "",
  types: {
    id: "integer primary key autoincrement",
    integer: "integer",
    real: "real",
    bytes: "blob",
  },
};

export interface SqliteOptions {
  file: string;
  tables: readonly TableSet[];
  log?: Log;
  /** How long the thread may work on one task before it counts as stuck. */
  maxSilenceMs?: number;
}

interface Pending {
  resolve(rows: Row[][]): void;
  reject(error: OutboxError): void;
}

const silenceParts = 5;
/** How long the thread may take to open the file: it may migrate its tables, or read all of it. */
const maxOpeningMs = 60_000;
/** How long a process that exits waits for the thread. */
const maxExitMs = 300;
const stuck = new OutboxError("busy", "The disk of the outbox doesn't answer.");

/**
 * A SQLite file, written by one thread: the waits of its transactions for the disk, and for other
 * processes, would block the event loop. The thread works off its tasks in their order. While it is
 * stuck, as on a disk that hangs, all tasks are refused and never run, but the one that it is in: nobody
 * waits for it, and none pile up.
 *
 * Source: https://www.sqlite.org/wal.html
 */
export class SqliteDriver implements Driver {
  readonly dialect = dialect;
  readonly me = randomUUID();
  damagedFiles = 0;
  readonly #options: SqliteOptions;
  #worker: Worker | undefined;
  /** How many tasks the thread has worked off, and how many it has got. Both may overflow. */
  #done = new Int32Array(new SharedArrayBuffer(4));
  #posted = 0;
  /** One number that tasks share with the thread: unless it is 0, they were refused. */
  #refused = new Int32Array(new SharedArrayBuffer(4));
  /** In the order of their tasks. */
  #pending: Pending[] = [];
  #silence: NodeJS.Timeout | undefined;
  #isStuck = false;
  #closed: Promise<unknown> | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  transaction(statements: readonly Statement[], stays = false): Promise<Row[][]> {
    return this.#ask(stays ? "append" : "transaction", statements);
  }

  async read<R extends object = Row>(statement: Statement): Promise<R[]> {
    const [rows] = await this.#ask("read", [statement]);
    return rows as R[];
  }

  /** @returns whether all has ended */
  flushNow(maxMs: number): boolean {
    const until = performance.now() + maxMs;
    for (;;) {
      const done = Atomics.load(this.#done, 0);
      const left = until - performance.now();
      if (((this.#posted - done) | 0) <= 0) return true;
      if (left <= 0 || this.#isStuck) return false;
      Atomics.wait(this.#done, 0, done, left);
    }
  }

  /** Node waits for its threads when it exits: for as long as the disk hangs. */
  readonly #exit = () => {
    if (!this.flushNow(maxExitMs)) process.kill(process.pid, "SIGKILL");
  };

  async close(): Promise<void> {
    this.#closed ??= this.#worker ? this.#ask("close").catch(() => {}) : Promise.resolve();
    await this.#closed;
  }

  /** The task is posted before this returns: `flushNow` waits for it. */
  #ask(kind: Task["kind"], statements: readonly Statement[] = []): Promise<Row[][]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new OutboxError("unwritable", "The outbox is closed.");
      if (this.#isStuck && kind !== "close") throw stuck;
      const worker = this.#worker ?? this.#start();
      // A Buffer may be a part of one that others use, and all of that would be sent.
      const buffers: ArrayBuffer[] = [];
      const ownBytes = (value: Value) => {
        if (!(value instanceof Uint8Array)) return value;
        const own = new Uint8Array(value);
        buffers.push(own.buffer);
        return own;
      };
      const own = statements.map(({ text, values }) => ({ text, values: values?.map(ownBytes) }));
      const task: Task = { kind, statements: own, refused: this.#refused };
      worker.postMessage(task, buffers);
      this.#posted = (this.#posted + 1) | 0;
      if (this.#pending.push({ resolve, reject }) === 1) this.#listen();
      if (this.#isStuck) reject(stuck);
      worker.ref();
    });
  }

  /** Waits for the next result. */
  #listen(maxSilenceMs = this.#options.maxSilenceMs ?? 5000): void {
    clearInterval(this.#silence);
    this.#isStuck = false;
    if (this.#pending.length === 0) return;
    // In parts: a process that was frozen, thread and all, gets only one of them when it goes on.
    let parts = silenceParts;
    this.#silence = setInterval(() => {
      if (--parts > 0) return;
      this.#isStuck = true;
      Atomics.store(this.#refused, 0, 1);
      this.#refused = new Int32Array(new SharedArrayBuffer(4));
      for (const { reject } of this.#pending) reject(stuck);
    }, maxSilenceMs / silenceParts);
  }

  #start(): Worker {
    const { file, tables } = this.#options;
    const workerData: ThreadData = { file, sets: setsOf(tables, dialect), done: this.#done };
    const worker = new Worker(new URL("./sqlite-thread.ts", import.meta.url), {
      workerData,
      // Node 22 warns of its SQLite.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    let cause: unknown;
    worker.on("message", (result: Result) => this.#result(result));
    worker.on("error", (error: unknown) => {
      cause = error;
    });
    worker.once("exit", () => this.#ended(cause));
    process.once("exit", this.#exit);
    this.#worker = worker;
    return worker;
  }

  #result({ rows = [], failure, log, opening, damagedFiles }: Result): void {
    if (opening) this.#listen(maxOpeningMs);
    if (log) this.#options.log?.(log.level, log.event, log.fields);
    this.damagedFiles = damagedFiles ?? this.damagedFiles;
    if (opening || log || damagedFiles !== undefined) return;
    const pending = this.#pending.shift();
    if (this.#pending.length === 0) this.#worker?.unref();
    this.#listen();
    if (!failure) pending?.resolve(rows);
    else {
      const cause = new Error(failure.cause);
      pending?.reject(new OutboxError(failure.fault, failure.message, { cause }));
    }
  }

  /** The next task starts a new thread. */
  #ended(cause: unknown): void {
    this.#worker = undefined;
    process.off("exit", this.#exit);
    this.#done = new Int32Array(new SharedArrayBuffer(4));
    this.#posted = 0;
    const error = new OutboxError("unwritable", "The outbox can't be used.", { cause });
    for (const { reject } of this.#pending.splice(0)) reject(error);
    this.#listen();
  }
}
