import Router from "next/router";
import { hashTarget } from "./arrival";
import {
  forgetHardNavigations,
  recoverByHardNavigation,
  recoverLostChunk,
} from "./hard-navigation";
import { forgetLeaving, isLeaving } from "./leaving";
import {
  isLostChunk,
  isRouterFailure,
  isUnknownPage,
  type RouterInternals,
  replaceMethod,
  whenRouterExists,
} from "./router-internals";
import { cancelNavigation } from "./stages";

/** Milliseconds after which it is known whether a request failed because the page is being left. */
const leaveDelay = 50;

/**
 * Makes the router recover from failed navigations: each becomes one hard navigation to its target,
 * and shows the error page if that fails too. By itself, the router
 *
 * - shows a page without data if the answer is not page data,
 * - shows the error page for failures that it does not take for network failures,
 * - throws, and stays stuck, if the target is the present page or a URL that can't be decoded,
 * - waits for ever if the page's script failed while it was being prefetched,
 * - loads the target of a failed navigation even if another navigation has taken its place, or if
 *   it failed because the page is being left,
 * - throws at a hash with a bare percent sign,
 * - ends each navigation to a page as cancelled once another has come before that page could show.
 *
 * What the app's own listeners, loaders and calls are refused for is theirs, and reaches them.
 */
export function recoverFailedNavigations(): void {
  handleLostPages();
  whenRouterExists((router) => {
    rejectEmptyData(router);
    replaceErrorHandling(router);
    scrollToAnyHash(router);
    forgetCancelledRender(router);
    // If a prefetch fails, the loader forgets it without settling the promise of a navigation that
    // waits for the same script. Scripts that failed are never requested again, so nothing else changes
    // if the loader keeps the failure, as it does for a page that is not prefetched.
    replaceMethod(router.pageLoader?.routeLoader, "loadRoute", (load) => (route) => load(route));
    // When the page is left, its requests fail. The router must not take that for a failed navigation.
    addEventListener("pagehide", () => {
      if (router._inFlightRoute) router._inFlightRoute = undefined;
    });
  });
  // In the capture phase, before a link starts its navigation.
  document.documentElement.addEventListener("click", forgetOnClick, true);
  addEventListener("popstate", () => forgetHardNavigations());
  // An `import()` that nobody handles.
  addEventListener("unhandledrejection", ({ reason }) => recoverLostChunk(reason));
}

/**
 * The visitor asks for a page, so a repeated failure is no loop. A button may lead to another page too;
 * what fails in this one would fail again.
 */
function forgetOnClick({ target }: MouseEvent): void {
  forgetHardNavigations((target as Element).closest("a[href]") ? "" : location.href);
}

/**
 * If files of a page are lost, also of one that is only fetched ahead, Next leaves a rejection to
 * nobody. The router gives up such a page by itself, which is no reason to load this one again.
 */
function handleLostPages(): void {
  // Where scripts and pages are handed to Turbopack's runtime.
  const { TURBOPACK: chunks } = globalThis as {
    TURBOPACK?: { push(chunk: unknown): Promise<void> | undefined };
  };
  if (!chunks) return;
  replaceMethod(chunks, "push", (push) => (chunk) => {
    const started = push(chunk);
    const caught = started?.catch?.((error) => {
      if (!isLostChunk(error)) throw error;
    });
    return caught ?? started;
  });
}

/** An answer that is no page data comes without properties. Only what came from the server has a key. */
function rejectEmptyData(router: RouterInternals): void {
  replaceMethod(router, "_getData", (getData) => async (load) => {
    const data = await getData(load);
    const { cacheKey, props } = data as { cacheKey?: string; props?: Record<string, unknown> };
    if (cacheKey && props && !props.pageProps && !props.notFound) {
      delete router.sdc?.[cacheKey];
      throw new Error("Failed to load static props");
    }
    return data;
  });
}

function replaceErrorHandling(router: RouterInternals): void {
  /** What navigations end with that need nothing more: the error page shows it, or they were given up. */
  const settled = new WeakSet<object>();

  replaceMethod(
    router,
    "handleRouteInfoError",
    (handle) =>
      async (error, pathname, query, url, ...more) => {
        const [options, isErrorPage] = more;
        await new Promise((resolve) => setTimeout(resolve, leaveDelay));
        // Makes the router give up the navigation without telling anyone.
        const cancelled = Object.assign(new Error("Route Cancelled", { cause: error }), {
          cancelled: true,
        });
        settled.add(cancelled);
        const isOvertaken = "_inFlightRoute" in router && router._inFlightRoute !== url;
        if (error.cancelled || isOvertaken) throw cancelled;
        const told = isLeaving() ? cancelled : error;
        const isUnknown = isUnknownPage(error);
        if (recoverByHardNavigation(isUnknown ? undefined : error, url) || isUnknown) {
          Router.events.emit?.("routeChangeError", told, url, options);
          throw cancelled;
        }
        if (isErrorPage) throw error;
        // A new error, without the router's mark of a network failure, for which it would load the page.
        const shown = new Error(error.message, { cause: error });
        settled.add(shown);
        return handle(shown, pathname, query, url, ...more);
      },
  );

  replaceMethod(router, "change", (change) => async (...args) => {
    forgetLeaving();
    try {
      return await change(...args);
    } catch (error) {
      if (settled.has(error as object)) return false;
      const target = isRouterFailure(error) && router._inFlightRoute;
      if (target && recoverByHardNavigation(error, target)) return false;
      // Where another one has taken its place, that goes on.
      if (!(error as { cancelled?: boolean } | undefined)?.cancelled) cancelNavigation();
      throw error;
    }
  });
}

/** An id may contain a bare percent sign. The router takes each for percent-encoding. */
function scrollToAnyHash(router: RouterInternals): void {
  replaceMethod(router, "scrollToHash", (scrollToHash) => (url) => {
    try {
      scrollToHash(url);
    } catch {
      hashTarget()?.scrollIntoView();
    }
  });
}

/** The cancellation stays with the page, though it shows at the next attempt. */
function forgetCancelledRender(router: RouterInternals): void {
  replaceMethod(router, "set", (set) => async (state, page, ...more) => {
    await set(state, page, ...more);
    if (page?.error?.cancelled) page.error = undefined;
  });
}
