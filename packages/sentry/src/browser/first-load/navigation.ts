import type Router from "next/router";
import { guarded } from "./page-load.ts";

/** How far a navigation has come, named after the router's events; empty before the first one. */
type Stage = "" | "start" | "history" | "complete" | "error" | "cancelled";

export interface Navigation {
  /** The target, with base path and locale. */
  url: string;
  stage: Stage;
  /** When it began: milliseconds since the page's load began. */
  start: number;
  /** Only the URL changes; the page and its data stay. */
  shallow?: boolean;
}

const noNavigation: Navigation = { url: "", stage: "", start: 0 };
let current = noNavigation;
let router: typeof Router | undefined;

const listeners: ((navigation: Navigation) => void)[] = [];

/**
 * Starts to follow the router's events, which no other module here does. Call it once.
 *
 * @param given Next's own, not imported here: the SDK's part imports this file, and what both parts reach, the
 *   bundler cuts out of Next's script. That costs the first load of every page a kilobyte.
 */
export function watchNavigation(given: typeof Router): void {
  router = given;
  const { events } = given;
  // Apps fire these events themselves, with anything.
  events.on(
    "routeChangeStart",
    guarded((url: string, { shallow }: { shallow: boolean }) =>
      publish({ url, stage: "start", start: performance.now(), shallow }),
    ),
  );
  events.on("beforeHistoryChange", () => reach("history"));
  events.on("routeChangeComplete", () => reach("complete"));
  // An app's own has no error: it keeps the visitor on the page. Where the router finds no page for an
  // address in this build, it loads the document, which is no failure.
  events.on(
    "routeChangeError",
    guarded((error?: { cancelled?: boolean; message?: string }) =>
      reach(
        error && !error.cancelled && !/^Failed to lookup route/.test(error.message as string)
          ? "error"
          : "cancelled",
      ),
    ),
  );
  // The back/forward cache brings a page back as it was when it was left: with the navigation that
  // led away still under way.
  addEventListener("pageshow", (event) => event.persisted && publish(noNavigation));
  // From here on the browser shows that it loads something. It may be a download, after which the
  // page is still there: in some browsers the router waits for ever then, in others it goes on. Later,
  // since what has failed says so first.
  addEventListener("beforeunload", () => setTimeout(reach, 0, "cancelled"));
}

/** The pattern of the page that the visitor is on; undefined before Next's code runs. */
export function currentRoute(): string {
  // Before hydration there is no router.
  return router?.router?.pathname ?? window.__NEXT_DATA__?.page;
}

/** The last client navigation. */
export function lastNavigation(): Navigation {
  return current;
}

/** Calls back at each stage of each navigation. */
export function onNavigation(listener: (navigation: Navigation) => void): void {
  listeners.push(guarded(listener));
}

function publish(navigation: Navigation): void {
  current = navigation;
  for (const listener of listeners) listener(navigation);
}

function reach(stage: Stage): void {
  // The router fires `beforeHistoryChange` also when a prerendered page learns its query, with no stage before it.
  if (/^(start|history.|cancelled(history|complete))/.test(current.stage + stage))
    publish({ ...current, stage });
}
