import {
  getActiveSpan,
  getClient,
  getCurrentScope,
  getIsolationScope,
  withActiveSpan,
} from "@sentry/browser";
import {
  _INTERNAL_captureLog,
  _INTERNAL_captureMetric,
  _INTERNAL_captureSerializedLog,
  _INTERNAL_captureSerializedMetric,
  getDefaultCurrentScope,
  type Log,
  type Metric,
  setAsyncContextStrategy,
} from "@sentry/core";
import type { ReportedError } from "@/lib/sentry/browser/first-load/report-error";

/** What lib/sentry needs of the SDK, once it runs: first-load/sdk-link.ts hands this module over. */
export {
  getActiveSpan,
  getClient,
  startInactiveSpan,
  startSpan,
  startSpanManual,
} from "@sentry/browser";

/** Hands the SDK what lib/sentry has kept until it was there. */

type Scopes = NonNullable<ReportedError["scopes"]>;

/**
 * Runs a capture in the scopes of its moment, in the trace of the visit. The SDK reads its scopes
 * before the capture returns.
 */
export function inScopes(kept: Scopes, capture: () => void): void {
  const { current, isolation } = kept;
  const span = getActiveSpan() ?? null;
  const own = current.getScopeData();
  current.update(getClient()?.getOptions().initialScope).update(own);
  // Not that of a scope from before the SDK, under which the SDK would not find what it has taken.
  current.setClient(getDefaultCurrentScope().getClient());
  current.setPropagationContext(getCurrentScope().getPropagationContext());
  // Those of the page, after the team's hook. Later ones are left out by their time.
  isolation.clearBreadcrumbs();
  for (const crumb of getIsolationScope().getScopeData().breadcrumbs)
    isolation.addBreadcrumb(crumb);
  const { length } = isolation.getScopeData().breadcrumbs;
  setAsyncContextStrategy({
    getCurrentScope: () => current,
    getIsolationScope: () => isolation,
    withScope: (run) => run(current),
    withSetScope: (scope, run) => run(scope),
    withIsolationScope: (run) => run(isolation),
    withSetIsolationScope: (_scope, run) => run(isolation),
    suppressTracing: (run) => run(),
  });
  try {
    withActiveSpan(span, capture);
  } finally {
    setAsyncContextStrategy(undefined);
  }
  // The capture's own, which later events of the page have too.
  for (const crumb of isolation.getScopeData().breadcrumbs.slice(length))
    getIsolationScope().addBreadcrumb(crumb);
}

/**
 * Hands over what the app has captured by Sentry's functions.
 *
 * @returns false if it has captured nothing
 */
export function replayCall({ captured, hint, reference }: ReportedError): boolean {
  if (!captured) return false;
  const { error, message, level, event } = captured;
  const scope = getCurrentScope();
  const withId = { ...hint, event_id: reference };
  if (event) {
    // As the SDK's own captureFeedback: its session replay listens.
    const client = getClient() as { emit(...hook: unknown[]): void } | undefined;
    if (event.type === "feedback") client?.emit("beforeSendFeedback", event, withId);
    scope.captureEvent(event, withId);
  } else if (message !== undefined) scope.captureMessage(message, level, withId);
  else scope.captureException(error, withId);
  return true;
}

/** @param at when it was, in seconds since the epoch; else it is now */
export function captureLog(log: Log, scopes: Scopes, at?: number): void {
  inScopes(scopes, () =>
    _INTERNAL_captureLog(log, scopes.current, (client, item) =>
      _INTERNAL_captureSerializedLog(client, at ? { ...item, timestamp: at } : item),
    ),
  );
}

/** @param at when it was, in seconds since the epoch; else it is now */
export function captureMetric(metric: Metric, scopes: Scopes, at?: number): void {
  inScopes(scopes, () =>
    _INTERNAL_captureMetric(metric, {
      scope: scopes.current,
      captureSerializedMetric: (client, item) =>
        _INTERNAL_captureSerializedMetric(client, at ? { ...item, timestamp: at } : item),
    }),
  );
}
