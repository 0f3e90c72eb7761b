import type { Facts } from "../../comparison/reports.ts";
import type { Report, Span } from "../../services/envelopes.ts";
import type { ReceivedEnvelope } from "../../support/service.ts";

/** Something that one call has sent: an event, a transaction, a span of a page load, a log, a metric. */
export interface Sent {
  /** When it happened, in milliseconds since the epoch. */
  at: number;
  /** What it is about, the same in both apps. */
  identity: string;
  /** All else that it says, field by field. */
  says: Record<string, unknown>;
  /** The page that it is of, and the name of the snippet, where it says so. */
  page?: unknown;
  snippet?: unknown;
  /** Whether it is the visit's or the request's own, and no snippet's. */
  isOfVisit?: boolean;
}

type Json = Record<string, unknown>;

/**
 * Everything that has arrived from an app, in pieces that belong to one call each.
 *
 * @param whileLoading whether it was called while the page loads: whether a span is then the page load's or a
 *   transaction in its trace hangs on how long the load takes
 */
export function sentIn(envelopes: ReceivedEnvelope[], whileLoading: boolean): Sent[] {
  const transactions = new Set<string>();
  const all = envelopes.flatMap(({ items }) => items.map(({ payload }) => payload as Report));
  const tracesOf = (visits: Report[]) => visits.map(({ contexts }) => contexts?.trace?.trace_id);
  const traces = tracesOf(all.filter((report) => report && isVisit(report)));
  const ofVisit = (id: unknown) => (traces.includes(id) ? "the visit's" : "another");
  return envelopes.flatMap(({ header, items }) => {
    // For what says no time, and not whose it is: an attachment comes with its event.
    const [first] = items.map(({ payload }) => payload as Report | undefined);
    const { page, snippet } = first?.tags ?? {};
    const together = { at: timeOf(first?.timestamp ?? header.sent_at), page, snippet };
    return items.flatMap((item): Sent[] => {
      const payload = item.payload as Json;
      switch (item.header.type) {
        case "event":
        case "feedback":
          return [eventOf(payload as Report, ofVisit)];
        case "transaction": {
          const report = payload as Report;
          // It may come twice.
          if (transactions.has(report.event_id)) return [];
          transactions.add(report.event_id);
          const isPart = whileLoading && traces.includes(report.contexts?.trace?.trace_id);
          return transactionOf(isPart && !isVisit(report) ? asSpans(report) : report, ofVisit);
        }
        case "log":
          return (payload.items as Json[]).map((log) =>
            telemetryOf(`log ${log.body}`, log, ofVisit),
          );
        case "trace_metric":
          return (payload.items as Json[]).map((one) =>
            telemetryOf(`metric ${one.name}`, one, ofVisit),
          );
        case "attachment":
          return [
            {
              ...together,
              identity: `attachment ${item.header.filename}`,
              says: { ...item.header, text: item.bytes.toString() },
            },
          ];
        case "session":
        case "sessions":
        case "client_report":
          return [];
        default:
          return [
            {
              ...together,
              identity: `${item.header.type} ${payload?.monitor_slug} ${payload?.status}`,
              says: payload ?? {},
            },
          ];
      }
    });
  });
}

/** Says whose trace it is, by its id. */
type TraceOf = (id: unknown) => string;

/** Whether it is the transaction of a page load or of a request. */
function isVisit({ contexts }: Report): boolean {
  const { op, origin } = contexts?.trace ?? {};
  return op === "pageload" || (op === "http.server" && origin !== "manual");
}

/** The page load that a transaction might have been part of. */
function asSpans(report: Report): Report {
  const { start_timestamp, timestamp, transaction = "", spans = [], contexts } = report;
  const { links: _, ...trace } = (contexts?.trace ?? {}) as unknown as Span & { links?: unknown };
  const data = Object.entries(trace.data ?? {}).filter(([name]) => !ofTransaction.test(name));
  const span = { ...trace, description: transaction, start_timestamp, timestamp };
  return {
    ...report,
    contexts: { trace: { op: "pageload" } },
    spans: [{ ...span, data: Object.fromEntries(data) }, ...spans],
  };
}

/** Attributes that a span lacks. */
const ofTransaction = /^sentry\.(sample_rate|source|segment|previous_trace)/;

function timeOf(time: unknown): number {
  return typeof time === "number" ? time * 1000 : Date.parse(String(time));
}

/** Breadcrumbs that the page leaves, and not the snippet. */
const ofPage = /^(navigation|ui\.|fetch|xhr|http|sentry\.)/;

function eventOf(report: Report, traceOf: TraceOf): Sent {
  const { timestamp, tags, ...says } = report;
  const { page, snippet, ...others } = tags ?? {};
  const breadcrumbs = says.breadcrumbs?.filter(({ category = "" }) => !ofPage.test(category));
  return {
    at: timeOf(timestamp),
    identity: nameOf(report),
    says: { ...says, tags: others, breadcrumbs, trace: traceOf(says.contexts?.trace?.trace_id) },
    page,
    snippet,
  };
}

function nameOf({ type, message, logentry, exception, contexts }: Report): string {
  if (type === "feedback") return `feedback ${contexts?.feedback?.message}`;
  if (exception) return `error ${exception.values.at(-1)?.value}`;
  return `message ${message ?? (logentry as Json | undefined)?.message}`;
}

/** The transactions of a visit and of a request have the spans of many calls. */
function transactionOf(report: Report, traceOf: TraceOf): Sent[] {
  const { spans = [], start_timestamp, timestamp: _, tags, ...says } = report;
  const { page, snippet, ...others } = tags ?? {};
  const { span_id, trace_id } = report.contexts?.trace ?? {};
  const isOfVisit = isVisit(report);
  const own = spans.filter(isOfApp);
  const names = new Map(own.map(({ span_id: id, description = "" }) => [id, description]));
  if (!isOfVisit) names.set(String(span_id), report.transaction ?? "");
  const whole: Sent = {
    at: timeOf(start_timestamp),
    identity: isOfVisit ? "the visit" : `transaction ${report.transaction}`,
    says: { ...says, tags: others, trace: traceOf(trace_id) },
    page,
    // A page load is that of many.
    snippet: page !== undefined && isOfVisit ? undefined : snippet,
    isOfVisit,
  };
  return [whole, ...own.map((span) => ({ ...spanOf(span, names), page, snippet: whole.snippet }))];
}

/** Spans that the SDK makes by itself, of page and request. */
const ofSdk = /^auto\.(?!db\.ours)|^auto$/;
const measures = /^(browser|resource|paint|mark)\b/;

function isOfApp({ origin = "", op = "", description = "", data }: Span): boolean {
  if (data && "next.span_type" in data) return false;
  // A span from before the SDK, or a measure of Next's own.
  if (op === "measure") return !description.startsWith("Next.js-");
  return !measures.test(op) && (!ofSdk.test(origin) || /react/.test(origin));
}

function spanOf(span: Span, names: Map<string, string>): Sent {
  const { start_timestamp, timestamp: _, description, parent_span_id, ...says } = span;
  return {
    at: timeOf(start_timestamp),
    identity: `span ${description}`,
    says: { ...says, parent: names.get(parent_span_id ?? "") ?? "the visit" },
  };
}

function telemetryOf(
  identity: string,
  { timestamp, attributes, ...says }: Json,
  traceOf: TraceOf,
): Sent {
  const { page, snippet, ...others } = (attributes ?? {}) as Record<string, { value: unknown }>;
  return {
    at: timeOf(timestamp),
    identity,
    says: { ...says, attributes: others, trace: traceOf(says.trace_id) },
    page: page?.value,
    snippet: snippet?.value,
  };
}

/** Fields that differ in each report, or that the comparison of whole pages compares. */
const untold = new Set(
  [
    "event_id timestamp start_timestamp span_id trace_id parent_span_id segment_id sequence sent_at",
    "length debug_meta modules packages integrations settings server_name ip_address",
    "headers cookies turbopack",
  ].flatMap((names) => names.split(" ")),
);

/** The comparison of whole pages has these of the visit. */
const untoldOfVisit =
  /^(contexts|request|sdk|spans|measurements|transaction_info|platform|breadcrumbs)\b/;

/** The machine's own, and what is measured. */
const accidental =
  /^contexts\.(app|device|os|runtime|culture|cloud_resource|browser)\b|timestamp\.sequence|^duration$/;

/** Of a request: the comparison of whole pages has them. */
const header = /http\.request\.header/;

/** Whether the page load still runs. */
const whileItLoads = /^attributes\.sentry\.trace\.parent_span_id/;

/** A browser's clock gives two spans of one component the same start at times: then by what they are. */
function byTime(a: Sent, b: Sent): number {
  return a.at - b.at || String(a.says.op).localeCompare(String(b.says.op));
}

/** What is said of one call, by the place where it is said: each value as steady text. */
export function factsOf(sent: Sent[]): Facts {
  const facts: Facts = new Map();
  const counts = new Map<string, number>();
  for (const { identity, says, isOfVisit, page } of [...sent].sort(byTime)) {
    const count = (counts.get(identity) ?? 0) + 1;
    counts.set(identity, count);
    const name = steady(count === 1 ? identity : `${identity} (${count})`);
    facts.set(name, "there");
    tell(says, "", (place, value) => {
      if (value === "{}" || value === "[]" || accidental.test(place) || header.test(place)) return;
      if (isOfVisit && untoldOfVisit.test(place)) return;
      if (page !== undefined && whileItLoads.test(place)) return;
      facts.set(`${name} · ${place}`, value);
    });
  }
  return facts;
}

/** Of longer lists, the length says enough. */
const maxItems = 20;

/** Tells each value inside of a value by the path to it. */
export function tell(
  value: unknown,
  path: string,
  add: (place: string, value: string) => void,
): void {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null) add(path, steady(value));
  else if (path.endsWith("stacktrace")) add(path, "there");
  else if (Array.isArray(value) && value.length > maxItems)
    add(`${path}.length`, `${value.length}`);
  else if (Object.keys(value).length === 0) add(path, Array.isArray(value) ? "[]" : "{}");
  else {
    for (const [name, inner] of Object.entries(value)) {
      if (!untold.has(name)) tell(inner, path === "" ? name : `${path}.${name}`, add);
    }
  }
}

/** Text that is the same in each run: without ids, hosts, times and names of chunks. */
function steady(value: unknown): string {
  if (typeof value === "number" && value > 1e9) return "TIME";
  if (typeof value !== "string") return JSON.stringify(value);
  return (
    value
      // As bundlers shorten names.
      .replace(/[\w$.]+(?= is not a (function|constructor))/, "…")
      .replace(/\n +at .*/s, "\n STACK")
      .replace(/https?:\/\/[\w.]+(:\d+)?/g, "ORIGIN")
      .replace(/\b(localhost|127\.0\.0\.1)(:\d+)?/g, "HOST")
      .replace(/\b([0-9a-f]{32}|[0-9a-f]{16})\b/g, "ID")
      .replace(/\/_next\/static\/chunks\/[\w.~-]+\.js(:\d+)*/g, "CHUNK")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
  );
}
