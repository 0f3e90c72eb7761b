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

/** The values of one statement. */
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

/** Rows beside the reports, in the same database: what a reader of reports keeps of them. */
export interface Rows {
  /**
   * By the clock that stamps reports, in milliseconds since the epoch: in Postgres the database's, so
   * that no server goes by a clock of its own.
   *
   * @throws {OutboxError}
   */
  now(): Promise<number>;
  /** @throws {OutboxError} */
  select<Row extends object>(statement: Statement): Promise<Row[]>;
  /**
   * Runs all of them in one transaction. Such transactions never overlap, those of other processes
   * included. A crash of the machine may undo one as a whole; a crash of the process does not.
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
 * Creates what is missing of the tables for rows. Where `error_groups` and `error_variants` are empty
 * and `errors` is not, an earlier version made the file: they are filled from it.
 *
 * - `errors`: each error once, under the id of its event
 * - `feedback`: each message once
 * - `error_groups`: each group of errors, with what was ever seen of it
 * - `error_variants`: errors of a group that are alike in all that they are searched and filtered by
 * - `stacks`: the frames of errors as they were resolved, under a hash of them
 * - `unresolved`: errors filed with their frames as they came, which a server of their release could
 *   resolve
 * - `measurements`: each web vital, request and visit, under its report and its place in that
 * - `routes`: each route that has measurements, with how many came since it has, visits left out
 * - `unfiled_items`: how many items of a report are not in the others, by kind
 * - `filings`: which reports were read for the others. Nobody else takes one before `free_at`;
 *   `fault` says why one could not be filed
 *
 * @param types of this engine
 */
export function rowTables(
  table: (name: string) => string,
  { integer, real, strict }: { integer: string; real: string; strict: string },
): string {
  return `
    create table if not exists ${table("errors")} (
      event_id text primary key,
      report_id ${integer} not null,
      group_id text not null,
      kind text not null,
      type text not null,
      message text not null,
      seen_at ${integer} not null,
      origin text not null,
      route text,
      release text,
      environment text,
      trace_id text,
      stack_id text,
      size ${integer} not null
    )${strict};
    create index if not exists errors_by_group
      on ${table("errors")} (group_id, seen_at, report_id, release, route, origin);
    drop index if exists ${table("errors_by_time")};
    create index if not exists errors_by_age on ${table("errors")} (seen_at, event_id, size, origin);
    create index if not exists errors_by_trace on ${table("errors")} (trace_id);
    create index if not exists errors_by_stack on ${table("errors")} (stack_id);
    create table if not exists ${table("error_groups")} (
      group_id text primary key,
      quantity ${integer} not null,
      first_at ${integer} not null,
      first_release text,
      last_at ${integer} not null,
      last_report ${integer} not null
    )${strict};
    create index if not exists error_groups_by_age
      on ${table("error_groups")} (last_at, last_report, group_id);
    insert into ${table("error_groups")}
      select group_id, count(*), min(seen_at), (
          select f.release from ${table("errors")} as f where f.group_id = e.group_id
          order by f.seen_at, f.report_id limit 1),
        max(seen_at), max(report_id)
      from ${table("errors")} as e where not exists (select 1 from ${table("error_groups")})
      group by group_id;
    create table if not exists ${table("error_variants")} (
      id text primary key,
      group_id text not null,
      kind text not null,
      origin text not null,
      route text,
      release text,
      environment text,
      words text not null,
      seen_at ${integer} not null,
      size ${integer} not null
    )${strict};
    create index if not exists error_variants_by_group
      on ${table("error_variants")} (group_id, seen_at, route, release, origin);
    create index if not exists error_variants_by_age
      on ${table("error_variants")} (seen_at, id, size, origin);
    insert into ${table("error_variants")}
      select min(event_id), group_id, kind, origin, route, release, environment,
        lower(type || ' ' || message || ' ' || coalesce(route, '')), max(seen_at), max(size)
      from ${table("errors")} where not exists (select 1 from ${table("error_variants")})
      group by group_id, kind, origin, type, message, route, release, environment;
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
    create table if not exists ${table("unresolved")} (
      report_id ${integer} primary key,
      event_id text not null,
      release text not null
    )${strict};
    create table if not exists ${table("measurements")} (
      report_id ${integer} not null,
      position ${integer} not null,
      route text not null,
      metric text not null,
      value ${real} not null,
      failed ${integer} not null,
      trace_id text,
      origin text not null,
      seen_at ${integer} not null,
      size ${integer} not null,
      primary key (report_id, position)
    )${strict};
    create index if not exists measurements_by_route
      on ${table("measurements")} (route, metric, value, failed);
    create index if not exists measurements_by_age
      on ${table("measurements")} (seen_at, report_id, position, size, origin);
    create index if not exists measurements_by_trace
      on ${table("measurements")} (trace_id) where trace_id is not null;
    create table if not exists ${table("routes")} (
      route text primary key,
      quantity ${integer} not null
    )${strict};
    create table if not exists ${table("unfiled_items")} (
      report_id ${integer} not null,
      kind text not null,
      quantity ${integer} not null,
      primary key (report_id, kind)
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
