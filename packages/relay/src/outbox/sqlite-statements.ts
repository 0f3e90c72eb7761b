import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, Statement, Value } from "./driver.ts";
import { toFailure } from "./sqlite-faults.ts";
import { rollBack } from "./sqlite-rescue.ts";
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
      if (toFailure(error).fault !== "busy" || performance.now() > until) throw error;
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
