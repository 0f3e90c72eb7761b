import type { ClientOptions } from "@/lib/sentry/browser/sdk/client-options";

/**
 * Your options for Sentry's SDK in the browser, as its documentation has them: `beforeSend`,
 * `beforeBreadcrumb`, `ignoreErrors`, `denyUrls`, `integrations`, `initialScope`, and so on.
 *
 * Signpost adds what is the same for every app: tunnel and transport, from the server release,
 * environment and the share of visits to measure (`BROWSER_TRACES_SAMPLE_RATE`), tracing by route, and
 * the removal of private data, after your own hooks. This file and all that it imports come with the
 * SDK, so that a page's first load does not grow.
 *
 * docs/sentry.md says how each option works here, and what leaves the browser without the SDK.
 */
export const options: ClientOptions = {
  integrations: [
    // Yours, beside Signpost's.
  ],
};
