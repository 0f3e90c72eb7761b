import { createHash } from "node:crypto";
import type { StoredReport } from "@/lib/outbox/outbox";
import { type Statement, type Value, Values } from "@/lib/outbox/rows";
import type { Digest } from "./digest";
import type { ErrorRecord } from "./error-records";
import type { Frame } from "./event-detail";
import type { FeedbackMessage } from "./feedback-messages";
import type { Metric } from "./filed-performance";

type Row = Record<string, Value | undefined>;

/** What is written about one report. */
export interface Filing {
  /** The report's id. */
  id: number;
  errors: Row[];
  variants: Row[];
  stacks: Row[];
  unresolved: Row[];
  feedback: Row[];
  measurements: Row[];
  unfiled: Row[];
}

/** @param found all but the error, which is added once its stack is resolved */
export function filingOf(report: StoredReport, found: Digest): Filing {
  return {
    id: report.id,
    errors: [],
    variants: [],
    stacks: [],
    unresolved: [],
    feedback: found.feedback.map(messageRow),
    measurements: measurementRows(report, found),
    unfiled: unfiledRows(report.id, found),
  };
}

/**
 * Writes reports whole, each once: what is there already stays as it is and is not counted again. For
 * the transaction that ends their claims, see `ReportClaims.ack`.
 */
export function fileStatements(filings: readonly Filing[]): Statement[] {
  const ids = filings.map(({ id }) => id);
  const rowsOf = (part: Exclude<keyof Filing, "id">) => filings.flatMap((one) => one[part]);
  const errors = unique(rowsOf("errors"), "event_id");
  const measurements = rowsOf("measurements");
  return [
    ...insertAll("stacks", unique(rowsOf("stacks"), "id"), used),
    ...insertAll("errors", errors),
    ...insertAll("error_variants", unique(rowsOf("variants"), "id"), seenLater),
    ...insertAll("unresolved", rowsOf("unresolved")),
    ...insertAll("feedback", unique(rowsOf("feedback"), "message_key")),
    ...insertAll("measurements", measurements),
    ...insertAll("unfiled_items", rowsOf("unfiled")),
    ...(errors.length > 0
      ? [
          countErrors(
            ids,
            errors.map((row) => row.event_id ?? null),
          ),
        ]
      : []),
    ...(measurements.length > 0 ? [countMeasurements(ids)] : []),
  ];
}

const seenLater = `on conflict (id) do update set seen_at = excluded.seen_at
  where excluded.seen_at > {error_variants}.seen_at`;
const used = "on conflict (id) do update set used_at = excluded.used_at";

/** Adds to each group what came of it with these reports. */
function countErrors(ids: readonly number[], eventIds: readonly Value[]): Statement {
  const values = new Values();
  return {
    text: `insert into {error_groups} as g
        (group_id, quantity, first_at, first_release, last_at, last_report)
      select e.group_id, count(*), min(e.seen_at), (
          select f.release from {errors} as f where f.group_id = e.group_id
          order by f.seen_at, f.report_id limit 1),
        max(e.seen_at), max(e.report_id)
      from {errors} as e
      where e.event_id in (${values.list(eventIds)}) and ${isBeingFiled("e", values.list(ids))}
      group by e.group_id
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

/** Adds to each route how many measurements of it came with these reports. */
function countMeasurements(ids: readonly number[]): Statement {
  const values = new Values();
  return {
    text: `insert into {routes} as r (route, quantity)
      select m.route, sum(case when m.metric = 'visit' then 0 else 1 end)
      from {measurements} as m where ${isBeingFiled("m", values.list(ids))}
      group by m.route
      on conflict (route) do update set quantity = r.quantity + excluded.quantity`,
    values: values.all,
  };
}

/**
 * Lets errors be filed anew that were filed with their frames as they came, before there was a server
 * of this release: those of which error and report are still there.
 *
 * @param claim on their reports
 */
export function reopenStatements(
  release: string,
  claim: { by: string; until: number },
): Statement[] {
  const reopened = (column: string) =>
    `select u.${column} from {unresolved} as u where u.release = $1`;
  const of = (text: string): Statement => ({ text, values: [release] });
  return [
    of(`delete from {unresolved} as u where u.release = $1 and not (
      exists (select 1 from {reports} as r where r.id = u.report_id)
      and exists (select 1 from {errors} as e
        where e.event_id = u.event_id and e.report_id = u.report_id))`),
    of(`update {error_groups} set quantity = quantity - (
        select count(*) from {errors} as e
        where e.group_id = {error_groups}.group_id and e.event_id in (${reopened("event_id")}))
      where group_id in (
        select e.group_id from {errors} as e where e.event_id in (${reopened("event_id")}))`),
    of(`update {routes} set quantity = quantity - (
        select count(*) from {measurements} as m where m.route = {routes}.route
          and m.metric <> 'visit' and m.report_id in (${reopened("report_id")}))
      where route in (
        select m.route from {measurements} as m where m.report_id in (${reopened("report_id")}))`),
    of(`delete from {errors} where event_id in (${reopened("event_id")})`),
    {
      text: `delete from {error_groups} where quantity <= 0 and not exists (
        select 1 from {errors} as e where e.group_id = {error_groups}.group_id)`,
    },
    {
      text: `update {filings} set done = 0, claimed_by = $2, free_at = $3
        where report_id in (${reopened("report_id")})`,
      values: [release, claim.by, claim.until],
    },
    of("delete from {unresolved} where release = $1"),
  ];
}

/** Whether a row is of one of these reports, and no other process has filed that in the meantime. */
function isBeingFiled(row: string, ids: string): string {
  return `${row}.report_id in (
    select n.report_id from {filings} as n where n.report_id in (${ids}) and n.done = 0)`;
}

/** Rows of one statement: a database takes 32,000 values or more. */
const maxRows = 500;

/**
 * @param rows each with the same columns
 * @param onConflict with rows that are there already
 */
function insertAll(
  table: string,
  rows: readonly Row[],
  onConflict = "on conflict do nothing",
): Statement[] {
  const columns = Object.keys(rows[0] ?? {});
  const statements: Statement[] = [];
  for (let from = 0; from < rows.length; from += maxRows) {
    const values = new Values();
    const tuples = rows
      .slice(from, from + maxRows)
      .map((row) => `(${values.list(columns.map((name) => row[name] ?? null))})`);
    const text = `insert into {${table}} (${columns.join(", ")}) values ${tuples.join(", ")} ${onConflict}`;
    statements.push({ text, values: values.all });
  }
  return statements;
}

/** Each key once: in one statement, a row can't be written twice. */
function unique(rows: readonly Row[], key: string): Row[] {
  return [...new Map(rows.map((row) => [row[key], row])).values()];
}

/** Characters of a stack; beyond them it is kept without its code. */
const maxStackLength = 64 * 1024;

/**
 * @param stacks the frames of each exception, see `EventDetail`
 * @returns nothing where they are too long to be kept
 */
export function stackRow(
  stacks: readonly Frame[][],
  now: number,
): (Row & { id: string }) | undefined {
  let frames = JSON.stringify(stacks);
  if (frames.length > maxStackLength) {
    const bare = stacks.map((stack) => stack.map(({ source: _, ...frame }) => frame));
    frames = JSON.stringify(bare);
  }
  if (frames.length > maxStackLength) return undefined;
  const id = createHash("sha256").update(frames).digest("hex").slice(0, 32);
  return { id, used_at: now, size: Buffer.byteLength(frames) + 100, frames };
}

function messageRow(message: FeedbackMessage): Row {
  const { key, reportId, name, contact, page, about, at } = message;
  const texts = [key, key, message.message, name, contact, page].join("");
  return {
    message_key: key,
    report_id: reportId,
    message: message.message,
    name,
    contact,
    page,
    about,
    seen_at: at,
    size: sizeOf(texts),
  };
}

/** Of the entries in indexes, and of the row beside its texts. */
const overheadBytes = 400;

/** Of a row in bytes: pages are not full, and of long texts much less. */
function sizeOf(texts: string): number {
  return overheadBytes + Math.round(1.6 * Buffer.byteLength(texts));
}

export function errorRow(error: ErrorRecord, stackId: string | undefined): Row {
  const { type, message, route, release, environment } = error;
  // The row, and what indexes repeat of it.
  const texts = [type, message, route, route, release, release, environment].join("");
  return {
    event_id: error.eventId,
    report_id: error.reportId,
    group_id: error.group,
    kind: error.kind,
    type,
    message,
    seen_at: error.at,
    origin: error.origin,
    route,
    release,
    environment,
    trace_id: error.traceId,
    stack_id: stackId,
    size: sizeOf(texts),
  };
}

/** All that an error is searched and filtered by. */
export function variantRow(error: ErrorRecord): Row {
  const { group, kind, origin, route, release, environment, type, message, file } = error;
  const words = [type, message, route, file].filter(Boolean).join("\n").toLowerCase();
  const parts = [group, kind, origin, route, release, environment, words];
  const texts = [words, route, route, release, release, environment].join("");
  return {
    id: createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32),
    group_id: group,
    kind,
    origin,
    route,
    release,
    environment,
    words,
    seen_at: error.at,
    size: sizeOf(texts),
  };
}

/** An error that only a server of its release can resolve. */
export function unresolvedRow({ reportId, eventId }: ErrorRecord, release: string): Row {
  return { report_id: reportId, event_id: eventId, release };
}

/** The web vitals, requests and visits of a report. */
function measurementRows({ id, origin, receivedAt }: StoredReport, found: Digest): Row[] {
  const row = (route: string, metric: Metric, value: number) => ({
    route,
    metric,
    value,
    failed: 0,
    trace_id: undefined as string | undefined,
    origin,
    seen_at: receivedAt,
    size: measurementBytes + 2 * Buffer.byteLength(route),
  });
  const samples = found.samples.map((one) =>
    one.kind === "vital"
      ? row(one.route, one.vital, one.value)
      : { ...row(one.route, "request", one.duration), failed: one.failed ? 1 : 0 },
  );
  const visits = found.visits.map(({ route, duration, traceId, at }) => ({
    ...row(route, "visit", duration),
    trace_id: traceId,
    seen_at: at,
  }));
  return [...samples, ...visits].map((one, position) => ({ report_id: id, position, ...one }));
}

/** Of a row beside its route, and of its entries in indexes. */
const measurementBytes = 170;

/** Those of kinds that are not shown, and unreadable ones. */
function unfiledRows(id: number, { unshown, unreadable }: Digest): Row[] {
  return Object.entries({ ...unshown, unreadable }).flatMap(([kind, quantity]) =>
    quantity > 0 ? [{ report_id: id, kind, quantity }] : [],
  );
}
