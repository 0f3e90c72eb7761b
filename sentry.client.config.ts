import * as Sentry from "@signpost/sentry";

/**
 * Your options for Sentry's SDK in the browser, as its documentation has them: `beforeSend`,
 * `beforeBreadcrumb`, `ignoreErrors`, `denyUrls`, `integrations`, `initialScope`, and so on.
 *
 * Signpost adds what is the same for every app: tunnel and transport, from the server release,
 * environment and the share of visits to measure (`BROWSER_TRACES_SAMPLE_RATE`), tracing by route, and
 * the removal of private data, after your own hooks. The SDK comes late, with these options; what they
 * themselves import is part of each page's first load.
 *
 * docs/sentry.md has recipes, and says where the options that differ are listed.
 */
Sentry.init({
  integrations: [
    // Yours, beside Signpost's.
  ],
});
