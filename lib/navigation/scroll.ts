import { onArrival, onNavigation } from "./lifecycle";
import { keep, recall } from "./session";

interface Position {
  x: number;
  y: number;
}

/** The history entry that came back and is not shown yet. */
let returning: string | undefined;

/** Where the page stood when it was left, if this is a page come back to, or loaded again. */
let before: Position | undefined;

/**
 * Keeps scroll positions where Next's own `experimental.scrollRestoration` loses them: when the
 * page is loaded again or left by a full load, when it goes on scrolling while the next one is
 * awaited, and when the URL has a hash, whose target Next would go to instead.
 */
export function keepScroll(): void {
  // The router gives each loaded page's entry a new key, so this must run before it does.
  before = recall(nameOf(history.state?.key));
  restore(before);

  addEventListener("pagehide", () => {
    save();
    // So that the browser restores it before any script runs.
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) history.scrollRestoration = "manual";
  });
  addEventListener("popstate", ({ state }) => {
    returning = state?.key;
  });
  onNavigation(({ stages }) => {
    if (stages.at(-1) === "history" && !returning) save();
  });
  onArrival(() => {
    // After the timer by which Next goes to the hash's target.
    if (returning && returning === history.state?.key) {
      setTimeout(restore, 0, recall(nameOf(returning)));
    }
    returning = undefined;
  });
}

/** Puts the page back where it stood, once React is there: at its start, Next goes to the hash. */
export function restoreScroll(): void {
  if (location.hash) setTimeout(restore, 0, before);
}

/** As Next names it. */
function nameOf(key: string | undefined): string {
  return `__next_scroll_${key}`;
}

function save(): void {
  keep(nameOf(history.state?.key), { x: scrollX, y: scrollY });
}

function restore(position: Position | undefined): void {
  if (position) scrollTo({ left: position.x, top: position.y, behavior: "instant" });
}
