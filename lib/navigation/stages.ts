import Router from "next/router";
import { useSyncExternalStore } from "react";
import { isLeaving } from "./leaving";
import { isUnknownPage } from "./router-internals";

/** A step of a navigation, named after the router's events. */
type Stage = "start" | "history" | "complete" | "error" | "cancelled";

export interface Navigation {
  /** The target, with base path and locale. */
  url: string;
  /** In order; empty before the first navigation. */
  stages: readonly Stage[];
}

/**
 * What has been reached: another page, the same page with new data or another URL, or another hash of
 * the same URL.
 */
export type Arrival = "page" | "renewal" | "hash";

const noNavigation: Navigation = { url: "", stages: [] };
let current = noNavigation;
/** The navigation that counts as cancelled since a load has begun. If that is a download, the router goes on. */
let interrupted: Navigation | undefined;
/** The path of the page that shows, with base path and locale, whatever the address says. */
export let shownPath = "";

const navigationListeners = new Set<(navigation: Navigation) => void>();
const arrivalListeners = new Set<(arrival: Arrival) => void>();

/** Starts to follow the router's events, which no other module of the app does. Call it once. */
export function watchNavigation(): void {
  const { events } = Router;
  shownPath = location.pathname;
  events.on("routeChangeStart", (url: string) => publish({ url, stages: ["start"] }));
  events.on("beforeHistoryChange", () => addStage("history"));
  events.on("routeChangeComplete", (_url: string, options?: { shallow: boolean }) => {
    addStage("complete");
    publishArrival(!options?.shallow && isOtherPage(location.href) ? "page" : "renewal");
  });
  events.on("hashChangeComplete", () => publishArrival("hash"));
  // Apps fire it themselves, without an error, to keep the visitor on the page. An unknown page is no failure.
  events.on("routeChangeError", (error?: { cancelled?: boolean; message?: string }) =>
    addStage(error && !error.cancelled && !isUnknownPage(error) ? "error" : "cancelled"),
  );
  // The back/forward cache brings a page back as it was when it was left: with the navigation that
  // led away still under way.
  addEventListener("pageshow", ({ persisted }) => persisted && publish(noNavigation));
  // From here on the browser shows that it loads something. It may be a download, after which the
  // page is still there: if the router itself has begun it, it waits for ever then. Later, since what
  // has failed says so first, and the visitor may have decided to stay.
  addEventListener("beforeunload", () =>
    setTimeout(() => {
      if (!isLeaving() || !isPending(current)) return;
      addStage("cancelled");
      interrupted = current;
    }),
  );
}

/** Whether a URL is that of another page than the one that shows: of another path or language. */
export function isOtherPage(url: string): boolean {
  return new URL(url, location.href).pathname !== shownPath;
}

/** The last client navigation and its stages so far; the component renders again at each stage. */
export function useNavigation(): Navigation {
  return useSyncExternalStore(
    onNavigation,
    () => current,
    () => noNavigation,
  );
}

/** Whether a navigation is under way. */
export function isPending({ stages }: Navigation): boolean {
  return /^(start|history)$/.test(stages.at(-1) ?? "");
}

/**
 * Calls back at each stage of each navigation.
 *
 * @returns removes the listener
 */
export function onNavigation(listener: (navigation: Navigation) => void): () => void {
  navigationListeners.add(listener);
  return () => navigationListeners.delete(listener);
}

/** Calls back when a navigation of any kind has reached its target. */
export function onArrival(listener: (arrival: Arrival) => void): void {
  arrivalListeners.add(listener);
}

/** Ends the navigation under way, if there is one: the router goes no further. */
export function cancelNavigation(): void {
  addStage("cancelled");
}

function publish(navigation: Navigation): void {
  current = navigation;
  callEach(navigationListeners, navigation);
}

function publishArrival(arrival: Arrival): void {
  shownPath = location.pathname;
  callEach(arrivalListeners, arrival);
}

/** What a listener throws is reported as an error of the page. It would stop the others and the router. */
function callEach<T>(listeners: Set<(given: T) => void>, given: T): void {
  for (const listener of listeners) {
    try {
      listener(given);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  }
}

function addStage(stage: Stage): void {
  // The router fires `beforeHistoryChange` also when a prerendered page learns its query.
  if (!isPending(current) && current !== interrupted) return;
  const before = current.stages.filter((reached) => reached !== "cancelled");
  publish({ ...current, stages: [...before, stage] });
}
