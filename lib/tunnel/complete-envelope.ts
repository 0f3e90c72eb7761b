import { z } from "zod";
import { parseJson } from "@/lib/envelope/json-limits";
import type { Envelope } from "@/lib/envelope/read-envelope";
import { scrubItem } from "@/lib/envelope/scrub-envelope";
import { readUserAgent, type UserAgent } from "@/lib/envelope/user-agent";
import { writeEnvelope } from "@/lib/envelope/write-envelope";

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
const milliseconds = z.object({
  value: z.number().min(0).max(1e9),
  unit: z.literal("millisecond"),
});

const common = {
  event_id: hex(32),
  timestamp: seconds,
  platform: z.literal("javascript"),
  request: z.object({ url: text }),
};

/** In this order, the first is 1, and each is 4 more: https://develop.sentry.dev/sdk/telemetry/logs/ */
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

const record = z.record(z.string(), z.unknown());

/**
 * As lib/reporting/browser/first-load/minimal-envelope.ts and lib/sentry/capture.ts write it. What a
 * team captures by `captureEvent` may have any other field, and any value in each: all is scrubbed.
 */
const errorSchema = z.looseObject({
  event_id: hex(32),
  type: z.literal("feedback").optional().catch(undefined),
  transaction: text.optional().catch(undefined),
  user: z
    .object({ id: z.union([text, z.number()]).optional() })
    .optional()
    .catch(undefined),
  tags: record.optional().catch(undefined),
  contexts: record.optional().catch(undefined),
});

const moment = { timestamp: seconds, trace_id: hex(32), attributes: record };

/** As lib/sentry/telemetry.ts writes it. */
const itemsSchema = z.object({
  items: z
    .array(
      z.union([
        z.object({ ...moment, level: z.enum(logLevels), message: text }),
        z.object({
          ...moment,
          type: z.enum(["counter", "gauge", "distribution"]),
          name: text,
          value: z.number(),
          unit: text.optional(),
        }),
      ]),
    )
    .min(1)
    .max(100),
});

/** As lib/reporting/browser/first-load/visit.ts writes it. */
const visitSchema = z
  .object({
    ...common,
    type: z.literal("transaction"),
    transaction: text,
    transaction_info: z.object({ source: z.literal("route") }),
    start_timestamp: seconds,
    contexts: z.object({
      trace: z.object({
        trace_id: hex(32),
        span_id: hex(16),
        parent_span_id: hex(16).optional(),
        op: z.literal("pageload"),
      }),
    }),
    measurements: z.object({
      ttfb: milliseconds.optional(),
      fcp: milliseconds.optional(),
      lcp: milliseconds.optional(),
      inp: milliseconds.optional(),
      cls: z.object({ value: z.number().min(0).max(1e6), unit: z.literal("") }).optional(),
    }),
  })
  .refine(({ start_timestamp, timestamp }) => start_timestamp <= timestamp);

type ErrorEvent = z.infer<typeof errorSchema>;
type Visit = z.infer<typeof visitSchema>;
type Items = z.infer<typeof itemsSchema>;

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
  if (item.type === "event" || item.type === "feedback") {
    const { data } = errorSchema.safeParse(payload);
    if (!data) return "malformed";
    return completeError(data, reporting, readUserAgent(userAgent));
  }
  if (item.type === "log") {
    const { data } = itemsSchema.safeParse(payload);
    return data ? completeItems(data, reporting) : "malformed";
  }
  if (item.type === "transaction") {
    const { data } = visitSchema.safeParse(payload);
    if (!data) return "malformed";
    const sampled = header.sampled === true;
    return completeVisit(data, sampled, reporting, readUserAgent(userAgent));
  }
  return "malformed";
}

function completeError(
  event: ErrorEvent,
  { release, environment }: Reporting,
  agent: UserAgent,
): Uint8Array {
  // What a team has added was not scrubbed in the browser: no page carries the code for it.
  const scrubbed = scrubItem("event", event);
  const { transaction: route } = scrubbed;
  const tags = { side: "browser", ...(route && { route }), ...scrubbed.tags };
  const contexts = { ...agent, ...scrubbed.contexts };
  const payload = JSON.stringify({ ...scrubbed, tags, contexts, sdk, release, environment });
  return writeEnvelope({ event_id: event.event_id, sdk }, [
    [{ type: event.type ?? "event" }, payload],
  ]);
}

/**
 * Writes logs and metrics as two items of Sentry's protocol.
 * Source: https://develop.sentry.dev/sdk/telemetry/logs/, https://develop.sentry.dev/sdk/telemetry/metrics/
 */
function completeItems({ items }: Items, { release, environment }: Reporting): Uint8Array {
  const own = { "sentry.release": release, "sentry.environment": environment };
  const logs: object[] = [];
  const metrics: object[] = [];
  for (const item of items) {
    const { attributes, ...rest } = scrubItem("data", item);
    const typed = { attributes: typedAttributes({ ...attributes, ...own }) };
    if (!("message" in rest)) metrics.push({ ...rest, ...typed });
    else {
      const { message: body, ...log } = rest;
      const severity_number = 1 + 4 * logLevels.indexOf(log.level);
      logs.push({ ...log, body, severity_number, ...typed });
    }
  }
  const written = [
    itemOf("log", "application/vnd.sentry.items.log+json", logs),
    itemOf("trace_metric", "application/vnd.sentry.items.trace-metric+json", metrics),
  ];
  return writeEnvelope(
    { sdk },
    written.filter(([{ item_count }]) => item_count > 0),
  );
}

function itemOf(type: string, content_type: string, items: object[]) {
  const payload = JSON.stringify({ version: 2, items });
  return [{ type, item_count: items.length, content_type }, payload] as const;
}

function typedAttributes(attributes: Record<string, unknown>): Record<string, object> {
  const typed: Record<string, object> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (Number.isInteger(value)) typed[key] = { value, type: "integer" };
    else if (typeof value === "number") typed[key] = { value, type: "double" };
    else if (typeof value === "boolean") typed[key] = { value, type: "boolean" };
    else if (typeof value === "string") typed[key] = { value, type: "string" };
    else typed[key] = { value: JSON.stringify(value), type: "string" };
  }
  return typed;
}

/** The origin and the attributes that the SDK for Next gives to a page load. */
function asBySdk({ transaction, request: { url } }: Visit) {
  const origin = "auto.pageload.nextjs.pages_router_instrumentation";
  const data = {
    "sentry.op": "pageload",
    "sentry.origin": origin,
    "sentry.segment.name.source": "route",
    "url.template": transaction,
    "url.full": url,
    "url.path": URL.parse(url)?.pathname,
  };
  return { origin, data };
}

function completeVisit(
  event: Visit,
  decided: boolean,
  { release, environment, ...rates }: Reporting,
  agent: UserAgent,
): Uint8Array | "unsampled" {
  const { trace_id, parent_span_id } = event.contexts.trace;
  // If a page knows the decision and continues a trace, the server has decided.
  const byServer = decided && parent_span_id !== undefined;
  const rate = byServer ? rates.serverTracesSampleRate : rates.browserTracesSampleRate;
  if (!decided && Math.random() >= rate) return "unsampled";
  // Source: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
  const trace = {
    trace_id,
    sampled: "true",
    sample_rate: String(rate),
    release,
    environment,
    transaction: event.transaction,
  };
  const contexts = { ...agent, trace: { ...event.contexts.trace, ...asBySdk(event) } };
  const payload = JSON.stringify({ ...event, contexts, sdk, release, environment, spans: [] });
  return writeEnvelope({ event_id: event.event_id, trace, sdk }, [
    [{ type: "transaction" }, payload],
  ]);
}
