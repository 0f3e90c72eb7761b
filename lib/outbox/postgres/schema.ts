import { maxDropQuantity } from "@/lib/envelope/client-report";
import { rowTables } from "../rows";

/**
 * The version of the schema, as the note `schema-version`. Servers of the version before use the
 * tables at the same time during a rolling deployment, so a change must leave their statements right,
 * and a server accepts the version after its own.
 *
 * - 1: the first
 * - 2: reports have a `sender`; `reports_waiting` has it, and each size
 * - 3: there are the tables of `Rows`
 * - 4: these have measurements, groups and variants; `errors` has no words (version 3 was no release:
 *   its statements need not be right)
 */
export const schemaVersion = 4;

/** The outbox's tables, as they are written in statements. */
export interface Tables {
  schema: string;
  reports: string;
  /** The index of `reports`. */
  index: string;
  totals: string;
  drops: string;
  notes: string;
  groupStates: string;
}

/** @param schema a valid identifier */
export function tableIn(schema: string): (name: string) => string {
  return (name) => `"${schema}".${name}`;
}

/** @param schema a valid identifier */
export function tablesIn(schema: string): Tables {
  const table = tableIn(schema);
  return {
    schema,
    reports: table("reports"),
    index: table("reports_waiting"),
    totals: table("totals"),
    drops: table("drops"),
    notes: table("notes"),
    groupStates: table("group_states"),
  };
}

/** The database's clock in milliseconds since the epoch, unless the parameter has a value. */
export function nowMs(parameter: string): string {
  return `coalesce(${parameter}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`;
}

/**
 * Creates the tables. The role must own the schema, or have the right to create in it.
 *
 * `totals` has what came in and what went out, each in one row: `in - out` waits. So no append counts
 * rows. The row `in` also gives out ids: its lock is held until the commit, so ids become visible in
 * ascending order, and a reader that remembers the last id it has seen misses none. Ids start at the
 * time in microseconds: none recurs if the schema is created anew.
 *
 * `expendable`: of low priority. Important are reports of high priority, others those of low.
 *
 * Low priority is called `expendable` and `others` here, high priority `important`: to rename a column would
 * break servers of the version before.
 *
 * Nobody can claim a report before `free_at`: the end of a lease, or of a back-off.
 */
export function schemaStatements(tables: Tables): string {
  const { schema, reports, index, totals, drops, notes, groupStates } = tables;
  return `
    create table if not exists ${reports} (
      id bigint primary key,
      received_at bigint not null,
      server text not null,
      origin text not null,
      categories integer not null,
      expendable boolean not null,
      client_address text,
      size integer not null,
      envelope bytea not null,
      claimed_by uuid,
      free_at bigint not null default 0,
      failures integer not null default 0,
      sender bigint not null default 0
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
    alter table ${reports} alter column envelope set storage external;
    alter table ${reports} add column if not exists sender bigint not null default 0;
    drop index if exists ${index};
    create index reports_waiting on ${reports} (expendable, id) include (sender, size);
    create table if not exists ${totals} (
      side text primary key,
      last_id bigint not null default 0,
      important bigint not null default 0,
      others bigint not null default 0,
      bytes bigint not null default 0
    ) with (fillfactor = 10);
    insert into ${totals} (side, last_id) values
      ('in', (extract(epoch from clock_timestamp()) * 1000000)::bigint), ('out', 0)
      on conflict do nothing;
    create table if not exists ${drops} (
      reason text not null,
      category text not null,
      quantity bigint not null,
      reported bigint not null default 0,
      primary key (reason, category)
    );
    -- An earlier version believed any number that a client had claimed.
    delete from ${drops} where quantity >= ${maxDropQuantity};
    create table if not exists ${notes} (name text primary key, value text not null);
    create table if not exists ${groupStates} (
      group_id text primary key,
      state text not null,
      since bigint not null
    );
    alter table if exists ${tableIn(schema)("errors")}
      drop column if exists words, drop column if exists file;
    ${rowTables(tableIn(schema), { integer: "bigint", real: "double precision", strict: "" })}
    insert into ${notes} (name, value) values ('schema-version', '${schemaVersion}')
      on conflict (name) do update set value = excluded.value;
  `;
}
