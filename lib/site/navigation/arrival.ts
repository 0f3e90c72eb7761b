import { isOtherPage, onArrival, onNavigation } from "@/lib/base/browser/navigation";
import { routeAnnouncer } from "./router-internals";

const fields = "input,select,:read-write";

/** Milliseconds after an arrival within which Next announces the new page, if it does at all. */
const announcementDelay = 100;

/**
 * When another page has come, moves the focus to the hash target, else to its main heading. The
 * router leaves the focus on the link that was followed, which may no longer exist. A page that has
 * placed the focus as it mounted keeps it, and so does a field: the visitor types there, for example
 * into a search that leads to its results. A hash takes the focus from its own link alone.
 */
export function focusOnArrival(): void {
  let focusedBefore: Element | null = null;
  onNavigation(({ stages }) => {
    if (stages.at(-1) === "history") focusedBefore = document.activeElement;
  });
  onArrival((arrival) => {
    const { activeElement, body } = document;
    if (activeElement?.matches(fields)) return;
    // A script may change the hash as the visitor scrolls or types.
    const isAsked =
      activeElement === body || (activeElement as HTMLAnchorElement)?.href === location.href;
    if (arrival === "hash" && isAsked) focus(hashTarget());
    const isPlaced = activeElement !== body && activeElement !== focusedBefore;
    if (arrival === "page" && !isPlaced) focusPage();
  });
}

/** Moves the focus to the hash target, else to the page's main heading, else to its content. */
export function focusPage(): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  focus(hashTarget() ?? find("main h1") ?? find("main"));
}

function focus(target: HTMLElement | null): void {
  if (!target) return;
  if (target.tabIndex < 0 && !target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/**
 * Makes Next's route announcer announce every new page, once. A live region speaks only when its text
 * changes, so a page with the title of the last one would stay silent: this empties the region before
 * the new page shows, and writes the title where Next has not done so. A screen reader reads what gets
 * the focus as well: where that is a heading that the title repeats, the region keeps quiet.
 */
export function announceOnArrival(): void {
  onNavigation(({ url, stages }) => {
    if (stages.at(-1) !== "history" || !isOtherPage(url)) return;
    announce("");
    keepQuiet(true);
  });
  onArrival((arrival) => {
    if (arrival !== "page") return;
    const focused = document.activeElement;
    const isRead = focused?.matches("h1") && document.title.includes(`${focused.textContent}`);
    if (!isRead) keepQuiet(false);
    setTimeout(() => {
      if (!isRead && hasTexts && !routeAnnouncer()?.textContent) announce(document.title);
      keepQuiet(false);
    }, announcementDelay);
  });
}

/** Whether the live region tells nobody what changes in it. */
function keepQuiet(quiet: boolean): void {
  const region = routeAnnouncer();
  region?.setAttribute("role", quiet ? "none" : "alert");
  region?.setAttribute("aria-live", quiet ? "off" : "assertive");
}

/** Whether the page shows the texts of its language. */
let hasTexts = true;

/**
 * Puts an announcement off while the texts of a new language are awaited: until then the title is
 * that of the old one.
 */
export function announceWithTexts(texts: boolean): void {
  if (texts && !hasTexts) announce(document.title);
  hasTexts = texts;
}

function announce(text: string): void {
  const region = routeAnnouncer();
  if (region) region.textContent = text;
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
