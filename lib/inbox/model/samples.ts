import {
  type Fields,
  fields,
  list,
  milliseconds,
  number,
  type ReportContext,
  routeName,
  text,
} from "./fields";
import {
  attributesOf,
  maxSpans,
  spanFailed,
  transactionFailed,
  unknownRoute,
  unwrap,
} from "./spans";
import { type Vital, vitals, vitalValue } from "./vitals";

/** One measurement: a web vital of a page visit, or the duration of a request on the server. */
export type Sample =
  | { kind: "vital"; route: string; vital: Vital; value: number }
  | { kind: "request"; route: string; duration: number; failed: boolean };

/** No server answers for longer. */
const maxRequestMs = 24 * 3_600_000;

/**
 * Reads a `transaction` item: the SDK sends spans in this form with `traceLifecycle: "static"`.
 * Vitals are in its `measurements` or on its child spans.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * @returns the samples in it, often none; undefined where it is not a transaction
 */
export function readTransaction(event: Fields, context: ReportContext): Sample[] | undefined {
  const trace = fields(fields(event.contexts).trace);
  if (typeof event.transaction !== "string" && text(trace.trace_id) === undefined) return undefined;
  const route = routeName(event.transaction) ?? unknownRoute;
  const samples = vitalsIn((vital) => fields(event.measurements)[vital], route);
  for (const child of list(event.spans).slice(0, maxSpans)) {
    // Some SDK versions put the same vital in both places.
    for (const one of vitalsOfSpan(fields(child), route)) {
      if (!samples.some((had) => sameVital(had, one))) samples.push(one);
    }
  }
  if (trace.op === "http.server" && context.origin === "server") {
    const failed = transactionFailed(event);
    samples.push(...request(event.start_timestamp, event.timestamp, route, failed));
  }
  return samples;
}

/**
 * Reads a `span` item: a container of streamed spans, or one single span.
 * Source: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 *
 * @returns the samples in it, often none; undefined where it holds no spans
 */
export function readSpans(payload: Fields, context: ReportContext): Sample[] | undefined {
  if (Array.isArray(payload.items)) {
    return payload.items.slice(0, maxSpans).flatMap((span) => readSpan(fields(span), context));
  }
  return text(payload.span_id) === undefined ? undefined : readSpan(payload, context);
}

function readSpan(span: Fields, context: ReportContext): Sample[] {
  const attributes = attributesOf(span);
  const name = attributes("sentry.segment.name") ?? attributes("sentry.transaction");
  const route =
    routeName(name) ?? routeName(span.name) ?? routeName(span.description) ?? unknownRoute;
  const samples = vitalsOfSpan(span, route);
  const op = text(attributes("sentry.op")) ?? text(span.op);
  if (op === "http.server" && context.origin === "server") {
    const end = span.end_timestamp ?? span.timestamp;
    samples.push(...request(span.start_timestamp, end, route, spanFailed(span)));
  }
  return samples;
}

function vitalsOfSpan(span: Fields, route: string): Sample[] {
  const attributes = attributesOf(span);
  return vitalsIn(
    (vital) => attributes(`browser.web_vital.${vital}.value`) ?? fields(span.measurements)[vital],
    route,
  );
}

function vitalsIn(read: (vital: Vital) => unknown, route: string): Sample[] {
  return vitals.flatMap((vital) => {
    const value = vitalValue(vital, unwrap(read(vital)));
    return value === undefined ? [] : [{ kind: "vital" as const, route, vital, value }];
  });
}

function sameVital(a: Sample, b: Sample): boolean {
  return a.kind === "vital" && b.kind === "vital" && a.vital === b.vital;
}

function request(start: unknown, end: unknown, route: string, failed: boolean): Sample[] {
  const from = milliseconds(start);
  const to = milliseconds(end);
  if (from === undefined || to === undefined) return [];
  const duration = number(to - from, 0, maxRequestMs);
  return duration === undefined ? [] : [{ kind: "request", route, duration, failed }];
}
