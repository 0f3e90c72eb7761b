import { attendToArrivals } from "./arrival";
import { limitDataRequests } from "./data-requests";
import { watchLeaving } from "./leaving";
import { recoverFailedNavigations } from "./recovery";
import { attempt } from "./router-internals";
import { restoreScrollPositions } from "./scroll";
import { watchNavigation } from "./stages";

/**
 * Starts all that Signpost adds to Next's router. Call it once, before Next makes the router. Each part
 * stands by itself: where Next, a browser or an extension lacks what it builds on, or keeps it from
 * being replaced, that part is off, development says so, and everything else works.
 */
export function mendRouter(): void {
  for (const part of [
    watchLeaving,
    // Before the router fires its first event.
    watchNavigation,
    // Each of these waits for an event or for the router; among themselves their order is free.
    limitDataRequests,
    attendToArrivals,
    recoverFailedNavigations,
    // Before the router listens to `popstate` and gives the page's history entry a new key.
    restoreScrollPositions,
  ])
    attempt(part);
}
