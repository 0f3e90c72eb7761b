import { lastNavigation } from "@/lib/navigation/lifecycle";
import { placeOf } from "@/lib/routes/location";
import { matchRoute } from "@/lib/routes/routes";
import { currentRoute } from "./current-route";
import type { Source } from "./known-errors";

/**
 * The pattern that the map has for a navigation's target; the router's own word follows only when
 * it has arrived.
 */
export function routeOf(url: string): string {
  const place = placeOf(new URL(url, location.href));
  return (place && matchRoute(place.path.replace(/[?#].*/, ""))) ?? "/_error";
}

/** The pattern of the page that an error belongs to. */
export function errorRoute(source: Source | undefined): string {
  const { url } = lastNavigation();
  // What failed on the way is a matter of the page it was to lead to.
  return source === "navigation" && url ? routeOf(url) : currentRoute();
}
