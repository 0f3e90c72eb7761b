import type * as Browser from "@sentry/browser";
import type { Integration, Log, Metric, StartSpanOptions } from "@sentry/core";

/** A scope that lib/sentry has recorded, as data in the SDK's own shape. */
export interface ScopeData {
  tags: Record<string, unknown>;
  extra: Record<string, unknown>;
  contexts: Record<string, unknown>;
  attributes: Record<string, unknown>;
  user?: Browser.User;
  level?: Browser.Event["level"];
  fingerprint?: string[];
  breadcrumbs: Browser.Breadcrumb[];
  /** Calls that only the SDK's own scope can carry out. */
  calls: [name: "addAttachment" | "addEventProcessor" | "setTransactionName", value: unknown][];
}

/** What was captured: one of these, or nothing where the report comes from elsewhere. */
export interface Captured {
  error?: unknown;
  /** Of an error that a boundary has caught. */
  componentStack?: string;
  message?: string;
  level?: Browser.Event["level"];
  event?: Browser.Event;
}

/** A log or a metric from before the SDK. */
export interface EarlyItem {
  scope: ScopeData;
  /** Seconds since the epoch. */
  at: number;
  log?: Log;
  metric?: Metric;
}

/** A span that has ended before the SDK was there, and those that began and ended in it. */
export interface EarlySpan {
  options: StartSpanOptions;
  /** Seconds since the epoch. */
  start: number;
  ended?: Parameters<Browser.Span["end"]>[0];
  status?: Parameters<Browser.Span["setStatus"]>[0];
  children: EarlySpan[];
}

/** What lib/sentry needs of the SDK, once it runs. */
export interface RunningSdk
  extends Pick<
    typeof Browser,
    | "addBreadcrumb"
    | "addIntegration"
    | "flush"
    | "getActiveSpan"
    | "getClient"
    | "getCurrentScope"
    | "getGlobalScope"
    | "getIsolationScope"
    | "lastEventId"
    | "startInactiveSpan"
    | "startSpan"
    | "startSpanManual"
    | "withScope"
  > {
  captureLog(log: Log, scope?: Browser.Scope): void;
  captureMetric(metric: Metric, scope?: Browser.Scope): void;
  /** Whoever has kept a recorded scope changes the SDK's from then on. */
  takeOver(recorded: Partial<Record<"global" | "isolation" | "current", ScopeData>>): void;
  replayItems(items: EarlyItem[]): void;
  replaySpans(spans: EarlySpan[]): void;
}

/**
 * The link between lib/sentry, which is in the first load of pages that import it, and the SDK, which
 * may come later. A page without lib/sentry loads this file with the SDK.
 */
export let sdk: RunningSdk | undefined;

/** Added before the SDK was there. It gets them before the errors that waited. */
export const earlyIntegrations: Integration[] = [];

const waiting: ((sdk: RunningSdk) => void)[] = [];

/**
 * Calls back when the SDK runs: now, or once it has started and taken the errors that waited.
 * The last listener is called first, so that what uses a scope is handed over before the scope.
 */
export function onSdk(listener: (sdk: RunningSdk) => void): void {
  if (sdk) listener(sdk);
  else waiting.push(listener);
}

export function announceSdk(running: RunningSdk): void {
  sdk = running;
  for (const listener of waiting.splice(0).reverse()) listener(running);
}
