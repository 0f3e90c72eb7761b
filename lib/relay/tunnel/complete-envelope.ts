import { z } from "zod";
import { patternOf } from "@/lib/base/routes/location";
import { parseJson } from "@/lib/relay/envelope/json-limits";
import type { Envelope } from "@/lib/relay/envelope/read-envelope";
import { scrubItem } from "@/lib/relay/envelope/scrub-envelope";
import { readUserAgent, type UserAgent } from "@/lib/relay/envelope/user-agent";
import { writeEnvelope } from "@/lib/relay/envelope/write-envelope";

/** What this server says of every report. */
export interface Reporting {
  release: string;
  environment: string;
  /** 0 to 1: of the visits whose page the server renders for this visit alone. */
  serverTracesSampleRate: number;
  /** 0 to 1: of the other visits. */
  browserTracesSampleRate: number;
}

/**
 * The `sdk` of reports that left the browser without Sentry's. Its name begins like those of Sentry's
 * SDKs for browsers: by that, Spotlight knows a browser's report.
 */
export const sdk = { name: "sentry.javascript.signpost", version: "0.1.0" };

/** Of a payload that is parsed. What the browser writes without the SDK is below. */
const payloadLimits = { maxBytes: 128 * 1024, maxValues: 10_000, maxDepth: 100 };

const text = z.string().max(10_000);
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
/** Since the epoch. */
const seconds = z.number().min(0).max(1e11);
const amount = z.number().min(0).max(1e9);
/** Pages of an earlier build give the unit too. */
const measurement = z.union([amount, z.object({ value: amount }).transform(({ value }) => value)]);

const record = z.record(z.string(), z.unknown());

/**
 * As lib/sentry/browser/first-load/without-sdk.ts and lib/sentry/tell-scopes.ts write it. What a
 * team captures by `captureEvent` may have any other field, and any value in each: all is scrubbed. So
 * an `exception` may be there too; pages of an earlier build send it in place of `thrown`.
 */
const errorSchema = z.looseObject({
  event_id: hex(32),
  type: z.literal("feedback").optional().catch(undefined),
  transaction: text.optional().catch(undefined),
  thrown: z
    .object({
      type: text,
      value: text,
      stack: z.string().max(16_384).optional().catch(undefined),
      mechanism: record,
    })
    .optional(),
  user: z
    .object({ id: z.union([text, z.number()]) })
    .optional()
    .catch(undefined),
  tags: record.optional().catch(undefined),
  contexts: record.optional().catch(undefined),
});

/** As lib/sentry/browser/first-load/visit.ts writes it. */
const visitSchema = z
  .object({
    event_id: hex(32),
    type: z.literal("transaction"),
    transaction: text,
    start_timestamp: seconds,
    timestamp: seconds,
    request: z.object({ url: text }),
    contexts: z.object({
      trace: z.object({
        trace_id: hex(32),
        span_id: hex(16),
        parent_span_id: hex(16).optional(),
      }),
    }),
    status: z.number().int().min(0).max(999).optional(),
    measurements: z.partialRecord(z.enum(["ttfb", "fcp", "lcp", "inp", "cls"]), measurement),
  })
  .refine(({ start_timestamp, timestamp }) => start_timestamp <= timestamp);

type ErrorEvent = z.infer<typeof errorSchema>;
type Visit = z.infer<typeof visitSchema>;

/**
 * Completes an envelope that left the browser without the SDK. No page can know the server's release
 * and environment, since one build serves every environment; and a static page that is left early
 * doesn't know the sample rate. Such an envelope is marked `incomplete` in its header and holds one
 * small event. It is written anew, and scrubbed here: pages don't carry the code for that. The names
 * of browser and system come from the request's `User-Agent`, as the SDK's reports have them.
 *
 * A visit that turns out not to be sampled has then sent a request in vain. Only the shortest visits
 * do, and their page is gone by then. To fetch the sample rate earlier would cost every visit a request
 * while its page is loading.
 *
 * @returns the completed envelope; "unsampled" if the visit is not measured; "malformed" if it is marked
 *   and holds anything else; undefined if it has no mark
 */
export function completeEnvelope(
  { header, items }: Envelope,
  reporting: Reporting,
  userAgent = "",
): Uint8Array | "unsampled" | "malformed" | undefined {
  const [item] = items;
  if (header.incomplete !== true) return undefined;
  if (!item || items.length > 1) return "malformed";
  const payload = parseJson(item.payload, payloadLimits);
  const agent = readUserAgent(userAgent);
  if (item.type === "event" || item.type === "feedback") {
    const { data } = errorSchema.safeParse(payload);
    return data ? completeError(data, reporting, agent) : "malformed";
  }
  if (item.type === "transaction") {
    const { data } = visitSchema.safeParse(payload);
    return data ? completeVisit(data, header.sampled === true, reporting, agent) : "malformed";
  }
  return "malformed";
}

/** One line of a stack in Chromium, Firefox or Safari: function, file, line, column. */
const stackLine =
  /^(?:at (?:async )?)?(?:(.*?) ?[(@])?((?:https?|file|[a-z-]+-extension):\S*?):(\d+):(\d+)\)?$/;

/**
 * The frames of a stack, as Sentry's SDK makes them: at most 50, the innermost last. Not by its own
 * `defaultStackParser`: a line of 1,000 characters that a stranger sends keeps that busy for seconds.
 */
function framesOf(stack: string) {
  return stack
    .split("\n")
    .flatMap((line) => {
      const [, called, filename, lineno, colno] = stackLine.exec(line.slice(0, 500).trim()) ?? [];
      const place = { filename, lineno: Number(lineno), colno: Number(colno), in_app: true };
      return filename ? { function: called || "?", ...place } : [];
    })
    .slice(0, 50)
    .reverse();
}

function exceptionOf({ stack = "", ...thrown }: NonNullable<ErrorEvent["thrown"]>) {
  const frames = framesOf(stack);
  // Sentry refuses a stack without frames.
  return { values: [{ ...thrown, stacktrace: frames[0] && { frames } }] };
}

function completeError(
  { thrown, ...event }: ErrorEvent,
  { release, environment }: Reporting,
  agent: UserAgent,
): Uint8Array {
  // What a team has added was not scrubbed in the browser: no page carries the code for it.
  const scrubbed = scrubItem(
    "event",
    thrown ? { ...event, exception: exceptionOf(thrown) } : event,
  );
  const { transaction: route } = scrubbed;
  const tags = { side: "browser", ...(route && { route }), ...scrubbed.tags };
  const contexts = { ...agent, ...scrubbed.contexts };
  const all = { level: "error", ...scrubbed, tags, contexts, sdk, release, environment };
  const payload = JSON.stringify({ ...all, platform: "javascript" });
  return writeEnvelope({ event_id: event.event_id, sdk }, [
    [{ type: event.type ?? "event" }, payload],
  ]);
}

/**
 * The place in its trace and the attributes that the SDK for Next gives to a page load; and of the error
 * page the status, as lib/sentry/browser/sdk/tracing.ts adds it.
 */
function traceOf({ contexts, request: { url }, status: code = 0 }: Visit, route: string) {
  const [op, origin] = ["pageload", "auto.pageload.nextjs.pages_router_instrumentation"];
  const failed = code >= 400;
  const data = {
    "sentry.op": op,
    "sentry.origin": origin,
    "sentry.segment.name.source": "route",
    "url.template": route,
    "url.full": url,
    "url.path": URL.parse(url)?.pathname,
    "http.response.status_code": failed ? code : undefined,
  };
  const status = code === 404 ? "not_found" : "internal_error";
  return { ...contexts.trace, op, origin, status: failed ? status : undefined, data };
}

/** The route of the page; of the error page, the one that failed. */
function routeOf({ transaction, request }: Visit): string {
  const url = transaction === "/_error" && URL.parse(request.url);
  return (url && patternOf(url)) || transaction;
}

function completeVisit(
  { status, ...event }: Visit,
  decided: boolean,
  { release, environment, ...rates }: Reporting,
  agent: UserAgent,
): Uint8Array | "unsampled" {
  const { trace_id, parent_span_id } = event.contexts.trace;
  // If a page knows the decision and continues a trace, the server has decided.
  const byServer = decided && parent_span_id !== undefined;
  const rate = byServer ? rates.serverTracesSampleRate : rates.browserTracesSampleRate;
  if (!decided && Math.random() >= rate) return "unsampled";
  const transaction = routeOf(event);
  const measurements = Object.entries(event.measurements).map(([name, value]) => {
    return [name, { value, unit: name === "cls" ? "" : "millisecond" }];
  });
  // Source: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
  const trace = {
    trace_id,
    sampled: "true",
    sample_rate: String(rate),
    release,
    environment,
    transaction,
  };
  const payload = JSON.stringify({
    ...event,
    platform: "javascript",
    transaction,
    transaction_info: { source: "route" },
    measurements: Object.fromEntries(measurements),
    contexts: { ...agent, trace: traceOf({ ...event, status }, transaction) },
    sdk,
    release,
    environment,
    spans: [],
  });
  return writeEnvelope({ event_id: event.event_id, trace, sdk }, [
    [{ type: "transaction" }, payload],
  ]);
}
