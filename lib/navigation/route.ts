import type { NextRouter } from "next/router";
import { createContext, useContext } from "react";
import { defaultLocale, type Locale } from "@/lib/messages/locales.js";

/** Where the app is: what `useRouter` of Next tells, as a value that changes when it changes. */
export interface Route extends Pick<NextRouter, "pathname" | "asPath" | "isFallback"> {
  locale: Locale;
}

/**
 * Filled by `_app` from the router it is given. `next/router` itself is imported only by
 * instrumentation-client.ts and what it starts: a second importer makes the bundler cut the
 * framework's chunk in two, which costs every page a kilobyte.
 */
export const RouteContext = createContext<Route>({
  pathname: "/",
  asPath: "/",
  isFallback: false,
  locale: defaultLocale,
});

/** Where the app is now. */
export function useRoute(): Route {
  return useContext(RouteContext);
}
