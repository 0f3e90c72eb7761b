import { routeAnnouncer } from "./router-internals";
import { type Arrival, isOtherPage, onArrival, onNavigation } from "./stages";

const fields = "input,select,:read-write";

/** Milliseconds after an arrival within which Next announces the new page, if it does at all. */
const announcementDelay = 100;

/**
 * Moves the focus and announces the page when another one has come.
 *
 * The focus goes to the hash target, else to the main heading: the router leaves it on the link that was
 * followed, which may no longer exist. A page that has placed the focus as it mounted keeps it, and so
 * does a field: the visitor types there, for example into a search that leads to its results. A hash
 * takes the focus from its own link alone.
 *
 * Next's route announcer announces every new page, once. A live region speaks only when its text
 * changes, so a page with the title of the last one would stay silent: this empties the region before
 * the new page shows, and writes the title where Next has not done so. A screen reader reads what gets
 * the focus as well: where that is a heading that the title repeats, the region is hidden meanwhile.
 */
export function attendToArrivals(): void {
  let focusedBefore: Element | null = null;
  onNavigation(({ url, stages }) => {
    if (stages.at(-1) !== "history") return;
    focusedBefore = document.activeElement;
    if (isOtherPage(url)) announce("", true);
  });
  onArrival((arrival) => {
    moveFocus(arrival, focusedBefore);
    if (arrival !== "page") return;
    const focused = document.activeElement;
    const isRead = focused?.matches("h1") && document.title.includes(`${focused.textContent}`);
    if (!isRead) announce("");
    setTimeout(() => {
      if (isRead) announce("");
      else if (!routeAnnouncer()?.textContent) announce(document.title);
    }, announcementDelay);
  });
}

function moveFocus(arrival: Arrival, before: Element | null): void {
  const { activeElement, body } = document;
  if (activeElement?.matches(fields)) return;
  // A script may change the hash as the visitor scrolls or types.
  const isAsked =
    activeElement === body || (activeElement as HTMLAnchorElement)?.href === location.href;
  if (arrival === "hash" && isAsked) focus(hashTarget());
  const isPlaced = activeElement !== body && activeElement !== before;
  if (arrival === "page" && !isPlaced) focusPage();
}

/** Moves the focus to the hash target, else to the page's main heading, else to its content. */
export function focusPage(): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  focus(hashTarget() ?? find("main h1") ?? find("main"));
}

/**
 * A `ref` for the heading of what replaces a page that was there: the element that had the focus is
 * gone with the page.
 */
export function focusHeading(heading: HTMLElement | null): void {
  heading?.focus();
}

function focus(target: HTMLElement | null): void {
  if (!target) return;
  // With an attribute, what has none can have the focus.
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** @param hidden whether what Next writes from now on is told to nobody */
function announce(text: string, hidden = false): void {
  const region = routeAnnouncer();
  if (!region) return;
  region.textContent = text;
  region.hidden = hidden;
}

/** The element that the URL's hash names. */
export function hashTarget(): HTMLElement | null {
  const name = location.hash.slice(1);
  if (!name) return null;
  try {
    return document.getElementById(decodeURIComponent(name));
  } catch {
    // Not percent-encoding: an id may contain a bare % too.
    return document.getElementById(name);
  }
}
