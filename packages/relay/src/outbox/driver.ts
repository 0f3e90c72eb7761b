/** What a column or a parameter holds. A column of binary data is read as a Uint8Array. */
export type Value = string | number | null | Uint8Array;

/** By column. Integers of any size are numbers. */
export type Row = Record<string, Value>;

/** SQL that both engines understand, see `Dialect`. `$1` is the first value, `{errors}` a table. */
export interface Statement {
  text: string;
  values?: readonly Value[];
}

/** Where the SQL of the engines differs. */
export interface Dialect {
  readonly engine: "sqlite" | "postgres";
  /** An expression: the store's clock in milliseconds since the epoch. */
  now: string;
  /** End a `select` of rows to be changed: what another transaction has locked is left out, or waited for. */
  skipLocked: string;
  forUpdate: string;
  types: { id: string; integer: string; real: string; bytes: string };
}

/**
 * Runs statements on one engine, once it has created and migrated the tables, see `TableSet`. It knows
 * nothing of reports. Promises may reject with an OutboxError.
 */
export interface Driver {
  readonly dialect: Dialect;
  /** Tells this process from all others that have used or will use the store. */
  readonly me: string;
  /** Files that were damaged and set aside, and lay there when the store was opened. */
  readonly damagedFiles: number;
  /**
   * Once it resolves, what it wrote survives a power cut. Transactions run in the order of the calls in
   * SQLite, and at the same time in Postgres.
   *
   * @param stays whether what they write is to stay: refused as `full` while so little room is left that
   *   what is there could not be delivered any more
   * @returns the rows of each statement
   * @throws {OutboxError} `malformed` if the store refuses one of them for what it holds
   */
  transaction(statements: readonly Statement[], stays?: boolean): Promise<Row[][]>;
  /**
   * Runs a `select`, for pages. In Postgres few run at a time; in SQLite they take turns with
   * transactions, so they must be short.
   */
  read<R extends object = Row>(statement: Statement): Promise<R[]>;
  /**
   * Blocks until what was asked for is durable or has failed, for a process that is about to end. Does
   * nothing where an engine needs the event loop for that.
   */
  flushNow(maxMs: number): void;
  /** Resolves when all that was asked for has ended and the store is closed. Never rejects. */
  close(): Promise<void>;
}

/**
 * - `full`: the outbox or the disk is full
 * - `over_quota`: this sender holds too much of it
 * - `busy`: another process blocks the store for too long
 * - `unwritable`: the store is read-only or damaged, or the disk fails
 * - `malformed`: the report is not an envelope, or the store refuses it for what it holds
 */
export type OutboxFault = "full" | "over_quota" | "busy" | "unwritable" | "malformed";

export class OutboxError extends Error {
  override readonly name = "OutboxError";
  // Not a parameter's: the thread of SQLite reads this file, and Node takes only types out of it.
  readonly fault: OutboxFault;

  /** @param message one sentence without secrets, for anybody to read; `cause` is for the log */
  constructor(fault: OutboxFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}

/** Use this, not `instanceof`: Next loads several instances of a module, each with its own class. */
export function isOutboxError(error: unknown): error is OutboxError {
  return error instanceof Error && error.name === "OutboxError" && "fault" in error;
}

export class Values {
  readonly all: Value[] = [];

  /** @returns what stands for it. Postgres takes no NUL, and no half of a surrogate pair */
  add(value: Value): string {
    const isText = typeof value === "string";
    return `$${this.all.push(isText ? value.replace(/[\0\p{Surrogate}]/gu, "\ufffd") : value)}`;
  }

  list(values: readonly Value[]): string {
    return values.map((value) => this.add(value)).join(", ");
  }
}

/** Rows of one statement: a database takes 32,000 values or more. */
const maxRows = 250;

/**
 * @param rows each with the same columns
 * @param rest of each statement, such as what happens on a conflict
 */
export function insertAll(
  table: string,
  rows: readonly Record<string, Value | undefined>[],
  rest = "on conflict do nothing",
): Statement[] {
  const columns = Object.keys(rows[0] ?? {});
  const statements: Statement[] = [];
  for (let from = 0; from < rows.length; from += maxRows) {
    const values = new Values();
    const tuples = rows
      .slice(from, from + maxRows)
      .map((row) => `(${values.list(columns.map((name) => row[name] ?? null))})`);
    const text = `insert into {${table}} (${columns.join(", ")}) values ${tuples.join(", ")} ${rest}`;
    statements.push({ text, values: values.all });
  }
  return statements;
}
