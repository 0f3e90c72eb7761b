import { createHash } from "node:crypto";
import { internalOnly } from "@signpost/relay/categories";
import type { ClaimedReport } from "@signpost/relay/store";
import { insertAll, type Statement, type Value, Values } from "@signpost/relay/store";
import type { Digest } from "./digest.ts";
import type { ErrorRecord } from "./error-records.ts";
import type { Frame } from "./events.ts";
import type { SessionCounts } from "./sessions.ts";

type Row = Record<string, Value | undefined>;
type RowWithId = Row & { id: string };

/** What happens on a conflict with a row that is there. */
const filed = {
  stacks: "(id) do update set used_at = excluded.used_at",
  errors: "do nothing",
  error_variants: `(id) do update set seen_at = excluded.seen_at
    where excluded.seen_at > {error_variants}.seen_at`,
  feedback: "do nothing",
  measurements: "do nothing",
  unfiled_items: "do nothing",
};
type FiledTable = keyof typeof filed;

export interface Filing {
  /** The report's id, and the bytes of its envelope. */
  id: number;
  bytes: number;
  rows: Record<FiledTable, Row[]>;
  sessions: readonly SessionCounts[];
}

/** @param stack of the error, see `stackRow` */
export function filingOf(report: ClaimedReport, found: Digest, stack?: RowWithId): Filing {
  const { id, envelope, sender } = report;
  const { errors, feedback, measurements, sessions, unshown, unreadable } = found;
  const uncounted = Object.entries({ ...unshown, unreadable });
  const variants = errors.map(variantRow);
  return {
    id,
    bytes: envelope.length,
    rows: {
      stacks: stack ? [{ ...stack, sender }] : [],
      errors: errors.map((error, i) => ({
        ...errorRow(error, variants[i]?.id, stack?.id),
        sender,
      })),
      error_variants: variants.map((variant) => ({ ...variant, sender })),
      feedback: feedback.map((one) => ({
        ...one,
        sender,
        size: sizeOf([one.message_key, ...Object.values(one)]),
      })),
      measurements: measurements.map((one, position) => ({
        report_id: id,
        position,
        ...one,
        sender,
      })),
      unfiled_items: uncounted.flatMap(([kind, quantity]) =>
        quantity > 0 ? [{ report_id: id, kind, quantity }] : [],
      ),
    },
    sessions,
  };
}

/**
 * Keeps and files reports whole: an event that is there already is not counted again. For the transaction that
 * removes them from the outbox.
 */
export function fileStatements(filings: readonly Filing[]): Statement[] {
  const ids = filings.map(({ id }) => id);
  const rowsOf = (table: FiledTable) => filings.flatMap(({ rows }) => rows[table]);
  const idsOf = (rows: readonly Row[]) => rows.map((row) => row.event_id ?? null);
  const errors = idsOf(rowsOf("errors"));
  const ofServer = idsOf(rowsOf("errors").filter(({ origin }) => origin === "server"));
  return [
    keepReports(ids),
    ...(ofServer.length > 0 ? displaceBrowsers(ofServer) : []),
    ...Object.entries(filed).flatMap(([table, conflict]) =>
      insertAll(table, distinct(rowsOf(table as FiledTable)), `on conflict ${conflict}`),
    ),
    ...(errors.length > 0 ? [countErrors(ids, errors), dropCopies(filings, errors)] : []),
    ...(rowsOf("measurements").length > 0 ? [countMeasurements(ids)] : []),
    ...filings.flatMap(({ sessions }) => sessions.flatMap(countSessions)),
  ];
}

/** Each id once: one statement can't update a row twice. Where an event is there twice, the server's comes first. */
function distinct(rows: readonly Row[]): Row[] {
  const each = [...new Map(rows.map((row) => [row.id ?? row, row])).values()];
  return each.sort((a, b) => Number(b.origin === "server") - Number(a.origin === "server"));
}

/** As they came, envelopes and all, but for those that only count what was dropped. */
function keepReports(ids: readonly number[]): Statement {
  const values = new Values();
  return {
    text: `insert into {kept_reports}
        (report_id, kept_at, low, origin, server, size, categories, envelope, sender)
      select id, received_at, low, origin, server, size, categories, envelope, sender
      from {outbox} where id in (${values.list(ids)}) and categories <> ${internalOnly}
      on conflict do nothing`,
    values: values.all,
  };
}

/** An event may arrive twice, as after an answer that was lost: it is kept once, so it can be removed. */
function dropCopies(filings: readonly Filing[], eventIds: readonly Value[]): Statement {
  const values = new Values();
  const ids = filings.filter(({ rows }) => rows.errors.length > 0).map(({ id }) => id);
  return {
    text: `delete from {kept_reports} as t where t.report_id in (${values.list(ids)})
      and not exists (select 1 from {errors} as e
        where e.event_id in (${values.list(eventIds)}) and e.report_id = t.report_id)`,
    values: values.all,
  };
}

/** Removes what browsers have said under the ids of these events of the server, as if it had never come. */
function displaceBrowsers(eventIds: readonly Value[]): Statement[] {
  const values = new Values();
  const these = `from {errors} as e where e.origin = 'browser' and e.event_id in (${values.list(eventIds)})`;
  return [
    `update {error_groups} as g
      set quantity = g.quantity - (select count(*) ${these} and e.group_id = g.group_id)
      where g.group_id in (select e.group_id ${these})`,
    `delete from {error_groups} as g
      where g.quantity <= 0 and g.group_id in (select e.group_id ${these})`,
    `delete from {kept_reports} as t where t.report_id in (select e.report_id ${these})`,
    `delete ${these}`,
  ].map((text) => ({ text, values: values.all }));
}

/**
 * Adds to each group what came of it with these reports. Its times, and the release that it is new in, go by
 * when reports came, not by what they say of it.
 */
function countErrors(ids: readonly number[], eventIds: readonly Value[]): Statement {
  const values = new Values();
  return {
    text: `insert into {error_groups} as g
        (group_id, quantity, first_at, first_release, last_at, last_report)
      select c.group_id, count(*), min(c.at), max(case when c.place = 1 then c.release end),
        max(c.at), max(c.report_id)
      from (
        select e.group_id, e.report_id, e.release, n.received_at as at,
          row_number() over (partition by e.group_id order by e.report_id) as place
        from {errors} as e join {outbox} as n on n.id = e.report_id
        where e.event_id in (${values.list(eventIds)}) and n.id in (${values.list(ids)})
      ) as c
      group by c.group_id
      on conflict (group_id) do update set
        quantity = g.quantity + excluded.quantity,
        first_release = case when excluded.first_at < g.first_at
          then excluded.first_release else g.first_release end,
        first_at = case when excluded.first_at < g.first_at
          then excluded.first_at else g.first_at end,
        last_at = case when excluded.last_at > g.last_at then excluded.last_at else g.last_at end,
        last_report = case when excluded.last_report > g.last_report
          then excluded.last_report else g.last_report end`,
    values: values.all,
  };
}

function countMeasurements(ids: readonly number[]): Statement {
  const values = new Values();
  return {
    text: `insert into {routes} as r (route, quantity)
      select m.route, sum(case when m.metric = 'visit' then 0 else 1 end)
      from {measurements} as m where m.report_id in (${values.list(ids)})
      group by m.route
      on conflict (route) do update set quantity = r.quantity + excluded.quantity`,
    values: values.all,
  };
}

/** Adds to a release and an hour what a report has counted. */
function countSessions(counted: SessionCounts): Statement[] {
  return insertAll(
    "sessions",
    [{ ...counted }],
    `on conflict (release, hour) do update set started = {sessions}.started + excluded.started,
      errored = {sessions}.errored + excluded.errored,
      crashed = {sessions}.crashed + excluded.crashed`,
  );
}

/** Characters of a stack; beyond them it is kept without its code. */
const maxStackLength = 64 * 1024;

/**
 * @param stacks the frames of each exception, newest call first
 * @param at milliseconds since the epoch
 * @returns nothing where they are too long to be kept
 */
export function stackRow(stacks: readonly Frame[][], at: number): RowWithId | undefined {
  let frames = JSON.stringify(stacks);
  if (frames.length > maxStackLength) {
    const bare = stacks.map((stack) => stack.map(({ source: _, ...frame }) => frame));
    frames = JSON.stringify(bare);
  }
  if (frames.length > maxStackLength) return undefined;
  const id = createHash("sha256").update(frames).digest("hex").slice(0, 32);
  return { id, used_at: at, size: Buffer.byteLength(frames) + 100, frames };
}

/** Of the entries in indexes, and of the row beside its texts. */
const overheadBytes = 400;

/**
 * Of a row in bytes: pages are not full, and of long texts much less.
 *
 * @param texts also what indexes repeat
 */
function sizeOf(texts: readonly unknown[]): number {
  return overheadBytes + Math.round(1.6 * Buffer.byteLength(texts.join("")));
}

function errorRow({ row }: ErrorRecord, variantId: string | undefined, stackId?: string): Row {
  const { type, message, route, release, environment, user_id } = row;
  const texts = [type, message, route, route, release, release, environment, user_id, user_id];
  const size = sizeOf([...texts, variantId, variantId]);
  return { ...row, variant_id: variantId, stack_id: stackId, size };
}

/** All that an error is searched and filtered by. */
function variantRow({ row, file }: ErrorRecord): RowWithId {
  const { group_id, kind, origin, route, release, environment, type, message, seen_at } = row;
  const words = [type, message, route, file].filter(Boolean).join("\n").toLowerCase();
  const parts = { group_id, kind, origin, route, release, environment, words };
  const all = JSON.stringify(Object.values(parts));
  const id = createHash("sha256").update(all).digest("hex").slice(0, 32);
  const size = sizeOf([words, route, route, release, release, environment]);
  return { id, ...parts, seen_at, size };
}
