import { announceOnArrival, focusOnArrival } from "@/lib/navigation/arrival";
import { limitDataRequests } from "@/lib/navigation/data-requests";
import { watchNavigation } from "@/lib/navigation/lifecycle";
import { watchLinks } from "@/lib/navigation/links";
import { recoverFailedNavigations } from "@/lib/navigation/recovery";
import { followLanguageOnBack } from "@/lib/navigation/router-internals";
import { restoreScrollPositions } from "@/lib/navigation/scroll";
import { watchErrors } from "@/lib/reporting/browser/watch-errors";

watchErrors();
watchNavigation();
limitDataRequests();
watchLinks();
focusOnArrival();
announceOnArrival();
recoverFailedNavigations();
followLanguageOnBack();
restoreScrollPositions();
