import * as Sentry from "@signpost/sentry";

Sentry.init({ tracesSampleRate: 1 });

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
