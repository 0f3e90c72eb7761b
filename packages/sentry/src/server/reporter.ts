import {
  type ErrorEvent,
  type Event,
  type EventHint,
  getClient,
  getCurrentScope,
  getTraceData,
  SDK_VERSION,
} from "@sentry/nextjs";
import { log } from "../shared/log.ts";
import { isPlain, referenceOf, remember } from "./references.ts";
import { ReportLimit, reportKey } from "./report-limit.ts";
import { mechanisms, type ServerReporter } from "./reporting-state.ts";
import { reportCaptured } from "./reports-under-way.ts";
import { currentRequest } from "./request-scopes.ts";
import type { RequestTraces } from "./request-traces.ts";

interface CaptureResult {
  /** The id of the event, or of the latest one of its kind, as soon as that is known. */
  reference: string;
}

/** Connects the rest of the app to the started SDK. */
export function sdkReporter(traces: RequestTraces | undefined): ServerReporter {
  const client = getClient();
  if (client) watchCaptures(client);
  return {
    capture(error, eventId, { route, mechanism, level, nextjs }) {
      const scope = getCurrentScope().clone();
      if (level) scope.setLevel(level);
      const { method } = currentRequest() ?? {};
      if (nextjs) scope.setContext("nextjs", nextjs);
      if (route) {
        scope.setTransactionName(method ? `${method} ${route}` : route).setTag("route", route);
      }
      const result: CaptureResult = { reference: eventId };
      // The SDK gives what is no Error this one's stack, in place of that of the calls up to here. It drops
      // what has neither words nor a stack.
      const syntheticException = new Error();
      if (!isSpeechless(error)) syntheticException.stack = "";
      const hint = {
        event_id: eventId,
        originalException: error,
        syntheticException,
        mechanism: { type: mechanism, handled: false, ...mechanismData[mechanism] },
        data: result,
      };
      letCapture(error);
      client?.captureException(error, hint, scope);
      return result.reference;
    },
    currentRequest,
    traceMeta() {
      if (traces) return traces.meta();
      const { "sentry-trace": sentryTrace, baggage } = getTraceData();
      return sentryTrace ? { sentryTrace, baggage } : undefined;
    },
    flush() {
      client?.emit("flush");
      void client?.getTransport()?.flush();
    },
  };
}

/** Where an exception was caught, where Sentry's own functions say that. */
const mechanismData: Record<string, { data: Record<string, string> } | undefined> = {
  [mechanisms.errorPage]: { data: { function: "_error.getInitialProps" } },
};

/** @param thrown something `readable` */
function isSpeechless(thrown: unknown): boolean {
  if (thrown instanceof Error || isPlain(thrown)) return false;
  return String(thrown) === "";
}

/** The SDK marks what it has captured, and captures no object twice. Another request may fail by it. */
function letCapture(error: unknown): void {
  try {
    delete (error as { __sentry_captured__?: true }).__sentry_captured__;
  } catch {
    // What can't be changed has no mark.
  }
}

/** What the SDK calls for each event, whoever captures it; it gives the id of what was sent, if anything was. */
interface Capturing {
  _captureEvent(
    event: Event,
    hint?: EventHint,
    ...scopes: unknown[]
  ): PromiseLike<string | undefined>;
}

/**
 * Knows of each error event until it is stored or dropped, under the id by which its capture is known: hooks
 * may drop it, at once or later, or give it an id of their own. The team may capture an error and throw it
 * again: the error page names the event of the first capture, as the SDK makes no second one.
 */
function watchCaptures(client: NonNullable<ReturnType<typeof getClient>>): void {
  const capturing = client as unknown as Capturing;
  if (typeof capturing._captureEvent !== "function") {
    const advice = "Update @signpost/sentry. What a hook drops or renames has another reference.";
    log("warn", "unknown version of Sentry's SDK", { version: SDK_VERSION, advice });
    return;
  }
  const captureEvent = capturing._captureEvent.bind(client);
  capturing._captureEvent = (event, hint = {}, ...scopes) => {
    const { event_id: id, originalException: error, data } = hint;
    if (event.type || id === undefined) return captureEvent(event, hint, ...scopes);
    const request = currentRequest();
    const name = (reference: string) => {
      remember(error, reference, request);
      if (request?.reference === id) request.reference = reference;
      if (data && "reference" in data) data.reference = reference;
    };
    if (!referenceOf(error)) remember(error, id, request);
    const sent = captureEvent(event, hint, ...scopes);
    reportCaptured(id, sent);
    void sent.then((sentId) => name(sentId ?? latestAlike.get(hint) ?? id));
    return sent;
  };
}

/** However many requests fail, the end of the process is reported. */
const crashMechanism: string = mechanisms.uncaughtException;

/** By the hint of an event that was one too many: the id of the latest one of its kind. */
const latestAlike = new WeakMap<EventHint, string>();

/**
 * Limits the events that the server makes, whoever captured them. For `beforeSend`.
 *
 * @param onTooMany called for each event that was one too many
 */
export function limitEvents(onTooMany: () => void) {
  const limit = new ReportLimit();
  const crashLimit = new ReportLimit();
  return (event: ErrorEvent, hint: EventHint): ErrorEvent | null => {
    const eventId = event.event_id ?? "";
    const mechanism = event.exception?.values?.at(-1)?.mechanism?.type ?? "message";
    const route = event.tags?.route === undefined ? undefined : String(event.tags.route);
    const share = mechanism === crashMechanism ? crashLimit : limit;
    const key = reportKey(captured(event, hint), { mechanism, route });
    const { allowed, latest = eventId } = share.take(key, eventId);
    if (allowed) return event;
    latestAlike.set(hint, latest);
    onTooMany();
    return null;
  };
}

/** What was captured: an exception, a message, or an event of the team's own making. */
function captured(event: ErrorEvent, { originalException }: EventHint): unknown {
  const { type, value } = event.exception?.values?.at(-1) ?? {};
  return originalException ?? event.message ?? `${type} ${value}`;
}
