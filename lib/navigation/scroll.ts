import { onArrival, onNavigation } from "./lifecycle";
import { scrollPositionName } from "./router-internals";
import { readSession, writeSession } from "./session-storage";

interface Position {
  x: number;
  y: number;
}

/** The key of the history entry that the visitor goes back or forward to, until it shows. */
let returningTo: string | undefined;

/** The scroll position stored for this page by an earlier load of it. */
let positionBeforeLoad: Position | undefined;

/**
 * Restores scroll positions where Next's `experimental.scrollRestoration` loses them: over a reload
 * or a full page load, if the page scrolls on while the next one is awaited, and if the URL has a
 * hash, whose target Next would scroll to instead.
 */
export function restoreScrollPositions(): void {
  // Before the router starts: it gives the history entry of a loaded page a new key.
  positionBeforeLoad = readSession(scrollPositionName(history.state?.key));
  scrollToPosition(positionBeforeLoad);

  addEventListener("pagehide", () => {
    savePosition();
    // The browser restores the position after a reload before any script runs.
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) history.scrollRestoration = "manual";
  });
  addEventListener("popstate", ({ state }) => {
    returningTo = state?.key;
  });
  onNavigation(({ stages }) => {
    if (stages.at(-1) === "history" && !returningTo) savePosition();
  });
  onArrival(() => {
    if (returningTo && returningTo === history.state?.key) {
      scrollAfterRouter(readSession(scrollPositionName(returningTo)));
    }
    returningTo = undefined;
  });
}

/** Restores the position of a page with a hash after hydration, when Next has gone to the hash. */
export function restoreScrollAfterHydration(): void {
  if (location.hash) scrollAfterRouter(positionBeforeLoad);
}

/** The router scrolls to a hash's target in a timer of its own; this comes after it. */
function scrollAfterRouter(position: Position | undefined): void {
  setTimeout(scrollToPosition, 0, position);
}

function scrollToPosition(position: Position | undefined): void {
  if (position) scrollTo({ left: position.x, top: position.y, behavior: "instant" });
}

function savePosition(): void {
  writeSession(scrollPositionName(history.state?.key), { x: scrollX, y: scrollY });
}
