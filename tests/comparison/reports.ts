import { type Breadcrumb, pathOf, type Report, type Span } from "../services/envelopes.ts";
import type { ReceivedEnvelope } from "../support/service.ts";

/** All events and transactions, each id once. */
export function reportsIn(envelopes: ReceivedEnvelope[]): Report[] {
  const reports = envelopes.flatMap(({ items }) =>
    items
      .filter(({ header }) => header.type === "event" || header.type === "transaction")
      .map(({ payload }) => payload as Report),
  );
  return [...new Map(reports.map((report) => [report.event_id, report])).values()];
}

/**
 * What a report is about, the same in both apps: of an event its words; of a transaction its operation
 * and, in the browser, the path of the page, on the server the route.
 */
export function identityOf(report: Report): string {
  if (report.type !== "transaction") {
    const { exception, message } = report;
    return message ? `message ${message}` : `error ${exception?.values.at(-1)?.value}`;
  }
  const op = report.contexts?.trace?.op ?? "no operation";
  const route = report.transaction?.replace(/^[A-Z]+ (?=\/)/, "");
  return `${op} ${report.platform === "node" ? route : pathOf(report)}`;
}

/** What reports of one identity say, by the place where they say it: each value as steady text. */
export type Facts = Map<string, string>;

/** Fields that differ in each report, or that are told in another way below. */
const untold = new Set([
  "event_id",
  "timestamp",
  "start_timestamp",
  "spans",
  "breadcrumbs",
  "stacktrace",
  "span_id",
  "trace_id",
  "parent_span_id",
  "debug_meta",
  "modules",
  "integrations",
  "packages",
]);

/** Of these it matters whether they are there: their values are the visitor's, the machine's or the hour's. */
const measured =
  /^measurements\.|^data\.(lcp|cls|inp)\.|request\.headers?\.|finish_reason$|^contexts\.(app|device)\./;

/** Spans that come and go with the load of the machine, or with the kinds of files that an app has. */
const accidental = /^(ui\.long|browser\.load|resource\.(?!script))/;

/**
 * What all reports of an app say, by identity. Where several have one identity, such as requests of one
 * route, their values stand beside each other.
 */
export function factsByIdentity(envelopes: ReceivedEnvelope[]): Map<string, Facts> {
  const reports = reportsIn(envelopes);
  const all = new Map<string, Facts>();
  const add = (identity: string, facts: Facts) => {
    const before = all.get(identity) ?? new Map<string, string>();
    for (const [place, value] of facts) {
      const values = new Set([...(before.get(place)?.split(" | ") ?? []), value]);
      before.set(place, [...values].sort().join(" | "));
    }
    all.set(identity, before);
  };
  for (const report of reports) add(identityOf(report), factsOf(report));
  for (const [identity, facts] of all) {
    const traces = reports.filter((report) => identityOf(report) === identity).map(traceOf);
    const others = reports
      .filter((report) => traces.includes(traceOf(report)) && identityOf(report) !== identity)
      .filter((report) => !identityOf(report).startsWith("no operation"))
      .map(identityOf);
    for (const other of others) facts.set(`shares a trace with ${other}`, "yes");
  }
  const types = envelopes.flatMap(({ items }) => items.map(({ header }) => String(header.type)));
  for (const type of types) add("items", new Map([[`of the type ${type}`, "yes"]]));
  return all;
}

const traceOf = ({ contexts }: Report) => contexts?.trace?.trace_id;

/** The facts of one report: its fields, its spans by what they are, the forms of its breadcrumbs. */
export function factsOf(report: Report): Facts {
  const facts: Facts = new Map();
  const { exception } = report;
  // The one that was thrown last comes first: of its causes, an app may have more than the other.
  const values = exception?.values.toReversed();
  tell(facts, "", { ...report, exception: values && { ...exception, values } });
  const spans = report.spans ?? [];
  for (const span of spans) {
    if (!accidental.test(span.op ?? "")) tellSpan(facts, span, spans);
  }
  for (const breadcrumb of report.breadcrumbs ?? []) tellBreadcrumb(facts, breadcrumb);
  return facts;
}

function tell(facts: Facts, path: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (typeof value !== "object") {
    // How many elements shift hangs on the load of the machine.
    const place = path
      .replace("contexts.trace.data.", "data.")
      .replace(/(cls\.source)\.\d+$/, "$1");
    facts.set(place, measured.test(place) ? "there" : steady(value, place));
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!untold.has(name)) tell(facts, path === "" ? name : `${path}.${name}`, inner);
  }
}

function tellSpan(facts: Facts, span: Span, spans: Span[]): void {
  const parent = spans.find(({ span_id }) => span_id === span.parent_span_id);
  const { op } = span;
  const name = nameOf(span);
  facts.set(`span ${name}`, `${span.origin ?? "manual"}${parent ? `, in ${nameOf(parent)}` : ""}`);
  for (const [key, value] of Object.entries(span.data ?? {})) {
    const isMeasured = op?.startsWith("resource.") && value !== "[Filtered]";
    facts.set(`span ${name} · ${key}`, isMeasured ? "there" : steady(value, key));
  }
}

/** What the browser measures has the page's address or an element of it as description. */
function nameOf({ op = "no operation", description = "" }: Span): string {
  return /^(browser|resource|ui|paint|mark|measure)/.test(op) ? op : `${op} ${steady(description)}`;
}

function tellBreadcrumb(facts: Facts, { category, type, level, message, data }: Breadcrumb): void {
  const parts = [
    type && `type ${type}`,
    level && `level ${level}`,
    message !== undefined && "message",
    ...Object.keys(data ?? {}).sort(),
  ];
  facts.set(`breadcrumb ${category}`, parts.filter(Boolean).join(", "));
}

/** Text that is the same in each run: without ids, hosts, names of files and numbers but statuses. */
function steady(value: unknown, place = ""): string {
  if (typeof value === "number") return /status_code$/.test(place) ? String(value) : "a number";
  return String(value)
    .replace(/https?:\/\/[\w.]+(:\d+)?/g, "ORIGIN")
    .replace(/\b(localhost|127\.0\.0\.1)(:\d+)?/g, "HOST")
    .replace(/\?[^ "]*/g, "?QUERY")
    .replace(/\b([0-9a-f]{32}|[0-9a-f]{16})\b/g, "ID")
    .replace(/\/_next\/data\/[^/]+(\/en(?=\/))?/g, "/_next/data/BUILD")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .trim();
}
