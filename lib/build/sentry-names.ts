/**
 * What Sentry's wizard and guide for Next write into an app, and what is here in its place.
 * Source: https://docs.sentry.io/platforms/javascript/guides/nextjs/manual-setup/pages-router/
 */
const setUp: [name: RegExp, instead: string][] = [
  [
    /\bwithSentryConfig\b/,
    "the build's source maps and the tunnel are set up here already, so leave it out.",
  ],
  [
    /\btunnelRoute(?=\s*:)/,
    "reports go to /api/relay, or where NEXT_PUBLIC_TUNNEL says, so leave it out.",
  ],
  [
    /\bcaptureRequestError\b/,
    "the onRequestError of instrumentation.ts reports each error of a request once, so leave it out.",
  ],
  [
    /\bcaptureUnderscoreErrorException\b/,
    "the error was reported before the error page is rendered, so leave it out.",
  ],
  [
    /\bcaptureRouterTransitionStart\b/,
    "Signpost traces navigations by route, so leave it out, and onRouterTransitionStart with it.",
  ],
  [/\bwrap[A-Z]\w*WithSentry\b/, "each request is reported without it, so leave it out."],
  [
    /\bbrowserTracingIntegration\b/,
    "Signpost adds it in visits that BROWSER_TRACES_SAMPLE_RATE samples, so leave it out.",
  ],
];

/** Options of the SDK, in the files that may hold them: elsewhere such a name may mean something else. */
const optionFiles = /^(sentry\.|instrumentation)/;
const options: [name: RegExp, instead: string][] = [
  [/\bdsn(?=\s*:)/, "the server reads SENTRY_DSN when it starts, so leave it out."],
  [
    /\btracesSampleRate(?=\s*:)/,
    "the server reads SENTRY_TRACES_SAMPLE_RATE and BROWSER_TRACES_SAMPLE_RATE when it starts, so leave it out.",
  ],
  [
    /\bsendDefaultPii\b/,
    "reports hold no private data but what lib/base/config/reported-names.ts allows, so leave it out.",
  ],
  [/\benableLogs\b/, "logs need no option, so leave it out."],
];

/**
 * @param file its path
 * @param text without comments
 * @returns each name of Sentry's set-up that the file uses, with the reason why it must not
 */
export function misplacedNames(file: string, text: string): [name: string, instead: string][] {
  const names = optionFiles.test(file) ? [...setUp, ...options] : setUp;
  return names.flatMap(([pattern, instead]): [string, string][] => {
    const name = pattern.exec(text)?.[0];
    return name ? [[name, instead]] : [];
  });
}
