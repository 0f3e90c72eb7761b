import { config, type Files } from "./comparison-apps.ts";

/** What the benches measure: one of ten is sampled, as in Sentry's documentation. */
export const sentrySetup = documentedSetup({
  dsn: "http://0123456789abcdef0123456789abcdef@localhost/42",
  options: "tracesSampleRate: 0.1",
});

/**
 * What https://docs.sentry.io/platforms/javascript/guides/nextjs/manual-setup/pages-router/ asks
 * for, with nothing sent during the build. The server's DSN comes from the environment.
 *
 * @param setup the browser's DSN; source text: the options of browser and server, and further settings
 *   of Next
 */
export function documentedSetup(setup: { dsn: string; options: string; more?: string }): Files {
  const { dsn, options, more } = setup;
  return {
    ...config({
      more,
      imports: 'import { withSentryConfig } from "@sentry/nextjs/config";',
      wrap: (text) =>
        `withSentryConfig(${text}, { silent: true, telemetry: false, sourcemaps: { disable: true } })`,
    }),
    "instrumentation-client.js": `import * as Sentry from "@sentry/nextjs";

Sentry.init({
  dsn: "${dsn}",
  integrations: [Sentry.browserTracingIntegration()],
  ${options},
});

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
`,
    "sentry.server.config.js": `import * as Sentry from "@sentry/nextjs";

Sentry.init({ dsn: process.env.SENTRY_DSN, ${options} });
`,
    "instrumentation.js": `import * as Sentry from "@sentry/nextjs";

export async function register() {
  if (process.env.NEXT_RUNTIME === "nodejs") await import("./sentry.server.config.js");
}

export const onRequestError = Sentry.captureRequestError;
`,
    "pages/_error.jsx": `import * as Sentry from "@sentry/nextjs";
import Error from "next/error";

export default function CustomError({ statusCode }) {
  return <Error statusCode={statusCode} />;
}

CustomError.getInitialProps = async (context) => {
  await Sentry.captureUnderscoreErrorException(context);
  return Error.getInitialProps(context);
};
`,
  };
}
