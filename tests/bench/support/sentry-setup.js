import { config } from "./comparison-apps.js";

/**
 * What https://docs.sentry.io/platforms/javascript/guides/nextjs/manual-setup/pages-router/ asks
 * for, with nothing sent during the build. The server's DSN comes from the environment.
 *
 * @type {import("./comparison-apps.js").Files}
 */
export const sentrySetup = {
  ...config({
    imports: 'import { withSentryConfig } from "@sentry/nextjs/config";',
    wrap: (text) =>
      `withSentryConfig(${text}, { silent: true, telemetry: false, sourcemaps: { disable: true } })`,
  }),
  "instrumentation-client.js": `import * as Sentry from "@sentry/nextjs";

Sentry.init({
  dsn: "http://0123456789abcdef0123456789abcdef@localhost/42",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 0.1,
});

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
`,
  "sentry.server.config.js": `import * as Sentry from "@sentry/nextjs";

Sentry.init({ dsn: process.env.SENTRY_DSN, tracesSampleRate: 0.1 });
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
