import type { Origin } from "@/lib/outbox/outbox";
import {
  type Fields,
  fields,
  list,
  type ReportContext,
  routeName,
  serverTime,
  text,
} from "./fields";
import {
  attributesOf,
  maxSpans,
  readSpan,
  rootSpan,
  routeOf,
  type Span,
  spansIn,
  unknownRoute,
  unwrap,
} from "./spans";
import { type Vital, vitals, vitalValue } from "./vitals";

/** One web vital of a page visit, or the duration of a request on the server. */
export type Sample =
  | { kind: "vital"; route: string; vital: Vital; value: number }
  | { kind: "request"; route: string; duration: number; failed: boolean };
type VitalSample = Extract<Sample, { kind: "vital" }>;

/** One page load, one navigation or one request: what somebody waited for. */
export interface Visit {
  traceId: string;
  reportId: number;
  route: string;
  origin: Origin;
  /** Milliseconds. */
  duration: number;
  /** When it began, in milliseconds since the epoch by this server's clock. */
  at: number;
}

/** What one item measured. */
export interface Measurements {
  samples: Sample[];
  visits: Visit[];
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
 * Vitals are in its `measurements` or on its child spans.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * @returns undefined where it is not a transaction
 */
export function readTransaction(event: Fields, context: ReportContext): Measurements | undefined {
  const trace = fields(fields(event.contexts).trace);
  if (typeof event.transaction !== "string" && text(trace.trace_id) === undefined) return undefined;
  const route = routeName(event.transaction) ?? unknownRoute;
  const found = vitalsIn((vital) => fields(event.measurements)[vital], route);
  for (const child of list(event.spans).slice(0, maxSpans)) {
    // Some SDK versions put the same vital in both places.
    for (const one of vitalsOfSpan(fields(child), route)) {
      if (!found.some(({ vital }) => vital === one.vital)) found.push(one);
    }
  }
  const root = rootSpan(event);
  return {
    samples: [...found, ...requestOf(root, route, context)],
    visits: visitOf(root, context),
  };
}

/**
 * Reads a `span` item: a container of streamed spans, or one single span.
 * Source: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 *
 * @returns undefined where it holds no spans
 */
export function readSpans(payload: Fields, context: ReportContext): Measurements | undefined {
  if (!Array.isArray(payload.items) && text(payload.span_id) === undefined) return undefined;
  const found: Measurements = { samples: [], visits: [] };
  for (const fieldsOfSpan of spansIn(payload, maxSpans)) {
    const route = routeOf(fieldsOfSpan);
    const span = readSpan(fieldsOfSpan);
    found.samples.push(...vitalsOfSpan(fieldsOfSpan, route), ...requestOf(span, route, context));
    found.visits.push(...visitOf(span, context));
  }
  return found;
}

function vitalsOfSpan(span: Fields, route: string): VitalSample[] {
  const attributes = attributesOf(span);
  return vitalsIn(
    (vital) => attributes(`browser.web_vital.${vital}.value`) ?? fields(span.measurements)[vital],
    route,
  );
}

function vitalsIn(read: (vital: Vital) => unknown, route: string): VitalSample[] {
  return vitals.flatMap((vital) => {
    const value = vitalValue(vital, unwrap(read(vital)));
    return value === undefined ? [] : [{ kind: "vital" as const, route, vital, value }];
  });
}

/** @returns none where the span is no request that the server itself reports */
function requestOf(span: Span | undefined, route: string, { origin }: ReportContext): Sample[] {
  if (span?.op !== "http.server" || origin !== "server") return [];
  const duration = span.end - span.start;
  return duration > maxRequestMs ? [] : [{ kind: "request", route, duration, failed: span.failed }];
}

/** @returns none where the span is no visit */
function visitOf(span: Span | undefined, context: ReportContext): Visit[] {
  const { reportId, origin } = context;
  if (!span?.isRoot || !span.traceId || !visitOps[origin].includes(span.op ?? "")) return [];
  const { traceId, name: route = unknownRoute, start, end } = span;
  const duration = end - start;
  if (duration > maxVisitMs) return [];
  return [{ traceId, reportId, route, origin, duration, at: serverTime(start, context) }];
}
