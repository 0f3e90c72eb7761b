import { inboxTables } from "@/packages/inbox/src/tables";
import { type Migration, outboxTables, type TableSet } from "@/packages/relay/src/outbox/tables";
import { serveStore } from "./store-server";

/*
 * A server of a build to come, whose tables differ. MIGRATION says how:
 *
 * - `additive`: servers of before can go on beside it
 * - `breaking`: they can't. It has done that, and stores nothing itself
 * - `endless`: as `additive`, and it never ends
 */

const endless = {
  sqlite: `with recursive numbers (n) as (select 1 union all select n + 1 from numbers)
    select count(*) from numbers`,
  postgres: "select pg_sleep(30)",
};

const changes: Record<string, Record<string, Omit<Migration, "version">>> = {
  additive: {
    outbox: {
      statements: ({ types: { integer } }) => [
        { text: `alter table {outbox} add column colour ${integer} not null default 3` },
        { text: "create index signpost_outbox_by_colour on {outbox} (colour, free_at)" },
        { text: "update {outbox} set colour = 4" },
        { text: `create table {colours} (number ${integer} primary key)` },
      ],
    },
    inbox: {
      statements: () => [
        { text: "alter table {errors} add column colour text not null default 'red'" },
        { text: "create index signpost_errors_by_colour on {errors} (colour, seen_at)" },
      ],
    },
  },
  breaking: {
    outbox: {
      isBreaking: true,
      statements: () => [{ text: "alter table {outbox} rename to signpost_waiting" }],
    },
  },
  endless: {
    outbox: {
      statements: ({ engine, types: { integer } }) => [
        { text: `alter table {outbox} add column colour ${integer} not null default 3` },
        { text: endless[engine] },
      ],
    },
  },
};

const change = changes[process.env.MIGRATION ?? ""] ?? {};

function changed(set: TableSet): TableSet {
  const { name, migrations } = set;
  const version = (migrations.at(-1)?.version ?? 0) + 1;
  const added = change[name];
  return added ? { ...set, migrations: [...migrations, { version, ...added }] } : set;
}

serveStore([outboxTables, inboxTables].map(changed));
