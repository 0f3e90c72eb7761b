import { getActiveSpan, getCurrentScope, getIsolationScope, withActiveSpan } from "@sentry/browser";
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
import type { Scopes } from "@/lib/sentry/browser/first-load/report-error";

/** What lib/sentry needs of the SDK, once it runs: first-load/sdk-link.ts hands this module over. */
export {
  getActiveSpan,
  getClient,
  startInactiveSpan,
  startSpan,
  startSpanManual,
} from "@sentry/browser";

/**
 * Runs a capture in the scopes of its moment, in the trace of the visit. The SDK reads its scopes
 * before the capture returns.
 */
export function inScopes(kept: Scopes, capture: () => void): void {
  const { current, isolation } = kept;
  const span = getActiveSpan() ?? null;
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

/** @param timestamp when it was, in seconds since the epoch */
export function captureLog(log: Log, scopes: Scopes, timestamp: number): void {
  inScopes(scopes, () =>
    _INTERNAL_captureLog(log, scopes.current, (client, item) =>
      _INTERNAL_captureSerializedLog(client, { ...item, timestamp }),
    ),
  );
}

/** @param timestamp when it was, in seconds since the epoch */
export function captureMetric(metric: Metric, scopes: Scopes, timestamp: number): void {
  inScopes(scopes, () =>
    _INTERNAL_captureMetric(metric, {
      scope: scopes.current,
      captureSerializedMetric: (client, item) =>
        _INTERNAL_captureSerializedMetric(client, { ...item, timestamp }),
    }),
  );
}
