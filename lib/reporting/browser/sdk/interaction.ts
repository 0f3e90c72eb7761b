import {
  type BrowserClient,
  type createTransport,
  getClient,
  getCurrentScope,
} from "@sentry/browser";
import { getDynamicSamplingContextFromScope } from "@sentry/core";
import { type Navigation, onNavigation } from "@/lib/navigation/lifecycle";
import type { EarlyMoment } from "@/lib/reporting/browser/first-load/early-moments";
import { currentRoute } from "@/lib/reporting/browser/first-load/error-route";
import { newId } from "@/lib/reporting/browser/first-load/report-error";
import { takeInteraction } from "@/lib/reporting/browser/first-load/visit";
import { interactionToNextPaint } from "@/lib/reporting/browser/first-load/vitals";
import { onLeave } from "@/lib/reporting/browser/first-load/without-sdk";

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
  return written(headers, {
    // The span's own id, so that one that is sent twice is the same event.
    event_id: (span.trace_id.slice(0, 16) + span.span_id).toLowerCase(),
    transaction: read("sentry.segment.name"),
    start_timestamp: span.start_timestamp,
    timestamp: span.end_timestamp,
    release: read("sentry.release"),
    environment: read("sentry.environment"),
    contexts: {
      trace: {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent_span_id: span.parent_span_id,
        op: read("sentry.op"),
        origin,
      },
    },
    measurements: { inp: { value, unit: "millisecond" } },
  });
}

/**
 * Sends the visit's longest interaction as the page is hidden or left, if the SDK has not: the SDK
 * leaves out one that came just before.
 *
 * @param moments what happened before the SDK ran
 */
export function sendLastInteraction(client: BrowserClient, moments: readonly EarlyMoment[]): void {
  const routeAt = recordRoutes(moments);
  onLeave(() => {
    const interaction = interactionToNextPaint();
    if (!interaction || !takeInteraction(interaction.duration)) return;
    const { duration: value, startTime } = interaction;
    const start = (performance.timeOrigin + startTime) / 1000;
    const { release, environment } = client.getOptions();
    const scope = getCurrentScope();
    const trace_id = scope.getPropagationContext().traceId;
    const event_id = newId();
    const contexts = {
      trace: { trace_id, span_id: newId().slice(16), op: "ui.interaction", origin },
    };
    const envelope = written(
      {
        sent_at: new Date().toISOString(),
        trace: getDynamicSamplingContextFromScope(client, scope),
      },
      {
        event_id,
        transaction: routeAt(startTime),
        start_timestamp: start,
        timestamp: start + value / 1000,
        release,
        environment,
        contexts,
        measurements: { inp: { value, unit: "millisecond" } },
      },
    );
    void client.getTransport()?.send(envelope);
  });
}

/**
 * Records which page the visitor is on from now on.
 *
 * @returns tells the route of a time, in milliseconds since the begin of the page load
 */
function recordRoutes(moments: readonly EarlyMoment[]): (time: number) => string {
  const routes = [{ from: 0, route: window.__NEXT_DATA__.page }];
  for (const moment of moments) {
    if (isArrival(moment)) {
      routes.push({ from: moment.at - performance.timeOrigin, route: moment.route });
    }
  }
  onNavigation((navigation) => {
    if (isArrival(navigation)) routes.push({ from: performance.now(), route: currentRoute() });
    if (routes.length > maxRoutes) routes.shift();
  });
  return (time) => routes.findLast(({ from }) => from <= time)?.route ?? currentRoute();
}

function isArrival(moment: object): boolean {
  return "stages" in moment && (moment as Navigation).stages.at(-1) === "complete";
}

/** Of the visit that are remembered. */
const maxRoutes = 100;

const origin = "auto.ui.signpost";

function written(headers: object, event: Record<string, unknown>): Envelope {
  const { event_id } = event;
  const sdk = getClient()?.getSdkMetadata()?.sdk;
  const transaction = {
    ...event,
    type: "transaction",
    platform: "javascript",
    transaction_info: { source: "route" },
    spans: [],
    request: { url: location.href.replace(/[?#].*/, "") },
    sdk,
  };
  return [
    { ...headers, event_id, sdk: { name: sdk?.name, version: sdk?.version } },
    [[{ type: "transaction" }, transaction]],
  ] as unknown as Envelope;
}
