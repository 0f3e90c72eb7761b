import { watchNavigation } from "@/lib/base/browser/navigation";
import {
  measureVisit,
  tracePropagationTargets,
  watchPageRequests,
} from "@/lib/sentry/browser/first-load/visit";
import { watchErrors } from "@/lib/sentry/browser/first-load/watch-errors";
import { announceOnArrival, focusOnArrival } from "@/lib/site/navigation/arrival";
import { limitDataRequests } from "@/lib/site/navigation/data-requests";
import { recoverFailedNavigations } from "@/lib/site/navigation/recovery";
import { followLanguageOnBack } from "@/lib/site/navigation/router-internals";
import { restoreScrollPositions } from "@/lib/site/navigation/scroll";

// Next runs this file before it makes the router and before React hydrates the page.

// First, so that what fails below is reported. When the page is left, its errors are sent before
// the measurements of the visit, as long as the browser still takes requests.
watchErrors();
// What leaves without the SDK can't ask the team's tracesSampler.
if (!process.env.NEXT_PUBLIC_TRACES_SAMPLER) measureVisit();
// Page data and this app's API routes carry the trace. Where one of these redirects to another origin, as
// a download to a storage, the request would fail: list then only those that never do, or take `/api/` out.
watchPageRequests([...tracePropagationTargets, /^(\/.*)?\/api\//]);

// Before the router fires its first event.
watchNavigation();

// Each of these waits for an event or for the router; among themselves their order is free.
limitDataRequests();
focusOnArrival();
announceOnArrival();
recoverFailedNavigations();

// Before the router listens to `popstate` and gives the page's history entry a new key.
followLanguageOnBack();
restoreScrollPositions();
