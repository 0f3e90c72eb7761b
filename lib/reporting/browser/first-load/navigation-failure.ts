import { lastNavigation } from "@/lib/navigation/lifecycle";
import { dataUrlOf, placeOf } from "@/lib/routes/location";
import { errorRoute } from "./error-route";

/**
 * The error to report for a navigation that failed. Next's router words every failure of page data
 * alike; this names the page and the status.
 *
 * @returns nothing where the server has answered with status 500: it has reported that itself
 */
export function navigationFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== "Failed to load static props") return error;
  const status = dataStatus();
  if (status === 500) return undefined;
  const message = `Failed to load the data of ${errorRoute("navigation")}`;
  const named = new Error(status ? `${message}, status ${status}` : message);
  named.stack = error.stack;
  return named;
}

/** The status of the last request for the target's data, where the browser tells it. */
function dataStatus(): number | undefined {
  const place = placeOf(new URL(lastNavigation().url, location.href));
  const url = place && dataUrlOf(window.__NEXT_DATA__.buildId, place).replace(/[?#].*/, "");
  const requests = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return requests.findLast(({ name }) => new URL(name).pathname === url)?.responseStatus;
}
