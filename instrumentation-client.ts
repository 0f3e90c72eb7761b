import { focusOnArrival } from "@/lib/navigation/arrival";
import { watchNavigation } from "@/lib/navigation/lifecycle";
import { watchErrors } from "@/lib/reporting/early";

watchErrors();
watchNavigation();
focusOnArrival();
