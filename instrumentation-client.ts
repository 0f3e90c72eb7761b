import { watchNavigation } from "@/lib/base/browser/navigation";
import "./sentry.client.config";
import * as Sentry from "@signpost/sentry";
import { announceOnArrival, focusOnArrival } from "@/lib/site/navigation/arrival";
import { limitDataRequests } from "@/lib/site/navigation/data-requests";
import { recoverFailedNavigations } from "@/lib/site/navigation/recovery";
import { restoreScrollPositions } from "@/lib/site/navigation/scroll";

// Next runs this file before it makes the router and before React hydrates the page.

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;

// Before the router fires its first event.
watchNavigation();

// Each of these waits for an event or for the router; among themselves their order is free.
limitDataRequests();
focusOnArrival();
announceOnArrival();
recoverFailedNavigations();

// Before the router listens to `popstate` and gives the page's history entry a new key.
restoreScrollPositions();
