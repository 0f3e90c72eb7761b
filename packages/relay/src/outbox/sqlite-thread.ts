import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { LogLevel } from "../log.ts";
import type { Row, Statement } from "./driver.ts";
import {
  damaged,
  diskFull,
  type Failure,
  isBroken,
  isDamage,
  isSchemaFault,
  toFailure,
} from "./sqlite-faults.ts";
import { lock, Processes } from "./sqlite-processes.ts";
import {
  copyReadable,
  countDamaged,
  nextStepIn,
  renameDamaged,
  versionsOf,
} from "./sqlite-rescue.ts";
import { DiskSpace, makeFolder } from "./sqlite-space.ts";
import { busyMs, execute, forgetPrepared, inTransaction, patiently } from "./sqlite-statements.ts";
import { type EngineSet, setsAt, split } from "./tables.ts";

/*
 * The thread behind `SqliteDriver`: it runs one request after another on the file. The file is opened
 * at its first use, and again after an error or when the path names another file than the open one.
 * A damaged file is renamed, never deleted, and what can be read of it is copied into the new one.
 */

export interface ThreadData {
  file: string;
  /** See `Driver.me`. */
  me: string;
  sets: readonly EngineSet[];
  /** One number: how many requests have been worked off. */
  done: Int32Array;
}

export interface Request {
  /** `append` is a transaction that needs room to stay. `ended`: see `Driver.ended`. `exit`: the process does. */
  kind: "transaction" | "append" | "read" | "ended" | "exit" | "close";
  statements: readonly Statement[];
  /** One number: unless it is 0, who asked was told that this is not done. */
  refused: Int32Array;
}

/** One for each request, in their order, and those with anything below `failure` at any time. */
export interface Answer {
  rows?: Row[][];
  failure?: Failure;
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

const { file, me, sets, done }: ThreadData = workerData;
let open: { db: DatabaseSync; identity: string | undefined } | undefined;
let lastFailure: { failure: Failure; at: number } | undefined;
/** Whether damage was met since all of the file was last read. */
let isSuspect = false;
const space = new DiskSpace(file);
const processes = new Processes(file, me);

parentPort?.on("message", (request: Request) => {
  const answer: Answer = {};
  try {
    if (request.kind === "close") letGo();
    else if (request.kind === "exit") processes.exit();
    else if (Atomics.load(request.refused, 0) === 0) answer.rows = run(request);
  } catch (error) {
    answer.failure = error as Failure;
  }
  Atomics.add(done, 0, 1);
  Atomics.notify(done, 0);
  parentPort?.postMessage(answer, buffersOf(answer.rows));
  if (request.kind === "close") parentPort?.close();
});

/** They are given away, not copied. */
function buffersOf(rows: Row[][] = []): ArrayBuffer[] {
  const values = rows.flat().flatMap((row) => Object.values(row));
  return values.flatMap((value) =>
    value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
  );
}

/** @throws {Failure} */
function run({ kind, statements }: Request): Row[][] {
  let mayBeOld = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const db = current();
      if (mayBeOld) migrate(db);
      const runAll = () => statements.map((statement) => execute(db, statement));
      if (kind === "ended") return [processes.ended().map((id) => ({ id }))];
      if (kind === "read") return patiently(runAll);
      space.keepReserve();
      if (kind === "append") checkSpace();
      return inTransaction(db, runAll);
    } catch (error) {
      // A newer server may have changed the tables: then `migrate` says so.
      mayBeOld = attempt === 1 && isSchemaFault(error);
      if (mayBeOld) continue;
      let failure = toFailure(error);
      const isKnown = failure === lastFailure?.failure;
      // SQLite takes a quota that is used up for a disk that fails.
      if (isBroken(error) && !isKnown && space.isFull()) {
        failure = { ...diskFull, cause: failure.cause };
      }
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
      lastFailure = { failure, at: performance.now() };
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
  if (lastFailure && performance.now() - lastFailure.at < reopenMs) throw lastFailure.failure;
  parentPort?.postMessage({ opening: true } satisfies Answer);
  open = { db: openOrReplace(), identity: fileIdentity() };
  processes.enter();
  lastFailure = undefined;
  parentPort?.postMessage({ damagedFiles: countDamaged(file) } satisfies Answer);
  return open.db;
}

function letGo(): void {
  forgetPrepared();
  if (!open) return;
  open.db.close();
  processes.leave();
  open = undefined;
}

/** @throws {Failure} */
function checkSpace(): void {
  const message = space.refusal();
  if (message) throw { fault: "full", message, cause: message } satisfies Failure;
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

/** @returns undefined where there can be no such file, as on a full disk */
function opening(how: "exclusive" | "shared"): DatabaseSync | undefined {
  try {
    return patiently(() => lock(`${file}.opening`, how));
  } catch (error) {
    if (toFailure(error).fault === "busy") throw error;
    return undefined;
  }
}

/** All of the file is read where it may not be whole: on a slow disk that takes minutes. */
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
    if (isSuspect || processes.wereKilled()) {
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
    const { message, cause } = toFailure(error);
    log("error", "outbox tables not migrated", { reason: message, cause });
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
  parentPort?.postMessage({ log: { level, event, fields } } satisfies Answer);
}
