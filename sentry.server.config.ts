import type { ServerOptions } from "@/lib/sentry/server/options";

/**
 * Your options for Sentry's SDK on the server, as its documentation has them.
 *
 * Signpost adds the address, release, environment and rates out of the variables, the transport to
 * the outbox, an isolation scope for each request, the limit of reports that are alike, and scrubbing.
 * Your `beforeSend`, `beforeSendTransaction` and `beforeBreadcrumb` run before scrubbing, and your
 * `integrations` are added to Signpost's. Your `tracesSampler` takes the place of
 * `SENTRY_TRACES_SAMPLE_RATE`, but requests of the tunnel and of health checks are never traced.
 */
export const options: ServerOptions = {};
