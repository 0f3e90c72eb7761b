import "./sentry.client.config";
import * as Sentry from "@signpost/sentry";

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
