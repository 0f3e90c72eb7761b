import type { Origin } from "@/lib/outbox/outbox";
import { type Fields, type ReportContext, serverTime } from "./fields";
import { rootSpan, type Span, streamedSpans } from "./spans";

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

/** Other root spans are parts of a visit's picture. */
const visitOps: Record<Origin, readonly string[]> = {
  browser: ["pageload", "navigation"],
  server: ["http.server"],
};

/** Clients can send any times. Nobody waits for longer than an hour. */
const maxDuration = 3_600_000;

/** Reads a `transaction` item. @returns the visit that it is, if it is one */
export function visitsOfTransaction(event: Fields, context: ReportContext): Visit[] {
  const root = rootSpan(event);
  return root ? visitsOf([root], context) : [];
}

/** Reads a `span` item. @returns a visit for each root span that is one */
export function visitsOfSpans(payload: Fields, context: ReportContext): Visit[] {
  return visitsOf(streamedSpans(payload), context);
}

function visitsOf(spans: Span[], context: ReportContext): Visit[] {
  const { reportId, origin } = context;
  return spans.flatMap(({ traceId, name, op, start, end, isRoot }) =>
    isRoot && traceId && name && end - start <= maxDuration && visitOps[origin].includes(op ?? "")
      ? [
          {
            traceId,
            reportId,
            route: name,
            origin,
            duration: end - start,
            at: serverTime(start, context),
          },
        ]
      : [],
  );
}
