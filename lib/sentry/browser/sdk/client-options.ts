import type { BrowserOptions } from "@sentry/browser";

/** What Signpost decides for every app. */
type Decided =
  | "dsn"
  | "tunnel"
  | "transport"
  | "transportOptions"
  | "release"
  | "environment"
  | "enabled"
  | "defaultIntegrations"
  // BROWSER_TRACES_SAMPLE_RATE: one build serves every environment.
  | "tracesSampleRate"
  // instrumentation-client.ts has them, for the time before the SDK too.
  | "tracePropagationTargets"
  | "traceLifecycle"
  | "dataCollection"
  | "beforeSendSpan";

/** The options of Sentry's SDK in the browser that a team gives in sentry.client.config.ts. */
export type ClientOptions = Omit<BrowserOptions, Decided>;
