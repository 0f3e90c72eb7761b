import type { SingletonRouter } from "next/router";

/** What the router tells of a navigation, in the words of its events. */
export type Stage = "start" | "history" | "complete" | "error" | "cancelled";

export interface Navigation {
  /** The target as the router names it: with base path and locale. */
  url: string;
  /** In order; empty before the first navigation. */
  stages: readonly Stage[];
  /** The page stays and only its URL changes. */
  shallow: boolean;
}

export const noNavigation: Navigation = { url: "", stages: [], shallow: false };

let last = noNavigation;
const listeners = new Set<(navigation: Navigation) => void>();

/** The last client navigation and how far it has come. */
export function lastNavigation(): Navigation {
  return last;
}

/**
 * Calls back at each stage of each navigation.
 *
 * @returns what ends it
 */
export function onNavigation(listener: (navigation: Navigation) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const arrivals = new Set<(kind: Arrival) => void>();

/** How a place was reached: a page, another URL of the same page, or only another hash. */
export type Arrival = "page" | "shallow" | "hash";

/** Calls back when a place has been reached, by whatever kind of navigation. */
export function onArrival(listener: (kind: Arrival) => void): void {
  arrivals.add(listener);
}

function arrive(kind: Arrival): void {
  for (const listener of arrivals) listener(kind);
}

const failureListeners = new Set<(error: unknown) => void>();

/** Calls back when a navigation, or the loading of a part of a page, has failed. */
export function onNavigationFailure(listener: (error: unknown) => void): void {
  failureListeners.add(listener);
}

/** Tells all listeners that a navigation, or the loading of a part of a page, has failed. */
export function publishNavigationFailure(error: unknown): void {
  for (const listener of failureListeners) listener(error);
}

function publish(navigation: Navigation): void {
  last = navigation;
  for (const listener of listeners) listener(last);
}

function add(stage: Stage): void {
  // The router also tells of history when it only learns the query of a prerendered page.
  if (!isPending(last)) return;
  publish({ ...last, stages: [...last.stages, stage] });
}

/** Begins to watch the router. The one place that listens to its events; call it once. */
export function watchNavigation({ events }: SingletonRouter): void {
  events.on("routeChangeStart", (url: string, { shallow }: { shallow: boolean }) =>
    publish({ url, stages: ["start"], shallow }),
  );
  events.on("beforeHistoryChange", () => add("history"));
  events.on("routeChangeComplete", (_url: string, { shallow }: { shallow: boolean }) => {
    add("complete");
    arrive(shallow ? "shallow" : "page");
  });
  events.on("hashChangeComplete", () => arrive("hash"));
  events.on("routeChangeError", (error: { cancelled?: boolean }) =>
    add(error.cancelled ? "cancelled" : "error"),
  );
  // Out of the back/forward cache comes the page as it was when it was left: under way to the next.
  addEventListener("pageshow", ({ persisted }) => persisted && publish(noNavigation));
}

/** Whether a navigation is under way. */
export function isPending({ stages }: Navigation): boolean {
  return /^(start|history)$/.test(stages.at(-1) ?? "");
}
