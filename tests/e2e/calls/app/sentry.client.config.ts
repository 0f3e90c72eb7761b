import * as Sentry from "@signpost/sentry";
import { options } from "./options";

/** Milliseconds. A page load ends when the page is told so, and not at some time after it. */
const never = 600_000;

Sentry.init({
  dsn: "http://0123456789abcdef0123456789abcdef@service.example/42",
  ...options,
  // By default, the SDK drops what is more than 64 at a time, which hangs on how fast they leave.
  transportOptions: { bufferSize: 1000 },
  integrations: [
    Sentry.browserTracingIntegration({
      idleTimeout: never,
      finalTimeout: never,
      childSpanTimeout: never,
    }),
  ],
});
// So that reports of pages that are open at the same time can be told apart.
Sentry.getGlobalScope().setTag("page", location.pathname).setAttribute("page", location.pathname);
