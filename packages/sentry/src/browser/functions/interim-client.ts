import {
  type Client,
  type Event,
  type EventHint,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  type ParameterizedString,
  type Scope,
  type SeverityLevel,
} from "sentry-scopes";
import { countedWords } from "../first-load/counted-words.ts";
import {
  enter,
  type Methods,
  newId,
  queue,
  type ReportedError,
  references,
  report,
  type Scopes,
  started,
  takeErrors,
} from "../first-load/error-queue.ts";
import { guarded } from "../first-load/page-load.ts";
import { sdk } from "../first-load/sdk-link.ts";
import { takePageLoad } from "../first-load/visit.ts";
import { sendWithoutSdk, spanId, traceId } from "../first-load/without-sdk.ts";
import { completed } from "./scope-data.ts";

/**
 * What Sentry's own scopes and functions hand over before the SDK is there waits in the queue of
 * packages/sentry/src/browser/first-load/error-queue.ts, with the scopes of its moment. Like an error that
 * nobody catches, it has the SDK loaded.
 */
const interim = {
  captureException: (error: unknown, hint?: EventHint, scope?: Scope) =>
    references.get(error as WeakKey) ?? take({ error }, hint, scope),

  captureMessage: (
    message: ParameterizedString,
    level: SeverityLevel | undefined = "info",
    hint?: EventHint,
    scope?: Scope,
  ) => take({ captured: { value: message, level } }, hint, scope),

  captureEvent: (event: Event, hint?: EventHint, scope?: Scope) =>
    take({ captured: { event } }, hint, scope),

  /**
   * Waits until what was captured has been sent. If the SDK is not there by then, what waits is sent
   * without it, as from a page that is left. Before `init`, nothing is sent: the visitor may not have agreed yet.
   *
   * @param timeout milliseconds
   * @returns false if the SDK has not sent everything in that time
   */
  async flush(timeout = 2000): Promise<boolean> {
    if (!isInitialized()) return false;
    const start = performance.now();
    if (queue[0]) {
      await new Promise((resolve) => {
        sdk.on(resolve);
        setTimeout(resolve, timeout);
      });
    }
    if (sdk.now) return client.flush(Math.max(1, timeout + start - performance.now()));
    sendWithoutSdk();
    return true;
  },

  /** What is captured from now on is forgotten. */
  async close(timeout?: number): Promise<boolean> {
    const done = await interim.flush(timeout);
    if (sdk.now) await client.close(1);
    else forget();
    return done;
  },

  getOptions: () => started.options ?? {},
};

export const isInitialized = () => !!(sdk.now ?? started.options);

/** Nothing leaves the page from now on, its measurements neither. */
export function forget(): void {
  if (!isInitialized()) return;
  takePageLoad();
  enter("off", takeErrors);
}

/**
 * Stands for the SDK's client, also later, on scopes that were cloned before it was there. Integrations, processors
 * and hooks get to the SDK before what waits. A package may call any method of the SDK's.
 */
const client = new Proxy(interim as unknown as Client, {
  get(own, name) {
    // What has a `then` would be a promise.
    if (name === "then") return undefined;
    return (...args: unknown[]) => {
      const present = (sdk.now ? started.client : own) as unknown as Methods;
      if (present[name]) return present[name](...args);
      if (!/^(add|on$)/.test(String(name))) return undefined;
      let stop: (() => void) | undefined;
      sdk.on(() => {
        if (!stop) stop = (client as unknown as Methods)[name]?.(...args) as typeof stop;
      });
      return () => {
        stop?.();
        // What is taken away before the SDK is there is not added then.
        stop = () => {};
      };
    };
  },
});

// A page that imports this may come after the SDK.
if (!sdk.now) {
  const root = getCurrentScope();
  root.setClient(client);
  started.client = client;
  root.setPropagationContext({ traceId, parentSpanId: spanId, sampleRand: Math.random() });
}

/** Under what has stood for its client, the SDK would not find the logs and metrics that it has taken. */
export function giveClient(scope: Scope): void {
  if (scope.getClient() === client) scope.setClient(started.client);
}

export function scopesOfNow(current = getCurrentScope()): Scopes {
  return {
    global: copyOf(getGlobalScope()),
    isolation: copyOf(getIsolationScope()),
    current: copyOf(current),
  };
}

/** `clone` throws where the app has given a context the name of the SDK's own for feature flags. */
function copyOf(scope: Scope): Scope {
  try {
    return scope.clone();
  } catch {
    const { flags = {} } = scope.getScopeData().contexts;
    const copy = scope.setContext("flags", null).clone();
    scope.setContext("flags", flags);
    return copy.setContext("flags", flags);
  }
}

started.addScopes = guarded((reported) => {
  const { event } = reported.captured ?? {};
  // As with the SDK, a feedback's is none.
  if (!event?.type) getIsolationScope().setLastEventId(reported.reference);
  if (!sdk.now) {
    // As `captureException` takes it: what is no hint is a `captureContext`. They share no names.
    const { captureContext = reported.hint, ...hint } = reported.hint ?? {};
    const scopes = reported.scopes ?? scopesOfNow();
    Object.assign(reported, { scopes, hint });
    const trace = scopes.current.getPropagationContext();
    try {
      scopes.current.update(captureContext as EventHint["captureContext"]);
    } catch {
      // A function of the app's has thrown: the capture goes without what it would have added.
    }
    // A scope that is given has one of its own.
    scopes.current.setPropagationContext(trace);
  }
  reported.complete = (payload) => completed(payload, reported);
  if (event) Object.assign(reported.captured as object, countedWords(event));
});

/** @returns the event's id */
function take(
  what: Pick<ReportedError, "captured" | "error">,
  hint: EventHint = {},
  scope?: Scope,
): string {
  const reference = hint.event_id ?? newId();
  report({ ...what, reference, hint, scopes: scopesOfNow(scope) });
  return reference;
}
