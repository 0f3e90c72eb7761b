import type { Dialect, Statement, TableSet } from "@signpost/relay/store";

/**
 * The tables of the inbox, beside the outbox in the same database, as 0.1.0 made them.
 *
 * - `kept_reports`: reports as they came, under their ids in the outbox
 * - `errors`: each error once, under the id of its event
 * - `error_groups`: each group of errors, with what was ever seen of it
 * - `error_variants`: errors of a group that are alike in all that they are searched and filtered by
 * - `group_states`: what readers have decided about groups
 * - `stacks`: the frames of errors as they were resolved, under a hash of them
 * - `feedback`: each message once
 * - `measurements`: each web vital, request and visit, under its report and its place in that
 * - `routes`: each route that has measurements, with how many came since it has, visits left out
 * - `sessions`: how many began and how they ended, by release and hour: see `SessionCounts`
 * - `unfiled_items`: how many items of a report are not in the others, by kind
 */
function firstTables({ types }: Dialect): Statement[] {
  const { integer, real, bytes } = types;
  return [
    `create table {kept_reports} (
      report_id ${integer} primary key,
      kept_at ${integer} not null,
      low ${integer} not null,
      origin text not null,
      server text,
      size ${integer} not null,
      categories ${integer} not null,
      envelope ${bytes} not null
    )`,
    `create index signpost_kept_reports_by_age
      on {kept_reports} (kept_at, report_id, size, low, origin)`,
    `create table {errors} (
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
      user_id text,
      variant_id text not null,
      stack_id text,
      size ${integer} not null
    )`,
    `create index signpost_errors_by_group
      on {errors} (group_id, seen_at, report_id, release, route, origin)`,
    "create index signpost_errors_by_age on {errors} (seen_at, event_id, size, origin)",
    "create index signpost_errors_by_trace on {errors} (trace_id)",
    "create index signpost_errors_by_stack on {errors} (stack_id)",
    "create index signpost_errors_by_variant on {errors} (variant_id)",
    "create index signpost_errors_by_user on {errors} (user_id) where user_id is not null",
    `create table {error_groups} (
      group_id text primary key,
      quantity ${integer} not null,
      first_at ${integer} not null,
      first_release text,
      last_at ${integer} not null,
      last_report ${integer} not null
    )`,
    `create index signpost_error_groups_by_age
      on {error_groups} (last_at, last_report, group_id)`,
    `create table {error_variants} (
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
    )`,
    `create index signpost_error_variants_by_group
      on {error_variants} (group_id, seen_at, route, release, origin)`,
    "create index signpost_error_variants_by_age on {error_variants} (seen_at, id, size, origin)",
    `create table {group_states} (
      group_id text primary key,
      state text not null,
      since ${integer} not null
    )`,
    `create table {stacks} (
      id text primary key,
      used_at ${integer} not null,
      size ${integer} not null,
      frames text not null
    )`,
    "create index signpost_stacks_by_age on {stacks} (used_at, id, size)",
    `create table {feedback} (
      message_key text primary key,
      report_id ${integer} not null,
      message text not null,
      name text,
      contact text,
      page text,
      about text,
      user_id text,
      seen_at ${integer} not null,
      size ${integer} not null
    )`,
    `create index signpost_feedback_by_time
      on {feedback} (seen_at, report_id, message_key, size)`,
    "create index signpost_feedback_by_error on {feedback} (about)",
    `create table {measurements} (
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
    )`,
    `create index signpost_measurements_by_route
      on {measurements} (route, metric, value, failed)`,
    `create index signpost_measurements_by_age
      on {measurements} (seen_at, report_id, position, size, origin)`,
    `create index signpost_measurements_by_trace
      on {measurements} (trace_id) where trace_id is not null`,
    `create table {routes} (route text primary key, quantity ${integer} not null)`,
    `create table {sessions} (
      release text not null,
      hour ${integer} not null,
      started ${integer} not null,
      errored ${integer} not null,
      crashed ${integer} not null,
      primary key (release, hour)
    )`,
    `create table {unfiled_items} (
      report_id ${integer} not null,
      kind text not null,
      quantity ${integer} not null,
      primary key (report_id, kind)
    )`,
    `insert into {notes} (name, value) values ('${writerNote}', '') on conflict do nothing`,
  ].map((text) => ({ text }));
}

/**
 * What the tables have since groups are of one side, and rows know their sender: see `senderNumber`. Servers that
 * don't know of it can go on beside those that do.
 */
function senders({ types }: Dialect): Statement[] {
  const byAge = {
    kept_reports: "kept_at, report_id, size, low, origin, sender",
    errors: "seen_at, event_id, size, origin, sender",
    error_variants: "seen_at, id, size, origin, sender",
    stacks: "used_at, id, size, sender",
    measurements: "seen_at, report_id, position, size, origin, sender",
  };
  return [
    ...[...Object.keys(byAge), "feedback"].map(
      (table) => `alter table {${table}} add column sender ${types.integer} not null default 0`,
    ),
    ...Object.entries(byAge).flatMap(([table, columns]) => [
      `drop index {${table}_by_age}`,
      `create index signpost_${table}_by_age on {${table}} (${columns})`,
    ]),
    "drop index {feedback_by_time}",
    `create index signpost_feedback_by_time
      on {feedback} (seen_at, report_id, message_key, size, sender)`,
    ...browsersGroups,
  ].map((text) => ({ text }));
}

/** Browsers' part of a group becomes one of its own, as `groupId` names it now, with what was decided about both. */
const browsersGroups = [
  ...["errors", "error_variants"].map(
    (table) => `update {${table}} set group_id = 'b' || group_id
      where origin = 'browser' and length(group_id) = 16`,
  ),
  `insert into {error_groups} (group_id, quantity, first_at, first_release, last_at, last_report)
    select b.group_id, case when s.group_id is null then g.quantity else b.quantity end,
      g.first_at, g.first_release, b.last_at, b.last_report
    from {error_groups} as g
    join (
      select group_id, count(*) as quantity, max(seen_at) as last_at, max(report_id) as last_report
      from {errors} where origin = 'browser' group by group_id
    ) as b on b.group_id = 'b' || g.group_id
    left join (select distinct group_id from {errors} where origin = 'server') as s
      on s.group_id = g.group_id
    where length(g.group_id) = 16
    on conflict do nothing`,
  `delete from {error_groups}
    where 'b' || group_id in (select group_id from {error_groups})
      and group_id not in (select group_id from {errors})`,
  `update {error_groups} as g set
      quantity = g.quantity - b.quantity,
      last_at = (select max(seen_at) from {errors} as e where e.group_id = g.group_id),
      last_report = (select max(report_id) from {errors} as e where e.group_id = g.group_id)
    from {error_groups} as b where b.group_id = 'b' || g.group_id`,
  `insert into {group_states} (group_id, state, since)
    select 'b' || group_id, state, since from {group_states}
    where 'b' || group_id in (select group_id from {error_groups})
    on conflict do nothing`,
  `delete from {group_states}
    where 'b' || group_id in (select group_id from {error_groups})
      and group_id not in (select group_id from {error_groups})`,
];

export const inboxTables: TableSet = {
  name: "inbox",
  migrations: [
    { version: 2, statements: firstTables },
    { version: 3, statements: senders },
  ],
};

const writerNote = "inbox-writer";

/**
 * The first statement of each transaction that files or removes: these never overlap, whoever runs them.
 * So none counts a group that another removes, or waits for one that waits for it.
 */
export function writerLock({ forUpdate }: Dialect): Statement {
  return { text: `select 1 from {notes} where name = $1 ${forUpdate}`, values: [writerNote] };
}
