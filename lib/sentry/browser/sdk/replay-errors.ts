import {
  captureException,
  type Event,
  type EventHint,
  getClient,
  getGlobalScope,
} from "@sentry/browser";
import { errorRoute } from "@/lib/sentry/browser/first-load/error-route";
import type { CspViolation } from "@/lib/sentry/browser/first-load/policy-violations";
import {
  mechanismOf,
  type ReportedError,
  references,
} from "@/lib/sentry/browser/first-load/report-error";
import { factsEnvelope, sendFromPage } from "@/lib/sentry/browser/first-load/without-sdk";
import { inScopes, replayCall } from "./replay-calls";

/** What is being handed to the SDK, until it begins to make an event of it. */
let replaying: ReportedError | undefined;

/** What was handed over, by the hint that goes with its event. */
const replayed = new WeakMap<EventHint, ReportedError>();

/** What the SDK has made an event of. */
const sent = new WeakSet<WeakKey>();

/**
 * From now on, each error's event has its route, and a replayed error's also its own page, time and
 * id. An error that is thrown again makes no second event.
 */
export function completeErrorEvents(): void {
  getClient()?.on("preprocessEvent", (event, hint) => {
    if (!replaying || !hint || isMeasurement(event)) return;
    // An event of the browser has no id yet.
    hint.event_id = replaying.reference;
    replayed.set(hint, replaying);
    replaying = undefined;
  });
  // Not on the isolation scope: a replayed error is captured in that of its moment.
  getGlobalScope().addEventProcessor((event, hint) => {
    const { originalException } = hint;
    if (isMeasurement(event)) return event;
    const reported = replayed.get(hint);
    // The SDK marks what it has sent, but can't mark a frozen error.
    if (Object(originalException) === originalException) {
      if (sent.has(originalException as WeakKey)) return null;
      sent.add(originalException as WeakKey);
      // It left before the SDK was there.
      if (!reported && references.has(originalException as WeakKey)) return null;
      // An error boundary may catch it too, and then shows this id.
      references.set(originalException as WeakKey, event.event_id as string);
    }
    // A service titles a synthetic exception by its function, which says nothing here.
    for (const { mechanism } of event.exception?.values ?? []) {
      if (mechanism) mechanism.synthetic = undefined;
    }
    if (originalException instanceof DOMException && !("stack" in originalException)) {
      nameByType(event, originalException);
    }
    const route = reported?.route ?? errorRoute(reported?.source);
    return {
      ...event,
      ...(reported && ofItsMoment(event, reported)),
      transaction: route,
      tags: { side: "browser", route, ...event.tags },
    };
  });
}

/** In Safari it has no stack, and the SDK gives it the type `Error`, and its own in the message. */
function nameByType(event: Event, { name, message }: DOMException): void {
  const thrown = event.exception?.values?.at(-1);
  if (thrown) Object.assign(thrown, { type: name, value: message });
  event.message = undefined;
}

function isMeasurement({ type }: Event): boolean {
  return type !== undefined && type !== "feedback";
}

function ofItsMoment(event: Event, { at, url, captured }: ReportedError) {
  const timestamp = captured?.event?.timestamp ?? at / 1000;
  return {
    timestamp,
    request: { ...event.request, url },
    breadcrumbs: event.breadcrumbs
      ?.filter((crumb) => (crumb.timestamp ?? 0) <= timestamp)
      .sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0)),
  };
}

/**
 * Hands a report to the SDK that it has not seen, in the scope of its moment. One that the SDK can't
 * take, such as of an object that can't be read, is sent without it.
 */
export function replayError(reported: ReportedError): void {
  const { scopes } = reported;
  const capture = () => {
    if (!replayCall(reported)) replayUncaught(reported);
  };
  // A hook of the team's may capture something meanwhile.
  const outer = replaying;
  replaying = reported;
  try {
    if (scopes) inScopes(scopes, capture);
    else capture();
  } catch {
    void sendFromPage(factsEnvelope(reported));
  } finally {
    replaying = outer;
  }
}

/**
 * An event of the browser goes through the SDK's own listener, so that type, message, stack and
 * mechanism are the same as for a later error.
 */
function replayUncaught(reported: ReportedError): void {
  const { error, event, reference, source } = reported;
  if (event && "reason" in event) window.onunhandledrejection?.(event);
  else if (event) {
    window.onerror?.(event.message, event.filename, event.lineno, event.colno, event.error);
  } else {
    const mechanism = { type: mechanismOf(reported), handled: false };
    const captureContext =
      source === "policy" ? { fingerprint: (error as CspViolation).fingerprint } : undefined;
    captureException(error, { event_id: reference, mechanism, captureContext });
  }
}
