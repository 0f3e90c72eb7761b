import type NextRouter from "next/dist/shared/lib/router/router";
import Router from "next/router";

/**
 * All of Next's private parts that this folder builds on. The public API has no counterpart: its
 * events come too late to change the outcome of a navigation.
 *
 * Written for https://github.com/vercel/next.js/blob/v16.4.5/packages/next/src/shared/lib/router/router.ts
 */

/** The parts of the router instance that this folder reads or replaces. */
export type RouterInternals = Pick<
  NextRouter,
  | "_getData" // Loads page data, unless the navigation is cancelled meanwhile.
  | "_inFlightRoute" // The URL of the navigation under way.
  | "handleRouteInfoError" // Decides what happens when code or data of a page fails to load.
  | "isSsr" // Whether the page is still the one that the server rendered.
  | "locale"
  | "pageLoader"
  | "prefetch"
  | "sbc" // Requests for page data in the background, by URL.
  | "scrollToHash"
  | "sdc" // Page data fetched so far, by URL.
> & {
  /** The key of the present history entry. */
  _key: string;
  /** Performs a navigation. Resolves with whether it arrived. */
  change(...args: unknown[]): Promise<boolean>;
};

/** Calls back with the router's internals as soon as the router exists, in the browser only. */
export function whenRouterExists(callback: (router: RouterInternals) => void): void {
  Router.ready(() => callback(Router.router as unknown as RouterInternals));
}

/**
 * Whether the router itself has failed, and not a call or a listener of the app's: a part of a page
 * could not be loaded, which it marks by a symbol; it should load the page that is here already; or a
 * URL can't be decoded.
 */
export function isRouterFailure(error: unknown): boolean {
  return (
    error instanceof Error &&
    (Object.getOwnPropertySymbols(error).some((mark) => mark.description === "ASSET_LOAD_ERROR") ||
      /^(Invariant: attempted to hard navigate|failed to decode param)/.test(error.message))
  );
}

/** Whether a script that an `import()` needs failed to load: the words of Turbopack's runtime. */
export function isLostChunk(reason: unknown): boolean {
  try {
    return /^Failed to load chunk .* from module/.test((reason as Error).message);
  } catch {
    // Anything may be thrown, even what can't be read.
    return false;
  }
}

/** The live region in which Next announces a new page's title. */
export function routeAnnouncer(): HTMLElement | null {
  return document.getElementById("__next-route-announcer__");
}
