import { announceOnArrival, focusOnArrival } from "@/lib/navigation/arrival";
import { limitDataRequests } from "@/lib/navigation/data-requests";
import { watchNavigation } from "@/lib/navigation/lifecycle";
import { watchLinks } from "@/lib/navigation/links";
import { recoverFailedNavigations } from "@/lib/navigation/recovery";
import { followLanguageOnBack } from "@/lib/navigation/router-internals";
import { restoreScrollPositions } from "@/lib/navigation/scroll";
import { measureVisit } from "@/lib/reporting/browser/first-load/visit";
import { watchErrors } from "@/lib/reporting/browser/first-load/watch-errors";

// Next runs this file before it makes the router and before React hydrates the page.

// First, so that what fails below is reported. When the page is left, its errors are sent before
// the measurements of the visit, as long as the browser still takes requests.
watchErrors();
measureVisit();

// Before the router fires its first event.
watchNavigation();

// Each of these waits for an event or for the router; among themselves their order is free.
limitDataRequests();
watchLinks();
focusOnArrival();
announceOnArrival();
recoverFailedNavigations();

// Before the router listens to `popstate` and gives the page's history entry a new key.
followLanguageOnBack();
restoreScrollPositions();
