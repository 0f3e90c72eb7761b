import { useSyncExternalStore } from "react";
import { type Rendering, type Route, routes } from "@/lib/routes/routes";
import { useRoute } from "./route";

const never = () => () => {};

/**
 * URL path, query and hash as the router gives them, percent-encoded, without base path and locale.
 * What the first render in the browser shows must be what the server's did, and the server may have
 * known less (a prerendered page is made without its query, none is told the hash) or put it in
 * other words (it groups the keys of the query); so it goes by what stands in the page.
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
  if (hydrated || typeof document === "undefined") return asPath;
  const shown = document.querySelector('[data-fact="path"]')?.textContent;
  return shown ?? asPath.replace(/[?#].*/, "");
}

/** How the page of a pattern comes to be; pages that are not on the map are made per request. */
export function renderingOf(pathname: string): Rendering {
  return routes[pathname as Route] ?? "server";
}
