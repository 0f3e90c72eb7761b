import type NextRouter from "next/dist/shared/lib/router/router";
import Router from "next/router";

/**
 * All of Next's private parts that this folder builds on. The public API has no counterpart: its
 * events come too late to change the outcome of a navigation. Any of them may be missing in another
 * version of Next: then what builds on it is off, and all else works.
 *
 * Written for https://github.com/vercel/next.js/blob/v16.4.6/packages/next/src/shared/lib/router/router.ts
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
  /** Renders a page. Rejects if another is rendered before it shows. */
  set(state: unknown, page?: { error?: { cancelled?: boolean } }, scroll?: unknown): Promise<void>;
};

/** Calls back with the router's internals as soon as the router exists, in the browser only. */
export function whenRouterExists(callback: (router: RouterInternals) => void): void {
  Router.ready(() =>
    attempt(() => callback(Router.router as unknown as RouterInternals), "router"),
  );
}

/**
 * Runs a part of what is added to the router. What it throws, where something that it builds on is
 * missing, ends that part alone: Next runs this before the page shows, and would show none. In
 * development, one line in the console says so.
 */
export function attempt(part: () => void, name?: string): void {
  try {
    part();
  } catch (error) {
    // biome-ignore lint/style/noProcessEnv: the build puts the value in its place
    if (process.env.NODE_ENV !== "production") {
      // biome-ignore lint/suspicious/noConsole: for who raises Next's version
      console.warn(`Signpost does without ${name ?? part.name}, see docs/upgrading.md: ${error}`);
    }
  }
}

/**
 * Puts a method in place of one of the router's or the browser's. One that is not there, or can't be
 * replaced, is left alone.
 *
 * @param make gets the original, bound to its owner
 */
export function replaceMethod<O, N extends keyof O & string>(
  owner: O,
  name: N,
  make: (original: O[N]) => O[N],
): void {
  attempt(() => {
    owner[name] = make((owner[name] as (...args: unknown[]) => unknown).bind(owner) as O[N]);
  }, name);
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

/**
 * Whether the router has found no page of this build for an address: a file, a page of a newer build, or nothing.
 * It loads the document, and the server decides.
 *
 * @param error of `routeChangeError`, which apps fire with anything
 */
export function isUnknownPage(error: { message?: string }): boolean {
  return /^Failed to lookup route/.test(String(error.message));
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
