/** What a column or a parameter holds. */
export type Value = string | number | null;

/**
 * SQL that SQLite and Postgres both understand. `$1` is the first value, `{errors}` the table of that
 * name. A column of binary data is read as a Buffer.
 */
export interface Statement {
  text: string;
  values?: readonly Value[];
}

/** Rows beside the reports, in the same database: what a reader of reports keeps of them. */
export interface Rows {
  /** @throws {OutboxError} */
  select<Row extends object>(statement: Statement): Promise<Row[]>;
  /**
   * Runs all of them in one transaction. A crash of the machine, but not of the process, may undo it:
   * then as a whole.
   *
   * @throws {OutboxError} `malformed` if the database refuses one of them for what it holds
   */
  change(statements: readonly Statement[]): Promise<void>;
}

/** Replaces the names of tables in a statement. */
export function withTables(text: string, table: (name: string) => string): string {
  return text.replace(/\{([a-z_]{1,30})\}/g, (_, name: string) => table(name));
}

/**
 * Creates what is missing of the tables for rows.
 *
 * - `errors`: each error once, under the id of its event
 * - `feedback`: each message once
 * - `stacks`: the frames of errors as they were resolved, under a hash of them
 * - `filings`: which reports were read for the others. Nobody else takes one before `free_at`;
 *   `fault` says why one could not be filed
 *
 * @param types of this engine
 */
export function rowTables(
  table: (name: string) => string,
  { integer, strict }: { integer: string; strict: string },
): string {
  return `
    create table if not exists ${table("errors")} (
      event_id text primary key,
      report_id ${integer} not null,
      group_id text not null,
      kind text not null,
      type text not null,
      message text not null,
      file text,
      seen_at ${integer} not null,
      origin text not null,
      route text,
      release text,
      environment text,
      trace_id text,
      stack_id text,
      words text not null,
      size ${integer} not null
    )${strict};
    create index if not exists errors_by_group
      on ${table("errors")} (group_id, seen_at, report_id, release, route, origin);
    create index if not exists errors_by_time on ${table("errors")} (seen_at, event_id, size);
    create index if not exists errors_by_trace on ${table("errors")} (trace_id);
    create index if not exists errors_by_stack on ${table("errors")} (stack_id);
    create table if not exists ${table("feedback")} (
      message_key text primary key,
      report_id ${integer} not null,
      message text not null,
      name text,
      contact text,
      page text,
      about text,
      seen_at ${integer} not null,
      size ${integer} not null
    )${strict};
    create index if not exists feedback_by_time
      on ${table("feedback")} (seen_at, report_id, message_key, size);
    create index if not exists feedback_by_error on ${table("feedback")} (about);
    create table if not exists ${table("stacks")} (
      id text primary key,
      used_at ${integer} not null,
      size ${integer} not null,
      frames text not null
    )${strict};
    create table if not exists ${table("filings")} (
      report_id ${integer} primary key,
      claimed_by text,
      free_at ${integer} not null,
      done ${integer} not null,
      fault text
    )${strict};
  `;
}
