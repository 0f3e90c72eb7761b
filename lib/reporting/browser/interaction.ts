import { type createTransport, getClient } from "@sentry/browser";
import { takeInteraction } from "./visit";

type Envelope = Parameters<ReturnType<typeof createTransport>["send"]>[0];

/** What this file reads of a span that is sent by itself. */
interface Span {
  trace_id: string;
  span_id: string;
  parent_span_id?: string;
  start_timestamp: number;
  end_timestamp: number;
  attributes?: Record<string, { value: unknown }>;
}

/**
 * The SDK sends the visit's longest interaction (INP) as a span by itself. Services that know
 * transactions only would lose it, so it goes as the measurement of a small transaction.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * @returns the envelope to send in its place: itself where it holds no interaction; nothing where a
 *   longer interaction has been sent
 */
export function withInteraction(envelope: Envelope): Envelope | undefined {
  const [headers, items] = envelope;
  const spans = [...items].flatMap(
    ([, payload]) => (payload as { items?: Span[] } | undefined)?.items ?? [],
  );
  const [span] = spans;
  const read = (name: string) => span?.attributes?.[name]?.value;
  const value = read("browser.web_vital.inp.value");
  if (!span || typeof value !== "number") return envelope;
  if (!takeInteraction(value)) return undefined;
  const transaction = {
    // The span's own id, so that one that is sent twice is the same event.
    event_id: (span.trace_id.slice(0, 16) + span.span_id).toLowerCase(),
    type: "transaction",
    platform: "javascript",
    transaction: read("sentry.segment.name"),
    transaction_info: { source: "route" },
    start_timestamp: span.start_timestamp,
    timestamp: span.end_timestamp,
    request: { url: location.href.replace(/[?#].*/, "") },
    sdk: getClient()?.getSdkMetadata()?.sdk,
    release: read("sentry.release"),
    environment: read("sentry.environment"),
    contexts: {
      trace: {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent_span_id: span.parent_span_id,
        op: read("sentry.op"),
        origin: "auto.ui.signpost",
      },
    },
    measurements: { inp: { value, unit: "millisecond" } },
  };
  return [
    { ...headers, event_id: transaction.event_id },
    [[{ type: "transaction" }, transaction]],
  ] as Envelope;
}
