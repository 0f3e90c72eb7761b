import { inbox } from "@signpost/inbox";
import * as Sentry from "@signpost/sentry";

/**
 * Your options for Sentry's SDK on the server, as its documentation has them.
 *
 * Signpost adds the address, release, environment and rates out of the variables, the transport to
 * the outbox, an isolation scope for each request, the limit of reports that are alike, and scrubbing.
 * Your `beforeSend`, `beforeSendTransaction` and `beforeBreadcrumb` run before scrubbing, and your
 * `integrations` are added to Signpost's. Your `tracesSampler` takes the place of
 * `SENTRY_TRACES_SAMPLE_RATE`, but requests of the tunnel and what `excludeFromTracing` names are never traced.
 */
Sentry.init({
  // Where reports go while there is no SENTRY_DSN: to /reports of this app.
  destination: inbox(),
  // What is requested too often to be measured, each with all below it: health, metrics, and yours.
  excludeFromTracing: ["/api/health", "/api/metrics"],
});
