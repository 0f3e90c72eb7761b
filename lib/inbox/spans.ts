import { eventId, type Fields, fields, list, milliseconds, routeName, text } from "./fields";

/** A piece of work with a begin and an end: a request, a page load, or a part of one. */
export interface Span {
  id: string | undefined;
  parentId: string | undefined;
  /** 32 hex digits. */
  traceId: string | undefined;
  /** The kind of work, such as `http.server`. */
  op: string | undefined;
  /** What was done. A root span is named by its route. */
  name: string | undefined;
  /** Milliseconds since the epoch, by the clock of the reporting side. */
  start: number;
  end: number;
  /** Whether it is a whole visit or request, not a part of one. */
  isRoot: boolean;
  failed: boolean;
}

/** The route of a root span without a name. */
export const unknownRoute = "unknown route";

/** SDKs put no more into one transaction or container. */
export const maxSpans = 1_000;

/** Of statuses that are no success, those that are nobody's fault. */
const harmless = ["ok", "unset", "cancelled", "not_found", "unauthenticated", "permission_denied"];

/**
 * The span that a `transaction` item stands for.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * @returns nothing where it has no begin or no end
 */
export function rootSpan(event: Fields): Span | undefined {
  const trace = fields(fields(event.contexts).trace);
  const times = timesOf(event.start_timestamp, event.timestamp);
  if (!times) return undefined;
  return {
    id: text(trace.span_id),
    parentId: text(trace.parent_span_id),
    traceId: eventId(trace.trace_id),
    op: text(trace.op),
    name: routeName(event.transaction) ?? unknownRoute,
    ...times,
    isRoot: true,
    failed: isFailed(text(trace.status)),
  };
}

/** The spans inside a transaction, in any order. @param max of those that are looked at */
export function childSpans(event: Fields, max = maxSpans): Span[] {
  const spans = list(event.spans).slice(0, max);
  return spans.flatMap((child) => readSpan(fields(child), false) ?? []);
}

/**
 * The spans of a `span` item: a container of streamed spans, or one single span.
 * Source: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 *
 * @param max of those that are looked at
 */
export function streamedSpans(payload: Fields, max = maxSpans): Span[] {
  const spans = Array.isArray(payload.items) ? payload.items.slice(0, max) : [payload];
  return spans.flatMap((one) => {
    const span = fields(one);
    return readSpan(span, span.is_segment === true) ?? [];
  });
}

function readSpan(span: Fields, isRoot: boolean): Span | undefined {
  const times = timesOf(span.start_timestamp, span.end_timestamp ?? span.timestamp);
  if (!times) return undefined;
  const attributes = attributesOf(span);
  const segment = attributes("sentry.segment.name") ?? attributes("sentry.transaction");
  const name = text(span.name) ?? text(span.description);
  return {
    id: text(span.span_id),
    parentId: text(span.parent_span_id),
    traceId: eventId(span.trace_id),
    op: text(attributes("sentry.op")) ?? text(span.op),
    name: isRoot ? (routeName(segment) ?? routeName(name) ?? unknownRoute) : name,
    ...times,
    isRoot,
    failed: isFailed(text(attributes("sentry.status")) ?? text(span.status)),
  };
}

function timesOf(from: unknown, to: unknown): { start: number; end: number } | undefined {
  const start = milliseconds(from);
  const end = milliseconds(to);
  return start === undefined || end === undefined || end < start ? undefined : { start, end };
}

function isFailed(status: string | undefined): boolean {
  return status !== undefined && !harmless.includes(status);
}

/**
 * Streamed spans have each attribute as an object of value and type; older forms have the value
 * itself, in `data`.
 */
export function attributesOf(span: Fields): (name: string) => unknown {
  const typed = fields(span.attributes);
  const plain = fields(span.data);
  return (name) => unwrap(typed[name]) ?? plain[name];
}

/** @returns the value of a typed attribute, and any other value itself */
export function unwrap(attribute: unknown): unknown {
  return typeof attribute === "object" && attribute !== null ? fields(attribute).value : attribute;
}
