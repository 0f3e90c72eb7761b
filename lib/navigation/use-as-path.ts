import { useSyncExternalStore } from "react";
import { type Rendering, type Route, routes } from "@/lib/routes/routes";
import { useRoute } from "./route";

const never = () => () => {};

/**
 * URL path, query and hash as the router gives them, percent-encoded, without base path and locale.
 * A prerendered page is made without its query, some even without their parameters, and no server
 * is told the hash; so the first render in the browser does not show them either.
 *
 * @returns nothing where the parameters are not known yet
 */
export function useAsPath(): string | undefined {
  const { asPath, pathname, isFallback } = useRoute();
  const hydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  if (isFallback || (pathname.includes("[") && asPath === pathname)) return undefined;
  if (hydrated) return asPath;
  return asPath.replace(renderingOf(pathname) === "server" ? /#.*/ : /[?#].*/, "");
}

/** How the page of a pattern comes to be; pages that are not on the map are made per request. */
export function renderingOf(pathname: string): Rendering {
  return routes[pathname as Route] ?? "server";
}
