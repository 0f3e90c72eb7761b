import { onArrival, onNavigation } from "@/lib/base/browser/navigation";
import { readSession, writeSession } from "@/lib/base/browser/session-storage";
import { hashTarget } from "./arrival";
import { scrollPositionName } from "./router-internals";

interface Position {
  x: number;
  y: number;
}

/** The history entry that the visitor goes back or forward to, until it shows. */
let returning: Return | undefined;

interface Return {
  key: string;
  url: string;
  position: Position | undefined;
  /** The one that had not shown when the visitor went on. */
  earlier: Return | undefined;
}

/** The scroll position stored for this page by an earlier load of it. */
let positionBeforeLoad: Position | undefined;

/** The hash's target, while Next must not scroll to it. */
let heldTarget: Element | null = null;

/**
 * Restores scroll positions where Next's `experimental.scrollRestoration` loses them: over a reload
 * or a hard navigation, if the page scrolls on while the next one is awaited, and if the URL has a
 * hash, whose target Next would scroll to instead.
 */
export function restoreScrollPositions(): void {
  // Before the router starts: it gives the history entry of a loaded page a new key.
  positionBeforeLoad = storedPosition();
  scrollToPosition(positionBeforeLoad);
  if (positionBeforeLoad) holdHashTarget();

  // Firefox loses what `pagehide` writes when a page with `Cross-Origin-Opener-Policy` is left for
  // another origin.
  addEventListener("beforeunload", savePosition);
  addEventListener("pagehide", () => {
    savePosition();
    // The browser restores the position after a reload before any script runs.
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    history.scrollRestoration = "manual";
    // Safari shows a page of the back/forward cache first and restores its position later, unless
    // the mode has become manual meanwhile.
    scrollToPosition(storedPosition());
  });
  addEventListener("popstate", ({ state }) => {
    const key = state?.key;
    // A package may have put a state of its own there.
    if (!key) return;
    returning = { key, url: location.href, position: storedPosition(), earlier: returning };
  });
  onNavigation(({ stages }) => {
    if (stages.at(-1) === "history" && !returning) savePosition();
    if (stages.at(-1) !== "start") return;
    // Whoever goes on before the entry shows: Next has stored there where the page is that does.
    for (let it = returning; it; it = it.earlier) {
      writeSession(scrollPositionName(it.key), it.position);
    }
  });
  onArrival(() => {
    // A redirect leads elsewhere under the same key, and a new entry has no position.
    const position = returning?.url === location.href && storedPosition();
    if (position) {
      holdHashTarget();
      scrollAfterRouter(position);
    }
    returning = undefined;
  });
}

/** Restores the position of a page with a hash after hydration, when Next has gone to the hash. */
export function restoreScrollAfterHydration(): void {
  if (location.hash) scrollAfterRouter(positionBeforeLoad);
}

/**
 * Makes Next's calls of `scrollIntoView` on the hash's target do nothing until the position is
 * restored. Scrolling back afterwards is not enough: if Firefox has painted in between, it goes to
 * the target once more, one frame later.
 */
function holdHashTarget(): void {
  heldTarget = hashTarget();
  if (heldTarget) heldTarget.scrollIntoView = () => {};
}

/** The router scrolls to a hash's target in a timer of its own; this comes after it. */
function scrollAfterRouter(position: Position | undefined): void {
  setTimeout(() => {
    scrollToPosition(position);
    if (heldTarget) Reflect.deleteProperty(heldTarget, "scrollIntoView");
  });
}

function scrollToPosition(position: Position | undefined): void {
  if (position) scrollTo({ left: position.x, top: position.y, behavior: "instant" });
}

/** The position stored for the present history entry. */
function storedPosition(): Position | undefined {
  const key = history.state?.key;
  return key && readSession(scrollPositionName(key));
}

/**
 * Stores the position of the present history entry, unless it does not show yet. Before Next has
 * started, a new entry has no key, so its position can't be told from another's.
 */
function savePosition(): void {
  const key = history.state?.key;
  if (!key || key === returning?.key) return;
  writeSession(scrollPositionName(key), { x: scrollX, y: scrollY });
}
