import {
  type Client,
  type Event,
  type EventHint,
  getCurrentScope,
  getIsolationScope,
  type Integration,
  type ParameterizedString,
  type Scope,
  type SeverityLevel,
} from "sentry-scopes";
import {
  onReport,
  queue,
  type ReportedError,
  references,
  report,
  type Scopes,
} from "../first-load/error-queue.ts";
import { onSdk, sdk } from "../first-load/sdk-link.ts";
import { sendWithoutSdk, spanId, traceId } from "../first-load/without-sdk.ts";
import { scopeDataOf } from "./scope-data.ts";

/**
 * What Sentry's own scopes and functions hand over before the SDK is there waits in the queue of
 * lib/sentry/src/browser/first-load/error-queue.ts, with the scopes of its moment. Like an error that
 * nobody catches, it has the SDK loaded.
 */
const interim = {
  captureException(error: unknown, hint: EventHint, scope: Scope): void {
    if (!references.has(error as WeakKey)) take({ error }, hint, scope);
  },

  captureMessage(
    message: ParameterizedString,
    level: SeverityLevel | undefined = "info",
    hint: EventHint,
    scope: Scope,
  ): void {
    take({ captured: { message, level } }, hint, scope);
  },

  captureEvent(event: Event, hint: EventHint, scope: Scope): void {
    take({ captured: { event } }, hint, scope);
  },

  /** The SDK gets it before what waits. */
  addIntegration(integration: Integration): void {
    onSdk(({ getClient }) => getClient()?.addIntegration(integration));
  },

  /**
   * Waits until what was captured has been sent. If the SDK is not there by then, what waits is sent
   * without it, as from a page that is left.
   *
   * @param timeout milliseconds
   * @returns false if the SDK has not sent everything in that time
   */
  async flush(timeout = 2000): Promise<boolean> {
    const start = performance.now();
    if (queue.length > 0) {
      await new Promise((resolve) => {
        onSdk(resolve);
        setTimeout(resolve, timeout);
      });
    }
    if (real) return real.flush(Math.max(1, timeout + start - performance.now()));
    sendWithoutSdk();
    return true;
  },

  getOptions: () => ({}),
};

let real: Client | undefined;

/** Stands for the SDK's client, also later, on scopes that were cloned before it was there. */
const client = new Proxy(interim, {
  get(own, name) {
    const from = real ?? own;
    const value: unknown = Reflect.get(from, name);
    if (typeof value === "function") return value.bind(from);
    // A package may call any method of the SDK's. What has a `then` would be a promise.
    return real || name === "then" ? value : () => {};
  },
});

// A page that imports this may come after the SDK.
if (!sdk) {
  const root = getCurrentScope();
  root.setClient(client as unknown as Client);
  root.setPropagationContext({ traceId, parentSpanId: spanId, sampleRand: Math.random() });
}
onSdk(({ getClient }) => {
  real = getClient();
});

export function scopesOfNow(current = getCurrentScope()): Scopes {
  return { isolation: copyOf(getIsolationScope()), current: copyOf(current) };
}

/** `clone` takes a context of the name `flags` for one of the SDK's own, and throws where it is not. */
function copyOf(scope: Scope): Scope {
  const all = { contexts: { ...scope.getScopeData().contexts } };
  const copy = scope.setContext("flags", null).clone();
  scope.update(all);
  return copy.update(all);
}

onReport((reported) => {
  // As with the SDK, a feedback's is none.
  if (!reported.captured?.event?.type) getIsolationScope().setLastEventId(reported.reference);
  if (!sdk) {
    // As `captureException` takes it: what is no hint is a `captureContext`. They share no names.
    const { captureContext = reported.hint, ...hint } = reported.hint ?? {};
    const scopes = reported.scopes ?? scopesOfNow();
    Object.assign(reported, { scopes, hint: reported.hint && hint });
    try {
      scopes.current.update(captureContext as EventHint["captureContext"]);
    } catch {
      // A function of the app's has thrown: the capture goes without what it would have added.
    }
  }
  reported.scopeData = (one) => {
    try {
      return scopeDataOf(one);
    } catch {
      // What the app has given can't be read: the error goes without it.
      return {};
    }
  };
});

function take(
  what: Pick<ReportedError, "captured"> & { error?: unknown },
  hint: EventHint,
  scope: Scope,
): void {
  const reference = hint.event_id as string;
  const scopes = scopesOfNow(scope);
  report({ error: undefined, ...what, source: "sentry", reference, hint, scopes });
}
