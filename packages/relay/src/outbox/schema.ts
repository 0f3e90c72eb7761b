import type { Dialect, Statement } from "./driver.ts";
import type { Schema, TableSet } from "./table-sets.ts";

/**
 * As 0.1.0 made them.
 *
 * `outbox`: reports that wait. `low` is 1 for those of low priority. Nobody can claim one before
 * `free_at`: the end of a lease, or of a back-off. The envelope is the last column, so that the others
 * are read without it.
 *
 * `drops`: how many were dropped, and how many of these a client report has covered.
 */
function firstTables({ types, engine, now }: Dialect): Statement[] {
  const { id, integer, bytes } = types;
  return [
    `create table {outbox} (
      id ${id},
      received_at ${integer} not null default (${now}),
      server text,
      origin text not null,
      low ${integer} not null,
      categories ${integer} not null,
      sender ${integer} not null,
      release text,
      size ${integer} not null,
      attempts ${integer} not null default 0,
      free_at ${integer} not null default 0,
      claimed_by text,
      client_address text,
      envelope ${bytes} not null
    ) ${tuned[engine]}`,
    "create index signpost_outbox_waiting on {outbox} (low, attempts, id, categories)",
    "create index signpost_outbox_by_age on {outbox} (low, received_at)",
    "create index signpost_outbox_by_sender on {outbox} (sender, low, size, received_at)",
    firstId[engine],
    `create table {drops} (
      reason text not null,
      category text not null,
      quantity ${integer} not null,
      reported ${integer} not null default 0,
      primary key (reason, category)
    )`,
    "create table {notes} (name text primary key, value text not null)",
  ].map((text) => ({ text }));
}

/** Ids begin at the time in microseconds: none recurs if the tables are created anew. */
const firstId = {
  sqlite: `insert into sqlite_sequence (name, seq)
    select 'signpost_outbox', cast(unixepoch('subsec') * 1000000 as integer)
    where not exists (select 1 from sqlite_sequence where name = 'signpost_outbox')`,
  postgres: `select setval(pg_get_serial_sequence('{outbox}', 'id'),
      (extract(epoch from clock_timestamp()) * 1000000)::bigint)
    where not exists (select 1 from {outbox})`,
};

/** Claims change rows in place, and rows come and go. */
const tuned = {
  sqlite: "strict",
  postgres: "with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)",
};

export const outboxTables: TableSet = {
  name: "outbox",
  migrations: [{ version: 1, statements: firstTables }],
};

/** @param more what other parts of the app have beside the outbox */
export function schemaOf(...more: TableSet[]): Schema {
  return [outboxTables, ...more];
}
