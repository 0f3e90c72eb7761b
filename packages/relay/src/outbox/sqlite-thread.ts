import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { LogLevel } from "../log.ts";
import type { OutboxError, OutboxFault, Row, Statement } from "./driver.ts";
import {
  copyReadable,
  countDamaged,
  nextStepIn,
  renameDamaged,
  versionsOf,
} from "./sqlite-rescue.ts";
import { DiskSpace, makeFolder } from "./sqlite-space.ts";
import {
  busyMs,
  damaged,
  diskFull,
  execute,
  forgetPrepared,
  inTransaction,
  isBroken,
  isDamage,
  isSchemaFault,
  patiently,
  toOutboxError,
} from "./sqlite-statements.ts";
import { type EngineSet, setsAt, split } from "./tables.ts";

/*
 * The thread behind `SqliteDriver`: it runs one task after another on the file. The file is opened
 * at its first use, and again after an error or when the path names another file than the open one.
 * A damaged file is renamed, never deleted, and what can be read of it is copied into the new one.
 */

export interface ThreadData {
  file: string;
  sets: readonly EngineSet[];
  /** One number: how many tasks have been worked off. */
  done: Int32Array;
}

export interface Task {
  /** `append` is a transaction that needs room to stay. */
  kind: "transaction" | "append" | "read" | "close";
  statements: readonly Statement[];
  /** One number: unless it is 0, who asked was told that this is not done. */
  refused: Int32Array;
}

/** One for each task, in their order, and those with anything below `failure` at any time. */
export interface Result {
  rows?: Row[][];
  failure?: { fault: OutboxFault; message: string; cause: string };
  log?: { level: LogLevel; event: string; fields: Record<string, string | number> };
  /** The file is about to be opened, which takes longer than anything else. */
  opening?: true;
  /** See `Driver.damagedFiles`. */
  damagedFiles?: number;
}

/** SQLite cuts a longer `-wal` down to this when it starts it from its beginning. */
const maxIdleWalBytes = 32 * 1024 * 1024;
/** Minimum time between two attempts to open a file that can't be opened or written. */
const reopenMs = 1000;

const { file, sets, done }: ThreadData = workerData;
let open: { db: DatabaseSync; identity: string | undefined } | undefined;
let lastFailure: { error: OutboxError; at: number } | undefined;
/** Whether damage was met since all of the file was last read. */
let isSuspect = false;
const space = new DiskSpace(file);

parentPort?.on("message", (task: Task) => {
  const result: Result = {};
  try {
    if (task.kind === "close") letGo();
    else if (Atomics.load(task.refused, 0) === 0) result.rows = run(task);
  } catch (error) {
    const { fault, message, cause = message } = error as OutboxError;
    result.failure = { fault, message, cause: String(cause) };
  }
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
  parentPort?.postMessage(result, buffersOf(result.rows));
  if (task.kind === "close") parentPort?.close();
});

/** They are given away, not copied. */
function buffersOf(rows: Row[][] = []): ArrayBuffer[] {
  const values = rows.flat().flatMap((row) => Object.values(row));
  return values.flatMap((value) =>
    value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
  );
}

/** @throws {OutboxError} */
function run({ kind, statements }: Task): Row[][] {
  let mayBeOld = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const db = current();
      if (mayBeOld) migrate(db);
      const runAll = () => statements.map((statement) => execute(db, statement));
      if (kind === "read") return patiently(runAll);
      space.keepReserve();
      if (kind === "append") space.check();
      return inTransaction(db, runAll);
    } catch (error) {
      // A newer server may have changed the tables: then `migrate` says so.
      mayBeOld = attempt === 1 && isSchemaFault(error);
      if (mayBeOld) continue;
      let failure = toOutboxError(error);
      const isKnown = failure === lastFailure?.error;
      // SQLite takes a quota that is used up for a disk that fails.
      if (isBroken(error) && !isKnown && space.isFull()) failure = diskFull(error);
      if (kind !== "append" && space.giveUpReserve(failure.fault === "full")) {
        log("error", "outbox reserve given up", { reason: "Others have filled the disk." });
        letGo();
        continue;
      }
      const isUsable = open && !isBroken(error);
      if (isUsable || isKnown || failure.fault === "busy") throw failure;
      letGo();
      if (isDamage(error)) {
        isSuspect = true;
        // Opening it again renames it.
        if (attempt === 1) continue;
      }
      lastFailure = { error: failure, at: performance.now() };
      throw failure;
    }
  }
}

/** After the path was deleted or replaced, no other process would read what is written here. */
function current(): DatabaseSync {
  if (open && fileIdentity() !== open.identity) {
    log("error", "outbox file replaced", { file });
    letGo();
  }
  if (open) return open.db;
  if (lastFailure && performance.now() - lastFailure.at < reopenMs) throw lastFailure.error;
  parentPort?.postMessage({ opening: true } satisfies Result);
  open = { db: openOrReplace(), identity: fileIdentity() };
  lastFailure = undefined;
  parentPort?.postMessage({ damagedFiles: countDamaged(file) } satisfies Result);
  return open.db;
}

function letGo(): void {
  forgetPrepared();
  if (!open) return;
  open.db.close();
  open = undefined;
}

/**
 * Processes that open the file share a lock, and one that replaces it has it for itself: SQLite takes what lies
 * beside a file by its name, and would delete or mix up that of another.
 */
function openOrReplace(): DatabaseSync {
  makeFolder(dirname(file), 0o700);
  const shared = opening("shared");
  const identity = fileIdentity();
  let cause: unknown;
  try {
    return openFile();
  } catch (error) {
    if (!isDamage(error)) throw error;
    cause = error;
  } finally {
    shared?.close();
  }
  const own = opening("exclusive");
  try {
    // Another process may have replaced it meanwhile.
    if (identity !== fileIdentity()) return openFile();
    const renamedTo = renameDamaged(file);
    const db = openFile(setsAt(sets, versionsOf(renamedTo)));
    const kept = rescue(renamedTo, db);
    log("error", "outbox file damaged", { cause: String(cause), renamedTo, ...kept });
    forgetPrepared();
    db.close();
    return openFile();
  } finally {
    own?.close();
  }
}

/** @returns undefined where there can be no such file, as on a full disk @throws if others have it for too long */
function opening(how: "exclusive" | "shared"): DatabaseSync | undefined {
  try {
    return patiently(() => lock(`${file}.opening`, how));
  } catch (error) {
    if (toOutboxError(error).fault === "busy") throw error;
    return undefined;
  }
}

/** Locks a file, which is made if it is missing, until what is returned is closed. */
function lock(path: string, how: "exclusive" | "shared"): DatabaseSync {
  // SQLite itself would make it as the process's umask says.
  closeSync(openSync(path, "a", 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Without a journal, which would be one more file.
    db.exec("pragma journal_mode = memory");
    db.exec(how === "exclusive" ? "begin exclusive" : "begin; select 1 from sqlite_master");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** All of the file is read where damage was met: on a slow disk that takes minutes. */
function openFile(its = sets): DatabaseSync {
  createPrivately();
  const db = new DatabaseSync(file);
  try {
    // Nodes before 22.16 know no option for it.
    db.exec(`pragma busy_timeout = ${busyMs}`);
    const turned = patiently(() => db.prepare("pragma journal_mode = wal").get());
    const mode = turned?.journal_mode;
    if (mode !== "wal") throw new Error(`Expected a file system for WAL, got mode ${mode}.`);
    db.exec(`pragma synchronous = full; pragma journal_size_limit = ${maxIdleWalBytes}`);
    // One that must not be used is not looked at any further.
    nextStepIn(db, its);
    if (isSuspect) {
      const verdict = db.prepare("pragma quick_check(1)").get()?.quick_check;
      if (verdict !== "ok") throw damaged(String(verdict));
      isSuspect = false;
    }
    migrate(db, its);
    // From now on, `patiently` waits.
    db.exec("pragma busy_timeout = 0");
    return db;
  } catch (error) {
    forgetPrepared();
    db.close();
    throw error;
  }
}

/** Creates the tables that are missing, and brings the others to the newest version. */
function migrate(db: DatabaseSync, its = sets): void {
  const { needed, optional } = split(its);
  migrateAll(db, needed);
  try {
    migrateAll(db, optional);
  } catch (error) {
    if (isDamage(error)) throw error;
    const { message, cause = message } = toOutboxError(error);
    log("error", "outbox tables not migrated", { reason: message, cause: String(cause) });
  }
}

function migrateAll(db: DatabaseSync, its: readonly EngineSet[]): void {
  const created = new Set<string>();
  while (nextStepIn(db, its)) {
    const done = inTransaction(db, () => {
      // Another process may have done it meanwhile.
      const step = nextStepIn(db, its);
      for (const statement of step?.statements ?? []) execute(db, statement);
      return step;
    });
    if (!done) continue;
    const { name, from, to } = done;
    if (from === undefined) created.add(name);
    else if (!created.has(name)) log("info", "outbox tables migrated", { tables: name, from, to });
  }
}

/**
 * Only this user may read the file: SQLite would let everybody. Its `-wal` and `-shm` get the same mode.
 * One that is there is not even opened: closing it would end SQLite's locks.
 */
function createPrivately(): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** What can be read of a damaged file goes on in the new one, the reports that wait first. */
function rescue(renamedTo: string, db: DatabaseSync): Record<string, string | number> {
  try {
    return { rowsKept: patiently(() => copyReadable(renamedTo, db)) };
  } catch (error) {
    return { rowsKept: 0, notRead: String(error) };
  }
}

/** @returns which file the path names, if any; changes when it is replaced */
function fileIdentity(): string | undefined {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (error) {
    // ENOTDIR: a file took the place of the folder.
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function log(level: LogLevel, event: string, fields: Record<string, string | number>): void {
  parentPort?.postMessage({ log: { level, event, fields } } satisfies Result);
}
