import {
  eventId,
  type Fields,
  fields,
  list,
  milliseconds,
  number,
  routeName,
  text,
} from "./fields.ts";

/** A piece of work: a request, a page load, or a part of one. */
export interface Span {
  id: string | undefined;
  parentId: string | undefined;
  /** 32 hex digits. */
  traceId: string | undefined;
  /** Such as `http.server`. */
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

export const unknownRoute = "unknown route";

/** SDKs put no more into one transaction or container. */
export const maxSpans = 1_000;

/** Statuses that are no fault of the server: those of answers below 500. */
const harmless = new Set([
  "ok",
  "unset",
  "cancelled",
  "invalid_argument",
  "unauthenticated",
  "permission_denied",
  "not_found",
  "already_exists",
  "failed_precondition",
  "resource_exhausted",
]);

/**
 * The span that a `transaction` item stands for, in the form of those inside of it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
export function rootOf(event: Fields): Fields {
  const { trace, response } = fields(event.contexts);
  const { status_code } = fields(response);
  const { data, ...root } = fields(trace);
  return {
    ...root,
    data: {
      "http.response.status_code": status_code,
      ...fields(data),
      "sentry.segment.name": event.transaction,
    },
    measurements: event.measurements,
    is_segment: true,
    start_timestamp: event.start_timestamp,
    end_timestamp: event.timestamp,
  };
}

/**
 * The spans inside a transaction, in any order.
 *
 * @param max of those that are looked at
 */
export function childrenOf(event: Fields, max: number): Fields[] {
  return list(event.spans).slice(0, max).map(fields);
}

/**
 * What a `span` item holds: a container of streamed spans, or one single span.
 * Source: https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 *
 * @param max of those that are looked at
 */
export function spansIn(payload: Fields, max: number): Fields[] {
  return Array.isArray(payload.items) ? payload.items.slice(0, max).map(fields) : [payload];
}

/** @returns nothing where it has no begin or no end */
export function readSpan(span: Fields, isRoot = span.is_segment === true): Span | undefined {
  const times = timesOf(span.start_timestamp, span.end_timestamp ?? span.timestamp);
  if (!times) return undefined;
  return {
    id: text(span.span_id),
    parentId: text(span.parent_span_id),
    traceId: eventId(span.trace_id),
    op: text(attributesOf(span)("sentry.op")) ?? text(span.op),
    name: isRoot ? routeOf(span) : nameOf(span),
    ...times,
    isRoot,
    failed: hasFailed(span),
  };
}

/** The route of the visit or request that a span is part of. */
export function routeOf(span: Fields): string {
  const attributes = attributesOf(span);
  const segment = attributes("sentry.segment.name") ?? attributes("sentry.transaction");
  return routeName(segment) ?? routeName(nameOf(span)) ?? unknownRoute;
}

function nameOf(span: Fields): string | undefined {
  return text(span.name) ?? text(span.description);
}

function timesOf(from: unknown, to: unknown): { start: number; end: number } | undefined {
  const start = milliseconds(from);
  const end = milliseconds(to);
  return start === undefined || end === undefined || end < start ? undefined : { start, end };
}

/**
 * Only server errors are failures. The span's status counts where no HTTP status is known.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/span/
 */
function hasFailed(span: Fields): boolean {
  const attributes = attributesOf(span);
  const code = number(attributes("http.response.status_code"), 100, 999);
  if (code !== undefined) return code >= 500;
  const named = text(attributes("sentry.status")) ?? text(span.status);
  return named !== undefined && !harmless.has(named);
}

/** Streamed spans have each attribute as an object of value and type; older forms the value, in `data`. */
export function attributesOf(span: Fields): (name: string) => unknown {
  const typed = fields(span.attributes);
  const plain = fields(span.data);
  return (name) => unwrap(typed[name]) ?? plain[name];
}

/** @returns the value of a typed attribute, and any other value itself */
export function unwrap(attribute: unknown): unknown {
  return typeof attribute === "object" && attribute !== null ? fields(attribute).value : attribute;
}
