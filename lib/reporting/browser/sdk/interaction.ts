import { type BrowserClient, getClient, getCurrentScope } from "@sentry/browser";
import {
  type Envelope,
  getDynamicSamplingContextFromScope,
  type SerializedStreamedSpanContainer,
} from "@sentry/core";
import { type Navigation, onNavigation } from "@/lib/navigation/lifecycle";
import type { EarlyMoment } from "@/lib/reporting/browser/first-load/early-moments";
import { currentRoute } from "@/lib/reporting/browser/first-load/error-route";
import { newId } from "@/lib/reporting/browser/first-load/report-error";
import { takeInteraction } from "@/lib/reporting/browser/first-load/visit";
import { interactionToNextPaint } from "@/lib/reporting/browser/first-load/vitals";
import { onLeave } from "@/lib/reporting/browser/first-load/without-sdk";

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
    ([, payload]) => (payload as Partial<SerializedStreamedSpanContainer> | undefined)?.items ?? [],
  );
  const [span] = spans;
  const read = (name: string) => span?.attributes?.[name]?.value;
  const value = read("browser.web_vital.inp.value");
  if (!span || typeof value !== "number") return envelope;
  if (!takeInteraction(value)) return undefined;
  return written(headers, value, {
    // The span's own id, so that one that is sent twice is the same event.
    event_id: (span.trace_id.slice(0, 16) + span.span_id).toLowerCase(),
    transaction: read("sentry.segment.name"),
    start_timestamp: span.start_timestamp,
    trace: {
      trace_id: span.trace_id,
      span_id: span.span_id,
      parent_span_id: span.parent_span_id,
      op: read("sentry.op"),
    },
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
    const { duration, startTime } = interaction;
    const scope = getCurrentScope();
    const trace_id = scope.getPropagationContext().traceId;
    const envelope = written(
      {
        sent_at: new Date().toISOString(),
        trace: getDynamicSamplingContextFromScope(client, scope),
      },
      duration,
      {
        event_id: newId(),
        transaction: routeAt(startTime),
        start_timestamp: (performance.timeOrigin + startTime) / 1000,
        trace: { trace_id, span_id: newId().slice(16), op: "ui.interaction" },
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

interface Interaction {
  event_id: string;
  transaction: unknown;
  start_timestamp: number;
  trace: object;
}

/** @param value milliseconds that the interaction took */
function written(headers: object, value: number, { trace, ...event }: Interaction): Envelope {
  const client = getClient();
  const { release, environment } = client?.getOptions() ?? {};
  const sdk = client?.getSdkMetadata()?.sdk;
  const transaction = {
    ...event,
    type: "transaction",
    platform: "javascript",
    transaction_info: { source: "route" },
    timestamp: event.start_timestamp + value / 1000,
    release,
    environment,
    contexts: { trace: { ...trace, origin: "auto.ui.signpost" } },
    measurements: { inp: { value, unit: "millisecond" } },
    spans: [],
    request: { url: location.href.replace(/[?#].*/, "") },
    sdk,
  };
  return [
    { ...headers, event_id: event.event_id, sdk: { name: sdk?.name, version: sdk?.version } },
    [[{ type: "transaction" }, transaction]],
  ] as unknown as Envelope;
}
