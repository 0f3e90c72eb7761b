import {
  type Breadcrumb,
  getClient,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  Scope,
  type Span,
  startInactiveSpan,
  withScope,
} from "@sentry/browser";
import {
  _INTERNAL_captureLog,
  _INTERNAL_captureMetric,
  _INTERNAL_captureSerializedLog,
  _INTERNAL_captureSerializedMetric,
  type Log,
  type Metric,
  safeCallback,
} from "@sentry/core";
import type { ReportContext } from "@/lib/reporting/browser/first-load/report-error";
import type {
  EarlyItem,
  EarlySpan,
  RunningSdk,
  ScopeData,
} from "@/lib/reporting/browser/first-load/sdk-link";

/** Hands the SDK what lib/sentry has recorded before it was there. */

/**
 * Hands over a report that lib/sentry has captured, in the scope of its moment.
 *
 * @returns false if lib/sentry has captured nothing: then only the scope is prepared
 */
export function replayCall(
  { scope: recorded, captured, hint }: ReportContext,
  scope: Scope,
  eventId: string,
): boolean {
  applyScope(recorded, scope);
  const { error, componentStack, message, event, level } = captured;
  const withId = { ...hint, event_id: eventId };
  if ("error" in captured) {
    if (componentStack && error instanceof Error) addComponentStack(error, componentStack);
    scope.captureException(error, withId);
  } else if (message !== undefined) scope.captureMessage(message, level, withId);
  else if (event) {
    // As the SDK's own captureFeedback: its session replay listens.
    const client = getClient() as { emit(...hook: unknown[]): void } | undefined;
    if (event.type === "feedback") client?.emit("beforeSendFeedback", event, withId);
    scope.captureEvent(event, withId);
  } else return false;
  return true;
}

/** As Sentry's own error boundary does: adds an innermost cause whose stack lists the components. */
function addComponentStack(error: Error, stack: string): void {
  const seen = new Set<Error>();
  let innermost = error;
  while (innermost.cause instanceof Error && !seen.has(innermost)) {
    seen.add(innermost);
    innermost = innermost.cause;
  }
  if (innermost.cause) return;
  const name = `React ErrorBoundary ${error.name}`;
  const value = Object.assign(new Error(error.message), { name, stack });
  // Does nothing to an error that takes no property, such as a frozen one.
  Reflect.defineProperty(innermost, "cause", { value, configurable: true, writable: true });
}

export const takeOver: RunningSdk["takeOver"] = ({ global, isolation, current }) => {
  if (global) become(global, getGlobalScope());
  if (isolation) become(isolation, getIsolationScope());
  if (current) become(current, getCurrentScope());
};

/** The SDK's scopes by the recorded ones that teams may have kept. */
const own = new WeakMap<object, Scope>();

/** The SDK's own scope for one that may have been recorded before it was there, such as a clone. */
export function sdksScope(scope: Scope): Scope {
  if (scope instanceof Scope) return scope;
  const known = own.get(scope);
  if (known) return known;
  const made = new Scope();
  made.setClient(getClient());
  made.setPropagationContext(getCurrentScope().getPropagationContext());
  become(scope as unknown as ScopeData, made);
  return made;
}

/** As the SDK's, also with a scope from before it was there. */
export const withAnyScope = ((...args: [Scope, (scope: Scope) => unknown]) => {
  const callback = args.pop() as (scope: Scope) => unknown;
  const [scope] = args;
  return scope ? withScope(sdksScope(scope), callback) : withScope(callback);
}) as typeof withScope;

/** A span's options, also with a scope from before the SDK was there. */
export function withSdksScope<T extends { scope?: Scope }>(options: T): T {
  return options.scope ? { ...options, scope: sdksScope(options.scope) } : options;
}

/** From now on, a call on the recorded scope is a call on the SDK's. */
function become(recorded: ScopeData, scope: Scope): void {
  own.set(recorded, scope);
  applyScope(recorded, scope);
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(scope))) {
    const method = scope[name as keyof Scope] as unknown;
    if (typeof method === "function") Object.assign(recorded, { [name]: method.bind(scope) });
  }
}

function applyScope(recorded: ScopeData, scope: Scope): void {
  const { tags, extra, contexts, attributes, user, level, fingerprint } = recorded;
  scope.update({ tags, extra, contexts, attributes, user, level, fingerprint } as Parameters<
    Scope["update"]
  >[0]);
  for (const breadcrumb of recorded.breadcrumbs) {
    const kept = afterHook(breadcrumb);
    if (kept) scope.addBreadcrumb(kept);
  }
  for (const [name, value] of recorded.calls) scope[name](value as never);
}

/** What a team's hook has made of each breadcrumb. */
const hooked = new WeakMap<Breadcrumb, Breadcrumb | null>();

/**
 * What `beforeBreadcrumb` makes of a breadcrumb, which may be in the scopes of many reports. As in the
 * SDK, the hook sees it once, and drops it if it throws.
 */
function afterHook(breadcrumb: Breadcrumb): Breadcrumb | null {
  const { beforeBreadcrumb } = getClient()?.getOptions() ?? {};
  if (!beforeBreadcrumb) return breadcrumb;
  const known = hooked.get(breadcrumb);
  if (known !== undefined) return known;
  const kept = safeCallback(
    "",
    () => beforeBreadcrumb(breadcrumb),
    () => null,
  );
  hooked.set(breadcrumb, kept);
  return kept;
}

export function replayItems(items: EarlyItem[]): void {
  for (const { scope, at, log, metric } of items) {
    withScope((inner) => {
      applyScope(scope, inner);
      if (log) captureLog(log, inner, at);
      if (metric) captureMetric(metric, inner, at);
    });
  }
}

/** @param at when it was, in seconds since the epoch; else it is now */
export function captureLog(log: Log, scope = getCurrentScope(), at?: number): void {
  _INTERNAL_captureLog(log, sdksScope(scope), (client, item) =>
    _INTERNAL_captureSerializedLog(client, at ? { ...item, timestamp: at } : item),
  );
}

/** @param at when it was, in seconds since the epoch; else it is now */
export function captureMetric(metric: Metric, scope = getCurrentScope(), at?: number): void {
  _INTERNAL_captureMetric(metric, {
    scope: sdksScope(scope),
    captureSerializedMetric: (client, item) =>
      _INTERNAL_captureSerializedMetric(client, at ? { ...item, timestamp: at } : item),
  });
}

/** Each is a transaction of its own: what was active around it before the SDK is not known. */
export function replaySpans(spans: EarlySpan[], parentSpan: Span | null = null): void {
  for (const { options, start, ended, status, children } of spans) {
    const span = startInactiveSpan({
      startTime: start,
      ...options,
      scope: undefined,
      parentSpan,
      forceTransaction: !parentSpan,
    });
    if (status) span.setStatus(status);
    replaySpans(children, span);
    span.end(ended);
  }
}
