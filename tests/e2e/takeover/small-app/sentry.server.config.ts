import * as Sentry from "@signpost/sentry";

Sentry.init({ tracesSampleRate: 1 });
