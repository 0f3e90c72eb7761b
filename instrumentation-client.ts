import "./sentry.client.config";
import * as Sentry from "@signpost/sentry";
import { mendRouter } from "@/lib/navigation/mend-router";

// Next runs this file before it makes the router and before React hydrates the page.

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;

mendRouter();
