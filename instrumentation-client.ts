import Router from "next/router";
import { announceOnArrival } from "@/lib/navigation/announcement";
import { focusOnArrival } from "@/lib/navigation/arrival";
import { limitDataRequests } from "@/lib/navigation/data-requests";
import { watchNavigation } from "@/lib/navigation/lifecycle";
import { followLinks } from "@/lib/navigation/links";
import { mendNavigation } from "@/lib/navigation/recovery";
import { keepScroll } from "@/lib/navigation/scroll";
import { watchErrors } from "@/lib/reporting/browser/watch-errors";

watchErrors();
watchNavigation(Router);
limitDataRequests();
followLinks();
focusOnArrival();
announceOnArrival();
mendNavigation();
keepScroll();
