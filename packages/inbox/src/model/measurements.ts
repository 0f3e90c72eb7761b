import type { Origin } from "@signpost/relay/store";
import { type Fields, fields, number, type ReportContext, serverTime, text } from "./fields.ts";
import {
  attributesOf,
  childrenOf,
  maxSpans,
  readSpan,
  rootOf,
  routeOf,
  spansIn,
  unknownRoute,
  unwrap,
} from "./spans.ts";

/** The web vitals that the inbox shows, in this order. */
export const vitals = ["lcp", "inp", "cls", "fcp", "ttfb"] as const;
export type Vital = (typeof vitals)[number];

/** A vital, an answer of the server, or what somebody waited for: page load, navigation or request. */
export type Metric = Vital | "request" | "visit";

/** A row of `measurements`, without its report and its place in that. */
export interface Measurement {
  route: string;
  metric: Metric;
  /** Milliseconds; CLS has no unit. */
  value: number;
  /** 1 for a request that was answered with a server error. */
  failed: 0 | 1;
  trace_id: string | undefined;
  origin: Origin;
  /** Milliseconds since the epoch, by this server's clock. */
  seen_at: number;
  size: number;
}

/** Other root spans are parts of a visit's picture. */
const visitOps: Record<Origin, readonly string[]> = {
  browser: ["pageload", "navigation"],
  server: ["http.server"],
};

/** Clients can send any times. Nobody waits for longer than an hour. */
const maxVisitMs = 3_600_000;
/** No server answers for longer. */
const maxRequestMs = 24 * 3_600_000;

/**
 * Reads a `transaction` item: the SDK sends spans in this form with `traceLifecycle: "static"`.
 * Vitals are in its `measurements` or on its child spans; some SDK versions put one in both places.
 *
 * @returns undefined where it is not a transaction
 */
export function readTransaction(event: Fields, context: ReportContext): Measurement[] | undefined {
  const root = rootOf(event);
  if (typeof event.transaction !== "string" && text(root.trace_id) === undefined) return undefined;
  const found = measure(root, context);
  for (const child of childrenOf(event, maxSpans)) {
    for (const vital of vitalsOf(child, routeOf(root), context)) {
      if (!found.some(({ metric }) => metric === vital.metric)) found.push(vital);
    }
  }
  return found;
}

/**
 * Reads a `span` item.
 *
 * @returns undefined where it holds no spans
 */
export function readSpans(payload: Fields, context: ReportContext): Measurement[] | undefined {
  if (!Array.isArray(payload.items) && text(payload.span_id) === undefined) return undefined;
  return spansIn(payload, maxSpans).flatMap((span) => measure(span, context));
}

/** Its vitals; and what it is itself, a request, a visit or both. */
function measure(one: Fields, context: ReportContext): Measurement[] {
  const route = routeOf(one);
  const found = vitalsOf(one, route, context);
  const span = readSpan(one);
  if (!span) return found;
  const { op = "", start, end, traceId } = span;
  const duration = end - start;
  // A browser can't make up requests.
  if (op === "http.server" && context.origin === "server" && duration <= maxRequestMs) {
    found.push({ ...row(route, "request", duration, context), failed: span.failed ? 1 : 0 });
  }
  const isVisit = span.isRoot && traceId && visitOps[context.origin].includes(op);
  if (isVisit && duration <= maxVisitMs) {
    const visit = row(span.name ?? unknownRoute, "visit", duration, context);
    found.push({ ...visit, trace_id: traceId, seen_at: serverTime(start, context) });
  }
  return found;
}

function vitalsOf(span: Fields, route: string, context: ReportContext): Measurement[] {
  const attributes = attributesOf(span);
  return vitals.flatMap((vital) => {
    const given =
      attributes(`browser.web_vital.${vital}.value`) ?? fields(span.measurements)[vital];
    const value = vitalValue(vital, unwrap(given));
    return value === undefined ? [] : [row(route, vital, value, context)];
  });
}

/** Of a row beside its route, and of its entries in indexes. */
const rowBytes = 170;

function row(
  route: string,
  metric: Metric,
  value: number,
  { origin, receivedAt }: ReportContext,
): Measurement {
  const size = rowBytes + 2 * Buffer.byteLength(route);
  const seen_at = receivedAt;
  return { route, metric, value, failed: 0, trace_id: undefined, origin, seen_at, size };
}

/** @returns a value that a browser can have measured: clients can send any number */
export function vitalValue(vital: Vital, value: unknown): number | undefined {
  return number(value, 0, vital === "cls" ? 1000 : 3_600_000);
}
