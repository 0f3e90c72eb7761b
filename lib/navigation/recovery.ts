import Router from "next/router";
import { leaveFor, loadWhole } from "./full-load";

/** Milliseconds in which a page that breaks off its requests because it is being left is gone. */
const moment = 50;

/** What the router calls on itself; nothing public comes before it has given up. */
interface RouterParts {
  pageLoader: {
    routeLoader: { loadRoute(route: string, prefetch?: boolean): Promise<unknown> };
  };
  sdc: Record<string, unknown>;
  _inFlightRoute?: string;
  clc: (() => void) | null;
  _getData(load: () => Promise<PageData>): Promise<PageData>;
  handleRouteInfoError(
    error: RouteError,
    pathname: string,
    query: unknown,
    url: string,
    options: unknown,
    fatal?: boolean,
  ): Promise<unknown>;
  change(...args: unknown[]): Promise<boolean>;
}

type RouteError = Error & { cancelled?: boolean };

interface PageData {
  /** Set only if the data came from the server. */
  cacheKey?: string;
  props: { pageProps?: object; notFound?: unknown };
}

/**
 * Mends what the router leaves broken when it can't have a page: every such navigation becomes one
 * full page load of its target, and the error page if that does not help.
 *
 * - An answer that is no page data: the router would show the page without any.
 * - A fault on the way that it does not take for one of the network: it would show the error page.
 * - The page that is here already, or a link it can't read: it would throw, and stay as it is.
 * - A page that was being fetched ahead when it was asked for: it would wait for ever.
 * - A navigation that another one has taken over meanwhile, or that was under way when the page was
 *   left and breaks off with it: it would go there all the same.
 *
 * Made for https://github.com/vercel/next.js/blob/v16.4.5/packages/next/src/shared/lib/router/router.ts
 */
export function mendNavigation(): void {
  Router.ready(() => {
    const router = Router.router as unknown as RouterParts;
    const { _getData, handleRouteInfoError, change } = router;
    const { routeLoader } = router.pageLoader;
    const { loadRoute } = routeLoader;
    let shown: unknown;

    // If what is fetched ahead fails, the loader forgets it without telling those who wait for it.
    // Scripts that failed are never asked for again, so keeping the failure changes nothing else.
    routeLoader.loadRoute = (route) => loadRoute.call(routeLoader, route);

    // An `import()` of what is no longer on the server, and that nobody stands in for. Turbopack
    // words it so; what a page that is on its way lacks, the router tells of by itself.
    addEventListener("unhandledrejection", ({ reason }) => {
      if (/^Failed to load chunk .* from module/.test(reason?.message)) loadWhole(reason);
    });

    addEventListener("pagehide", () => {
      router._inFlightRoute = undefined;
      router.clc?.();
    });

    router._getData = async (load) => {
      const data = await _getData.call(router, load);
      const { cacheKey, props } = data;
      if (cacheKey && !props.pageProps && !props.notFound) {
        delete router.sdc[cacheKey];
        throw new Error("Failed to load static props");
      }
      return data;
    };

    router.handleRouteInfoError = async (error, pathname, query, url, options, fatal) => {
      await new Promise((resolve) => setTimeout(resolve, moment));
      if (error.cancelled || router._inFlightRoute !== url) throw cancelled(error);
      if (recovers(error, url, options)) throw cancelled(error);
      if (fatal) throw error;
      // In a new error, or the router would see that it was one of the network, and load again.
      shown = new Error(error.message, { cause: error });
      return handleRouteInfoError.call(router, shown as Error, pathname, query, url, options);
    };

    router.change = async (...args) => {
      try {
        return await change.apply(router, args);
      } catch (error) {
        if (error === shown || loadWhole(error, router._inFlightRoute)) return false;
        throw error;
      }
    };
  });
}

function recovers(error: Error, url: string, options: unknown): boolean {
  // No page of this build: a file, a page that is new, or nothing. The server knows; no fault yet.
  if (error.message.startsWith("Failed to lookup route")) leaveFor(url);
  else if (!loadWhole(error, url)) return false;
  Router.events.emit("routeChangeError", error, url, options);
  return true;
}

/** What the router takes for a navigation that was given up, and keeps to itself. */
function cancelled(cause: Error): RouteError {
  return Object.assign(new Error("Route Cancelled", { cause }), { cancelled: true });
}
