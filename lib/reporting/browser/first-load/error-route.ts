import Router from "next/router";
import { lastNavigation } from "@/lib/navigation/lifecycle";
import { placeOf } from "@/lib/routes/location";
import { matchRoute } from "@/lib/routes/routes";

/** What noticed the error; "sentry": a call of Sentry's own functions. */
export type ErrorSource = "event" | "boundary" | "navigation" | "policy" | "sentry";

/**
 * The pattern of the page that an error belongs to, such as `/dynamic/[id]`.
 *
 * @returns undefined before Next's code runs
 */
export function errorRoute(source: ErrorSource | undefined): string | undefined {
  const { url } = lastNavigation();
  // A failed navigation belongs to the page that it should have led to.
  return source === "navigation" && url ? patternOfUrl(url) : currentRoute();
}

/** The pattern of the page that the visitor is on. */
export function currentRoute(): string {
  // Before hydration there is no router.
  return Router.router?.pathname ?? window.__NEXT_DATA__?.page;
}

/** The pattern for the target of a navigation, which the router names only after it has arrived. */
export function patternOfUrl(url: string): string {
  const place = placeOf(new URL(url, location.href));
  return (place && matchRoute(place.path.replace(/[?#].*/, ""))) ?? "/_error";
}
