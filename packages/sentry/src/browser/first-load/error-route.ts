import { dataUrlOf, patternOf, placeOf } from "../../shared/routes/location.ts";
import { app } from "./app.ts";
import { currentRoute, lastNavigation } from "./navigation.ts";
import { type PageRequest, requests } from "./requests.ts";

/**
 * The pattern of the page that a failed navigation should have led to, such as `/dynamic/[id]`; of a
 * rewritten URL, the path. Before any navigation, that of the page.
 */
export function failedRoute(): string {
  const { url } = lastNavigation();
  if (!url) return currentRoute();
  return patternOfUrl(url) ?? new URL(url, location.href).pathname;
}

/**
 * The pattern for the target of a navigation that has not arrived: after that the router knows it.
 *
 * @returns nothing for a rewritten URL
 */
export function patternOfUrl(url: string): string | undefined {
  return patternOf(app(), new URL(url, location.href));
}

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
  const message = `Failed to load the data of ${failedRoute()}`;
  const named = new Error(status ? `${message}, status ${status}` : message);
  named.stack = error.stack;
  return named;
}

/** The status of the last request for the target's data; nothing where no answer came. */
function dataStatus(): number | undefined {
  const { url, start } = lastNavigation();
  const place = placeOf(app(), new URL(url, location.href));
  const path = place && dataUrlOf(app(), window.__NEXT_DATA__.buildId, place);
  const newestFirst = [...requests].reverse();
  const asked = newestFirst.find((request) => new URL(request.url).pathname === path);
  // A rewritten URL has its data elsewhere: what was refused meanwhile. A prefetch may have begun before.
  const refused = ({ url, end = 0, status = 0 }: PageRequest) =>
    end >= start && status >= 400 && url.includes("/_next/data/");
  return (asked ?? newestFirst.find(refused))?.status;
}
