import type { IncomingMessage } from "node:http";
import {
  type Client,
  eventFiltersIntegration,
  getSpanStatusFromHttpCode,
  type ErrorEvent as SdkEvent,
} from "@sentry/core";
import type { Receive } from "@signpost/relay";
import { categorySet } from "@signpost/relay/categories";
import {
  type Envelope,
  type EnvelopeItem,
  makeEnvelope,
  parseJson,
} from "@signpost/relay/envelope";
import { z } from "zod";
import type { IsPrivate } from "../shared/privacy/private-names.ts";
import { scrubItem } from "../shared/privacy/scrub-envelope.ts";
import { sampleRand } from "../shared/sample-rand.ts";
import { readUserAgent, type UserAgent } from "../shared/user-agent.ts";

export interface CompletionOptions {
  /** What is put into envelopes that left the browser without the SDK. */
  reporting: Omit<Reporting, "release">;
  /** @see Releases.ofPage */
  releaseOf(build: unknown): Promise<string | undefined>;
  /**
   * Told of each envelope with an error, and of the release of its page.
   *
   * @returns what is called once the envelope is stored
   */
  readError?(
    items: readonly EnvelopeItem[],
    request: IncomingMessage,
    release: string | undefined,
  ): (() => void) | undefined;
}

const errors = categorySet(["error"]);
/**
 * The `sdk` of reports that left the browser without Sentry's. Its name begins like those of Sentry's
 * SDKs for browsers: by that, Spotlight knows a browser's report.
 */
const sdk = { name: "sentry.javascript.signpost", version: "0.1.0" };

/** What the relay asks of each envelope that a browser has sent. */
export function completion({ reporting, releaseOf, readError }: CompletionOptions): Receive {
  return async (envelope, request, countParsing) => {
    const { header, items, categories } = envelope;
    const release = await releaseOf(header.minimal);
    if (header.minimal !== undefined) countParsing();
    const userAgent = request.headers["user-agent"];
    const completed = completeEnvelope(envelope, { ...reporting, release }, userAgent);
    if (typeof completed === "string") return completed;
    const onStored = categories & errors ? readError?.(items, request, release) : undefined;
    return { instead: completed ?? withoutMark(envelope), onStored };
  };
}

/** What the SDK has made stays as it is, but for a mark that is none. */
function withoutMark(envelope: Envelope): Envelope | undefined {
  if (envelope.header.minimal === undefined) return undefined;
  const { minimal: _, sampled: __, ...header } = envelope.header;
  return { ...envelope, header };
}

/** What is said of a report beside what the page says. */
export interface Reporting {
  /** Of the page. */
  release: string | undefined;
  environment: string;
  /** 0 to 1: of the visits that the server has decided on, as it rendered their page. */
  serverTracesSampleRate: number;
  /** 0 to 1: of the visits that nobody has decided on. */
  browserTracesSampleRate: number;
  /** The pattern of the page that a URL leads to. */
  patternOf?: (url: URL) => string | undefined;
  /** By the options of `init`. */
  isPrivate?: IsPrivate;
}

/** Of a payload that is parsed. What the browser writes without the SDK is below, see `scopeDataOf`. */
const payloadLimits = { maxBytes: 128 * 1024, maxValues: 5_000, maxDepth: 100 };

const text = z.string().max(10_000);
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
/** Since the epoch. */
const seconds = z.number().min(0).max(1e11);
const amount = z.number().min(0).max(1e9);
const record = z.record(z.string(), z.unknown());

/**
 * As packages/sentry/src/browser/first-load/without-sdk.ts and packages/sentry/src/browser/functions/scope-data.ts write it. What a
 * team captures by `captureEvent` may have any other field, and any value in each: all is scrubbed. So
 * an `exception` may be there too.
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

const traceSchema = z.object({ trace_id: hex(32) });

/** As packages/sentry/src/browser/first-load/visit.ts writes it. */
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
    measurements: z.partialRecord(z.enum(["ttfb", "fcp", "lcp", "inp", "cls"]), amount),
  })
  .refine(({ start_timestamp, timestamp }) => start_timestamp <= timestamp);

/** As it writes whether that is sampled: the rate by which the page has decided so, or `true` where the server has. */
const sampledSchema = z
  .union([z.literal(true), z.number().gt(0).max(1)])
  .optional()
  .catch(undefined);

/** The SDK's list of what tells nothing of an app: it exports none. */
const filters = eventFiltersIntegration();
const withoutOptions = { getOptions: () => ({}) } as Client;

/** Whether the SDK would drop it by default: of its list, pages know the commonest alone. */
function isNoise({ thrown }: ErrorEvent): boolean {
  if (thrown?.mechanism.handled !== false) return false;
  const { type, value } = thrown;
  // Without a stack, one without words would be dropped, too.
  const values = [{ type, value, stacktrace: {} }];
  const event: SdkEvent = { type: undefined, exception: { values } };
  return filters.processEvent?.(event, {}, withoutOptions) === null;
}

type ErrorEvent = z.infer<typeof errorSchema>;
type Visit = z.infer<typeof visitSchema>;

/**
 * Completes an envelope that left the browser without the SDK. No page can know release and
 * environment, since one build serves every environment; and a static page that is left early doesn't
 * know the sample rate. Such an envelope is marked in its header, as `minimal`, by the id of the page's
 * build, and holds one small event. It is written anew, and scrubbed here: pages don't carry the code for
 * that. The names of browser and system come from the request's `User-Agent`, as the SDK's reports have
 * them.
 *
 * @returns the completed envelope; "unwanted" if the visit is not sampled, or the error is noise; "malformed"
 *   if it is marked and holds anything else; undefined if it has no mark
 */
export function completeEnvelope(
  { header, items }: Envelope,
  reporting: Reporting,
  userAgent = "",
): Envelope | "unwanted" | "malformed" | undefined {
  const [item] = items;
  // `true` where the page did not know its build.
  if (typeof header.minimal !== "string" && header.minimal !== true) return undefined;
  if (!item || items.length > 1) return "malformed";
  const payload = parseJson(item.payload, payloadLimits);
  const sent_at = typeof header.sent_at === "string" ? header.sent_at : undefined;
  const written = { sent_at, sdk };
  const agent = readUserAgent(userAgent);
  if (item.type === "transaction") {
    const { data } = visitSchema.safeParse(payload);
    if (!data) return "malformed";
    return completeVisit(data, sampledSchema.parse(header.sampled), reporting, agent, written);
  }
  if (item.type !== "event" && item.type !== "feedback") return "malformed";
  const { data } = errorSchema.safeParse(payload);
  // What counts it goes by the item's own type.
  if (!data || (data.type ?? "event") !== item.type) return "malformed";
  if (isNoise(data)) return "unwanted";
  return completeError(data, reporting, agent, written);
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

/** Violations of a page's policy belong together, wherever they happen: by directive and what was blocked. */
function fingerprintOf(thrown: ErrorEvent["thrown"]): string[] | undefined {
  if (thrown?.mechanism.type !== "signpost.policy") return undefined;
  return [thrown.type, ...thrown.value.split(" blocked ", 2)];
}

function completeError(
  { thrown, ...event }: ErrorEvent,
  { release, environment, isPrivate }: Reporting,
  agent: UserAgent,
  header: Record<string, unknown>,
): Envelope {
  const { stack = "", mechanism, ...words } = thrown ?? {};
  const frames = framesOf(stack);
  // Sentry refuses a stack without frames.
  const value = { ...words, stacktrace: frames[0] && { frames } };
  // Of what the app has captured, as the SDK has it.
  const captured = { type: "generic", handled: true, ...mechanism };
  const exception = { values: [{ ...value, mechanism: captured }] };
  // What a team has added was not scrubbed in the browser: no page carries the code for it.
  const whole = { fingerprint: fingerprintOf(thrown), ...event, ...(thrown && { exception }) };
  // Its texts may hold JSON, and as many values in that.
  const scrubbed = scrubItem("event", whole, isPrivate, 2 * payloadLimits.maxValues);
  const { transaction: route } = scrubbed;
  const tags = { side: "browser", ...(route && { route }), ...scrubbed.tags };
  const contexts = { ...agent, ...scrubbed.contexts };
  const all = { level: "error", ...scrubbed, tags, contexts, sdk, release, environment };
  const payload = JSON.stringify({ ...all, platform: "javascript" });
  const { trace_id } = traceOf(event);
  // As the SDK's envelope: by that, an error finds the server that has its source maps.
  const trace = trace_id && { trace_id, release, environment };
  return makeEnvelope({ event_id: event.event_id, trace, ...header }, [
    [{ type: event.type ?? "event" }, payload],
  ]);
}

function traceOf({ contexts }: ErrorEvent): { trace_id?: string | undefined } {
  return traceSchema.safeParse(contexts?.trace).data ?? {};
}

/** Adds what the SDK for Next says of a page load, by its attributes and its place in the trace. */
function completeVisit(
  { status: code = 0, request, contexts, ...event }: Visit,
  sampled: number | true | undefined,
  { release, environment, patternOf, ...rates }: Reporting,
  agent: UserAgent,
  header: Record<string, unknown>,
): Envelope | "unwanted" {
  const { trace_id } = contexts.trace;
  const { serverTracesSampleRate, browserTracesSampleRate } = rates;
  const rate = sampled === true ? serverTracesSampleRate : (sampled ?? browserTracesSampleRate);
  if (!sampled && sampleRand(trace_id) >= rate) return "unwanted";
  const url = URL.parse(request.url);
  // Of the error page, it is the one that failed.
  const failedRoute = url && event.transaction === "/_error" && patternOf?.(url);
  const transaction = failedRoute || event.transaction;
  const failed = code >= 400 ? code : undefined;
  const status = failed && getSpanStatusFromHttpCode(failed).message;
  const [op, origin] = ["pageload", "auto.pageload.nextjs.pages_router_instrumentation"];
  const data = {
    "sentry.op": op,
    "sentry.origin": origin,
    "sentry.segment.name.source": "route",
    "url.template": transaction,
    "url.full": request.url,
    "url.path": url?.pathname,
    "http.response.status_code": failed,
  };
  const place = { ...contexts.trace, op, origin, status, data };
  const measurements = Object.entries(event.measurements).map(([name, value]) => {
    return [name, { value, unit: name === "cls" ? "" : "millisecond" }];
  });
  const payload = JSON.stringify({
    ...event,
    platform: "javascript",
    transaction,
    transaction_info: { source: "route" },
    request,
    measurements: Object.fromEntries(measurements),
    contexts: { ...agent, trace: place },
    sdk,
    release,
    environment,
    spans: [],
  });
  // Source: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
  const sampling = { sampled: "true", sample_rate: String(rate) };
  const trace = { trace_id, ...sampling, release, environment, transaction };
  return makeEnvelope({ event_id: event.event_id, trace, ...header }, [
    [{ type: "transaction" }, payload],
  ]);
}
