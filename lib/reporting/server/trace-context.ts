import type { RequestHeaders, TraceMeta } from "./shared";

/**
 * Where a request stands in its trace. In the SDK's terms a propagation context; kept apart from
 * its scopes, because entering a scope would cost every later request (see `RequestTraces`).
 */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** The request's own span, 16 hex digits. */
  spanId: string;
  /** The span in the browser or in another service that asked. */
  parentSpanId?: string;
  /** Not said: whoever comes next decides. */
  sampled?: boolean;
  /** 0 to 1; below the sample rate means sampled. */
  sampleRand: number;
  /** What is handed on with the trace: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/ */
  dsc: Record<string, string>;
}

const traceHeader = /^([\da-f]{32})-([\da-f]{16})(?:-([01]))?$/;

/**
 * Reads the trace that a request comes with.
 * Source: https://develop.sentry.dev/sdk/telemetry/traces/#header-sentry-trace
 *
 * @returns nothing where it comes with none, or with something that isn't one
 */
export function incomingTrace(headers: RequestHeaders): TraceContext | undefined {
  const { "sentry-trace": header, baggage } = headers;
  if (typeof header !== "string") return undefined;
  const [, traceId, parentSpanId, sampled] = traceHeader.exec(header.trim()) ?? [];
  if (!traceId) return undefined;
  const dsc = readBaggage(Array.isArray(baggage) ? baggage.join() : baggage);
  const sampleRand = Number(dsc.sample_rand ?? Number.NaN);
  return {
    traceId,
    parentSpanId,
    spanId: randomHex(16),
    sampled: sampled === undefined ? undefined : sampled === "1",
    sampleRand: sampleRand >= 0 && sampleRand < 1 ? sampleRand : Math.random(),
    dsc,
  };
}

/** @param known what is handed on with every trace that begins here */
export function newTrace(sampleRand: number, known: Record<string, string>): TraceContext {
  const traceId = randomHex(32);
  const dsc = { ...known, trace_id: traceId, sample_rand: String(sampleRand) };
  return { traceId, spanId: randomHex(16), sampleRand, dsc };
}

/** What goes on to the browser. */
export function traceMetaOf({ traceId, spanId, sampled, dsc }: TraceContext): TraceMeta {
  const decision = sampled === undefined ? "" : sampled ? "-1" : "-0";
  const entries = Object.entries(dsc);
  return {
    sentryTrace: `${traceId}-${spanId}${decision}`,
    baggage: entries.map(([key, value]) => `sentry-${key}=${encodeURIComponent(value)}`).join(),
  };
}

const entry = /^\s*sentry-([a-z_]{1,40})=([^;]{1,500})/;

function readBaggage(baggage = ""): Record<string, string> {
  const dsc: Record<string, string> = {};
  for (const part of baggage.split(",", 64)) {
    const [, key, value] = entry.exec(part) ?? [];
    if (key && value) dsc[key] = decoded(value.trim());
  }
  return dsc;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // Not ours to judge: it goes on as it came.
    return value;
  }
}

function randomHex(digits: number): string {
  let hex = "";
  while (hex.length < digits) {
    hex += Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  return hex.slice(0, digits);
}
