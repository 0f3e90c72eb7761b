import type { Arrival } from "./arrival";
import { type Fields, fields, list, milliseconds, number, text } from "./fields";
import { nameless, routeOf } from "./route-name";
import { isPlausible, type Vital, vitals } from "./vitals";

/** One measurement: how a visit of a page went, or how long the server took over a request. */
export type Sample =
  | { kind: "vital"; route: string; vital: Vital; value: number }
  | { kind: "request"; route: string; duration: number; failed: boolean };

/**
 * Reads a `transaction` item, the form spans have under `traceLifecycle: "static"`: vitals are in
 * its `measurements`, or on its child spans.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * @returns what it measured (often nothing), or undefined where it is no transaction
 */
export function readTransaction(event: Fields, arrival: Arrival): Sample[] | undefined {
  const trace = fields(fields(event.contexts).trace);
  if (typeof event.transaction !== "string" && text(trace.trace_id) === undefined) return undefined;
  const route = routeOf(event.transaction) ?? nameless;
  const samples = vitalsIn((vital) => fields(event.measurements)[vital], route);
  for (const child of list(event.spans).map(fields)) {
    const found = vitalsOfSpan(child, route);
    // Some SDK versions put a vital in both places; it is one measurement.
    samples.push(...found.filter((one) => !samples.some((had) => sameVital(had, one))));
  }
  if (trace.op === "http.server" && arrival.origin === "server") {
    const data = fields(trace.data);
    const response = fields(fields(event.contexts).response);
    const code = number(data["http.response.status_code"]) ?? number(response.status_code);
    const failed = isFailure(code, text(trace.status));
    samples.push(...request(event.start_timestamp, event.timestamp, route, failed));
  }
  return samples;
}

/**
 * Reads a `span` item: a container of streamed spans, or one single span.
 * Source: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 *
 * @returns what the spans measured (often nothing), or undefined where it holds no spans
 */
export function readSpans(payload: Fields, arrival: Arrival): Sample[] | undefined {
  if (Array.isArray(payload.items)) {
    return payload.items.flatMap((span) => readSpan(fields(span), arrival));
  }
  return text(payload.span_id) === undefined ? undefined : readSpan(payload, arrival);
}

function readSpan(span: Fields, arrival: Arrival): Sample[] {
  const attributes = attributesOf(span);
  const name = attributes("sentry.segment.name") ?? attributes("sentry.transaction");
  const route = routeOf(name) ?? routeOf(span.name) ?? routeOf(span.description) ?? nameless;
  const samples = vitalsOfSpan(span, route);
  const op = text(attributes("sentry.op")) ?? text(span.op);
  if (op === "http.server" && arrival.origin === "server") {
    const failed = isFailure(
      number(attributes("http.response.status_code")),
      text(attributes("sentry.status")) ?? text(span.status),
    );
    samples.push(
      ...request(span.start_timestamp, span.end_timestamp ?? span.timestamp, route, failed),
    );
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

/** Streamed spans wrap an attribute's value with its type; older forms have it bare in `data`. */
function attributesOf(span: Fields): (name: string) => unknown {
  const wrapped = fields(span.attributes);
  const bare = fields(span.data);
  return (name) => unwrap(wrapped[name]) ?? bare[name];
}

function unwrap(wrapped: unknown): unknown {
  return typeof wrapped === "object" && wrapped !== null ? fields(wrapped).value : wrapped;
}

function vitalsIn(read: (vital: Vital) => unknown, route: string): Sample[] {
  return vitals.flatMap((vital) => {
    const value = number(unwrap(read(vital)));
    return value !== undefined && isPlausible(vital, value)
      ? [{ kind: "vital" as const, route, vital, value }]
      : [];
  });
}

function sameVital(a: Sample, b: Sample): boolean {
  return a.kind === "vital" && b.kind === "vital" && a.vital === b.vital;
}

function request(start: unknown, end: unknown, route: string, failed: boolean): Sample[] {
  const from = milliseconds(start);
  const to = milliseconds(end);
  if (from === undefined || to === undefined || to < from) return [];
  return [{ kind: "request", route, duration: to - from, failed }];
}

/** A 404 is an answer, not a failure; only where no code is known does the span's word count. */
function isFailure(code: number | undefined, status: string | undefined): boolean {
  if (code !== undefined) return code >= 500;
  return ["error", "internal_error", "unknown_error", "unavailable", "data_loss"].includes(
    status ?? "",
  );
}
