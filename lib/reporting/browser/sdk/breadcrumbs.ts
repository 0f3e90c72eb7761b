import { addBreadcrumb } from "@sentry/browser";
import { htmlTreeAsString } from "@sentry/browser-utils";
import { type Navigation, onNavigation } from "@/lib/navigation/lifecycle";
import type { EarlyMoment } from "@/lib/reporting/browser/first-load/early-moments";

/** Adds a breadcrumb for each stage of each navigation, and for what happened before the SDK ran. */
export function leaveBreadcrumbs(moments: readonly EarlyMoment[]): void {
  const earlier = [...moments.map(crumbOfMoment), ...failedFetches()];
  for (const crumb of earlier.sort((a, b) => a.timestamp - b.timestamp)) addBreadcrumb(crumb);
  onNavigation((navigation) => addBreadcrumb(crumbOfNavigation(navigation)));
}

function crumbOfMoment(moment: EarlyMoment) {
  const timestamp = moment.at / 1000;
  if ("stages" in moment) return { ...crumbOfNavigation(moment), timestamp };
  return { category: "ui.click", message: htmlTreeAsString(moment.clicked), timestamp };
}

function crumbOfNavigation({ url, stages }: Navigation) {
  const stage = stages.at(-1);
  return {
    category: "navigation",
    message: `${stage} ${url}`,
    level: stage === "error" ? ("error" as const) : ("info" as const),
    data: { to: url, stage },
  };
}

/** Failed fetches before the SDK ran, from the browser's resource timing. */
function failedFetches() {
  return performance
    .getEntriesByType("resource")
    .filter((entry): entry is PerformanceResourceTiming => "responseStatus" in entry)
    .filter((entry) => entry.initiatorType === "fetch" && entry.responseStatus >= 400)
    .map((entry) => ({
      category: "fetch",
      type: "http",
      level: "error" as const,
      data: { url: entry.name, status_code: entry.responseStatus },
      timestamp: (performance.timeOrigin + entry.startTime) / 1000,
    }));
}
