import { watchNavigation } from "@/lib/base/browser/navigation";
import { measureVisit, watchPageRequests } from "@/lib/sentry/browser/first-load/visit";
import { watchErrors } from "@/lib/sentry/browser/first-load/watch-errors";

// First, so that what fails below is reported.
watchErrors();
// What leaves without the SDK can't ask the team's tracesSampler.
if (!process.env.NEXT_PUBLIC_TRACES_SAMPLER) measureVisit();
watchPageRequests();
watchNavigation();
