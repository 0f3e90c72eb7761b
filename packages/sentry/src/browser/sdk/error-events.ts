import {
  type BrowserClient,
  type BrowserOptions,
  type ErrorEvent,
  type Event,
  type EventHint,
  getActiveSpan,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  withActiveSpan,
} from "@sentry/browser";
import {
  type CaptureContext,
  getDefaultCurrentScope,
  Scope,
  SDK_VERSION,
  setAsyncContextStrategy,
} from "@sentry/core";
import { countedWords } from "../first-load/counted-words.ts";
import {
  isTooMany,
  type ReportedError,
  references,
  type Scopes,
} from "../first-load/error-queue.ts";
import { currentRoute } from "../first-load/navigation.ts";
import { thrownOf } from "../first-load/thrown.ts";
import { minimalErrorEnvelope, sendFromPage, traceId } from "../first-load/without-sdk.ts";

import { addWithinBounds, completeBreadcrumbs } from "./early-activity.ts";
import type * as names from "./names.ts";
import { transactionNames } from "./tracing.ts";

/** What functions/ needs of the SDK, once it runs: first-load/sdk-link.ts hands this module over. */
export {
  addBreadcrumb,
  getActiveSpan,
  getClient,
  logger,
  metrics,
  startInactiveSpan,
  startSpan,
  startSpanManual,
} from "@sentry/browser";

type Names = typeof names;

/** What weighs much, each in a chunk of its own. */
const apart: Partial<Record<keyof Names, () => Promise<Partial<Names>>>> = {
  browserProfilingIntegration: () => import("../integrations/browser-profiling.ts"),
  feedbackAsyncIntegration: () => import("../integrations/feedback.ts"),
  feedbackIntegration: () => import("../integrations/feedback.ts"),
  feedbackSyncIntegration: () => import("../integrations/feedback.ts"),
  replayCanvasIntegration: () => import("../integrations/replay-canvas.ts"),
  replayIntegration: () => import("../integrations/replay.ts"),
};

/** @returns what the SDK exports by this name */
export async function importName(name: keyof Names): Promise<unknown> {
  const all: Partial<Names> = await (apart[name]?.() ?? import("./names.ts"));
  return all[name];
}

/** Of what the page hands to the SDK. */
interface Hint extends EventHint {
  reported?: ReportedError;
  /** Whether the page has counted it, before the SDK was there. */
  counted?: boolean;
}

type BeforeSend = NonNullable<BrowserOptions["beforeSend"]>;

/** Limits the events that the team's hook lets through: the SDK has but a sample rate. */
export function limited(hook: BeforeSend = (event) => event): BeforeSend {
  const limit = (event: ErrorEvent | null, { counted }: Hint) => {
    return event && (counted || !isTooMany(countedWords(event))) ? event : null;
  };
  return (event, hint) => {
    const kept = hook(event, hint);
    return kept && "then" in kept ? kept.then((one) => limit(one, hint)) : limit(kept, hint);
  };
}

/**
 * From now on, each error's event has its route, and one that the page has handed over also its page
 * and time. An error that is thrown again makes no second event.
 */
export function completeErrorEvents(client: BrowserClient): void {
  // Before the filters of the team's options. What the page hands over is worded as what leaves
  // without the SDK, so that both are one issue: the SDK does not know whether it was thrown or rejected,
  // nor the browser's words and place. In Safari a `DOMException` has no stack, and the SDK gives it the
  // type `Error`, and its own in the message.
  client.on("preprocessEvent", (event, { event_id, originalException, reported }: Hint = {}) => {
    // At once: a processor of the app's may wait, and the error be thrown again meanwhile.
    if (
      Object(originalException) === originalException &&
      !references.has(originalException as WeakKey)
    ) {
      references.set(originalException as WeakKey, (event.event_id ?? event_id) as string);
    }
    const [exception] = event.exception?.values?.slice(-1) ?? [];
    if (!exception || reported?.captured?.event) return;
    if (!reported?.event && !(originalException instanceof DOMException)) return;
    const { stack, ...words } = thrownOf(originalException, reported?.event);
    const frames = client.getOptions().stackParser(stack);
    Object.assign(exception, words, { stacktrace: frames[0] && { frames } });
    event.message = undefined;
  });
  // Not on the isolation scope: an error is captured in that of its moment.
  getGlobalScope().addEventProcessor((event, { originalException, reported }: Hint) => {
    if (event.type && event.type !== "feedback") return event;
    // The SDK marks what it has sent, but can't mark a frozen error, or what left without it.
    const known = references.get(originalException as WeakKey);
    if (known && known !== event.event_id) return null;
    // A service titles a synthetic exception by its function, which says nothing here.
    for (const { mechanism } of event.exception?.values ?? []) {
      if (mechanism) mechanism.synthetic = undefined;
    }
    const route = reported?.route ?? currentRoute();
    // As with the SDK, that of the page goes before one that the event names. What the app gives to a scope stays.
    const isGiven = event.transaction !== reported?.captured?.event?.transaction;
    return {
      ...event,
      ...(reported && ofItsTime(event, reported)),
      transaction:
        isGiven && !transactionNames.has(event.transaction ?? "")
          ? (event.transaction ?? route)
          : route,
      tags: { side: "browser", route, ...event.tags },
    };
  });
}

/** Seconds since the epoch. */
function timeOf({ at, captured }: ReportedError): number {
  return captured?.event?.timestamp ?? at / 1000;
}

function ofItsTime(event: Event, reported: ReportedError) {
  const timestamp = timeOf(reported);
  return {
    timestamp,
    request: { ...event.request, url: reported.url },
    breadcrumbs: event.breadcrumbs
      ?.filter((crumb) => (crumb.timestamp ?? 0) <= timestamp)
      .sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0)),
  };
}

/**
 * Hands a report to the SDK, in the scopes of its moment. One that the SDK can't take, such as of an
 * object that can't be read, is sent without it.
 *
 * @param counted whether the page has counted it
 */
export function captureReported(reported: ReportedError, counted = false): void {
  try {
    if (reported.scopes)
      inScopes(reported.scopes, () => capture(reported, counted), timeOf(reported));
    else capture(reported, counted);
  } catch {
    void sendFromPage(minimalErrorEnvelope(reported));
  }
}

function capture(reported: ReportedError, counted: boolean): void {
  const { captured, error, event, reference, info } = reported;
  const scope = getCurrentScope();
  const hint: Hint = { ...reported.hint, event_id: reference, reported, counted };
  // As `captureException` takes it: what is no hint is a `captureContext`. They share no names.
  hint.captureContext = hint.captureContext ?? (reported.hint as EventHint["captureContext"]);
  if (info?.componentStack && error instanceof Error) addComponentStack(error, info.componentStack);
  if (captured?.event) scope.captureEvent(captured.event, hint);
  else if (captured) scope.captureMessage(captured.value as string, captured.level, hint);
  else {
    // The SDK does the same with the span of a page that fails while it runs.
    if (event) getActiveSpan()?.setStatus({ code: 2, message: "internal_error" });
    if (hint.mechanism?.type === "signpost.policy") {
      const { name, message } = error as Error;
      // As the tunnel has it: complete-envelope.ts.
      hint.captureContext = { fingerprint: [name, ...message.split(" blocked ")] };
    }
    scope.captureException(error, hint);
  }
}

/** As Sentry's own error boundary does: adds an innermost cause whose stack lists the components. */
function addComponentStack(error: Error, stack: string): void {
  let innermost: Error & { cause?: unknown } = error;
  // Causes may be a circle.
  for (let n = 0; n < 50 && innermost.cause instanceof Error; n++) innermost = innermost.cause;
  if (innermost.cause) return;
  const name = `React ErrorBoundary ${error.name}`;
  const value = Object.assign(new Error(error.message), { name, stack });
  // Does nothing to an error that takes no property, such as a frozen one.
  Reflect.defineProperty(innermost, "cause", { value, configurable: true, writable: true });
}

/** What the global scope has had added as the SDK began. */
const added: Scope[] = [];

/** For all that is captured from now on, and for what waits, also in a scope from before. */
export function addToGlobalScope(context: CaptureContext | undefined): void {
  added.push(new Scope().update(context));
  getGlobalScope().update(context);
}

/**
 * Runs a capture in the scopes of its moment, in the trace of the visit. The SDK reads its scopes
 * before the capture returns.
 *
 * @param at that moment, in seconds since the epoch
 */
export function inScopes(
  { global, current, isolation }: Scopes,
  capture: () => void,
  at?: number,
): void {
  const present = getGlobalScope();
  // What the page has set itself comes before.
  const own = global.getScopeData();
  for (const scope of added) global.update(scope.getScopeData());
  global.update(own);
  for (const processor of present.getScopeData().eventProcessors)
    if (!own.eventProcessors.includes(processor)) global.addEventProcessor(processor);
  const isOfVisit = current.getPropagationContext().traceId === traceId;
  // That of the app's own span, if one was active. A trace that the app has begun is none of the page load's.
  const span = getActiveSpan(current) ?? (isOfVisit ? getActiveSpan() : undefined) ?? null;
  // Not that of a scope from before the SDK, under which the SDK would not find what it has taken.
  current.setClient(getDefaultCurrentScope().getClient());
  if (isOfVisit) current.setPropagationContext(getCurrentScope().getPropagationContext());
  completeBreadcrumbs(isolation, at);
  const before = new Set(isolation.getScopeData().breadcrumbs);
  setAsyncContextStrategy({
    getCurrentScope: () => current,
    getIsolationScope: () => isolation,
    withScope: (run) => run(current),
    withSetScope: (scope, run) => run(scope),
    withIsolationScope: (run) => run(isolation),
    withSetIsolationScope: (_scope, run) => run(isolation),
    suppressTracing: (run) => run(),
  });
  setGlobalScope(global);
  try {
    withActiveSpan(span, capture);
  } finally {
    setGlobalScope(present);
    setAsyncContextStrategy(undefined);
  }
  // The capture's own, which later events of the page have too.
  for (const crumb of isolation.getScopeData().breadcrumbs)
    if (!before.has(crumb)) addWithinBounds(getIsolationScope(), crumb);
}

/** The SDK keeps it beside all its parts' shared state. */
function setGlobalScope(scope: Scope): void {
  const carrier: Record<string, { globalScope?: Scope }> = Reflect.get(globalThis, "__SENTRY__");
  Object.assign(carrier[SDK_VERSION] ?? {}, { globalScope: scope });
}
