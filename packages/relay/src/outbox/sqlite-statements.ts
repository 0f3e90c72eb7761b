import { constants } from "node:os";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  isOutboxError,
  OutboxError,
  type OutboxFault,
  type Row,
  type Statement,
  type Value,
} from "./driver.ts";
import { withTableNames } from "./tables.ts";

/** How long a transaction waits for those of other processes, and the longest time between two attempts. */
export const busyMs = 2000;
const attemptMs = 5;
/** The statements kept for the next use, and the longest of them in characters. */
const maxPrepared = 200;
const maxPreparedLength = 8000;

interface Prepared {
  statement: StatementSync;
  /** Which value stands for each `?`. */
  order: number[];
}

const prepared = new Map<string, Prepared>();

/** Where another database is opened. */
export function forgetPrepared(): void {
  prepared.clear();
}

/**
 * Waits while other processes have the file. SQLite itself would look every 100 ms, when others have it
 * again, and not wait at all where two turn a new file to WAL.
 *
 * @param run what changes nothing where the file is not to be had
 */
export function patiently<T>(run: () => T): T {
  const until = performance.now() + busyMs;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (toOutboxError(error).fault !== "busy" || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * attemptMs);
    }
  }
}

export function inTransaction<T>(db: DatabaseSync, run: () => T): T {
  patiently(() => db.exec("begin immediate"));
  try {
    const result = run();
    db.exec("commit");
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

export function execute(db: DatabaseSync, { text, values = [] }: Statement): Row[] {
  const { statement, order } = prepare(db, text);
  return statement.all(...order.map((index) => bound(values[index]))) as Row[];
}

/** Bytes without memory of their own, as those from another thread: Node 22 binds such as null. */
const noBytes = new Uint8Array(1).subarray(1);

/** Node binds each number as a real one, which divides otherwise. */
function bound(value: Value = null): Value | bigint {
  if (value instanceof Uint8Array && value.length === 0) return noBytes;
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** Parameters lose their names: SQLite would look for thousands of them one after the other. */
function prepare(db: DatabaseSync, text: string): Prepared {
  const known = prepared.get(text);
  if (known) return known;
  const order: number[] = [];
  const sql = withTableNames(text).replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return "?";
  });
  const made = { statement: db.prepare(sql), order };
  if (prepared.size >= maxPrepared) prepared.clear();
  if (text.length <= maxPreparedLength) prepared.set(text, made);
  return made;
}

/** Ends a transaction that has failed. Nodes before 22.16 don't say whether there is one. */
export function rollBack(db: DatabaseSync): void {
  try {
    db.exec("rollback");
  } catch {
    // After some errors, SQLite has done it.
  }
}

const diskIsFull = "The disk is full.";
const notWritable =
  "The data folder (DATA_DIR, or `store.folder` of createRelay) must be one that the server's user may write.";
/** By SQLite's codes, without what extends them: https://www.sqlite.org/rescode.html */
const faults: [codes: number[], fault: OutboxFault, sentence: string][] = [
  // Busy, locked, and a lock that can't be had.
  [[5, 6, 15], "busy", "Another process blocks the outbox."],
  [[13], "full", diskIsFull],
  // No rights, read-only, can't be opened.
  [[3, 8, 14], "unwritable", notWritable],
  // Too large, against a rule of a column, of another type, for no parameter.
  [[18, 19, 20, 25], "malformed", "The report can't be stored."],
];
const unusable = [[], "unwritable", "The outbox can't be used."] as const;
const mismatch = 20;
const cannotOpen = 14;
/** Damaged, and no database at all. */
const damageCodes = [11, 26];
/** The end is missing: this one is extended. */
const shortRead = 522;
/** Damaged, or no rights, read-only, an error of the disk, can't be opened. */
const brokenCodes = [...damageCodes, 3, 8, 10, 14];

function codeOf(error: unknown): number {
  return (error as { errcode?: number }).errcode ?? 0;
}

/** Of a file that a check has found damaged: as SQLite's own. */
export function damaged(message: string): Error {
  return Object.assign(new Error(message), { errcode: damageCodes[0] });
}

/** The file is damaged, or no database at all. */
export function isDamage(error: unknown): boolean {
  return damageCodes.includes(codeOf(error) & 255) || codeOf(error) === shortRead;
}

/** Opening the file anew may help. */
export function isBroken(error: unknown): boolean {
  return brokenCodes.includes(codeOf(error) & 255);
}

/** A table is missing, or a column. */
export function isSchemaFault(error: unknown): boolean {
  return /^no such (table|column)|has no column named/.test((error as Error).message);
}

/** Of Node, which has no code for a quota that is used up: the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const { code, errno } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || errno === -constants.errno.EDQUOT;
}

export function diskFull(cause: unknown): OutboxError {
  return new OutboxError("full", diskIsFull, { cause });
}

export function toOutboxError(error: unknown): OutboxError {
  if (isOutboxError(error)) return error;
  if (isDiskFull(error)) return diskFull(error);
  const { syscall } = error as NodeJS.ErrnoException;
  // Of Node: a value that SQLite can't hold, or a number that JavaScript can't.
  const isValue = error instanceof TypeError || error instanceof RangeError;
  // Node's own calls make the folder and the file.
  const code = isValue ? mismatch : syscall ? cannotOpen : codeOf(error) & 255;
  const [, fault, message] = faults.find(([codes]) => codes.includes(code)) ?? unusable;
  return new OutboxError(fault, message, { cause: error });
}
