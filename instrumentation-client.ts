import Router from "next/router";
import { focusOnArrival } from "@/lib/navigation/arrival";
import { watchNavigation } from "@/lib/navigation/lifecycle";
import { followLinks } from "@/lib/navigation/links";
import { limitPrefetches } from "@/lib/navigation/prefetch-queue";
import { watchErrors } from "@/lib/reporting/early";

watchErrors();
watchNavigation(Router);
limitPrefetches();
followLinks();
focusOnArrival();
