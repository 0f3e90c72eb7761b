import Database from "better-sqlite3";
import { isOutboxError, OutboxError } from "../outbox";

/** SQLite's name of the error; nothing for an error of other code. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(sqliteCode(error) ?? "");
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(sqliteCode(error) ?? "");
}

/**
 * Whether a change failed for what it was to store, not for the store: by a rule of a column or a
 * value that can't be bound. What was written before it in the transaction is not lost.
 */
export function isDataFault(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code) return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(code);
  return error instanceof TypeError || error instanceof RangeError;
}

export function toOutboxError(error: unknown): OutboxError {
  if (isOutboxError(error)) return error;
  const cause = { cause: error };
  if (isBusy(error)) return new OutboxError("busy", "Another process blocks the outbox.", cause);
  if (sqliteCode(error) === "SQLITE_FULL") {
    return new OutboxError("full", "The disk is full.", cause);
  }
  return new OutboxError("unwritable", "The outbox can't be used.", cause);
}
