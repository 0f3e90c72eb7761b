import Router from "next/router";
import { hashTarget } from "./arrival";
import { navigation } from "./leaving";
import { type RouterInternals, replaceMethod, whenRouterExists } from "./router-internals";
import { readSession, writeSession } from "./session-storage";
import { onArrival, onNavigation, shownPath } from "./stages";

/** What is kept of a history entry when it is left. */
interface Entry {
  left: number;
  top: number;
  /** The path of the page that showed. */
  page: string;
}

/**
 * By key, the oldest entry first. Another script may have stored anything under this name: nothing here
 * throws at it, and for `scrollTo` what is no number is 0.
 */
type Entries = Record<string, Entry | undefined>;

const storageName = "signpost.entries";
/** The newest. No browser has more in a tab: Chromium and Firefox have 50, Safari 100. */
const maxKept = 100;

/** The history entry that the visitor goes back or forward to, until it shows. */
let returning: { key: string | undefined; url: string } | undefined;

/** The hash of the entry that shows. */
let shownHash = "";

let afterHydration = () => {};

/** Restores the position after hydration, when Next has gone to the hash. Once: the shell may come anew. */
export function restoreScrollAfterHydration(): void {
  afterHydration();
  afterHydration = () => {};
}

/**
 * Restores the scroll position of each history entry, as the browser does by itself, but also over a
 * page that has to be fetched first. Entries that the router leaves to the app or to the browser, such
 * as those of hash links and of a lightbox, are restored at once.
 */
export function restoreScrollPositions(): void {
  // The browser would scroll the page that is left.
  history.scrollRestoration = "manual";
  shownHash = location.hash;
  afterHydration = restoreEntry(keptEntry());

  // Firefox loses what `pagehide` writes when a page with `Cross-Origin-Opener-Policy` is left for
  // another origin.
  addEventListener("beforeunload", keepEntry);
  addEventListener("pagehide", () => {
    keepEntry();
    // The browser restores the position after a reload before any script runs.
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    history.scrollRestoration = "manual";
    // Safari shows a page of the back/forward cache first and restores its position later, unless
    // the mode has become manual meanwhile.
    scrollToEntry(keptEntry());
  });
  // Before a link, the app or the visitor changes the entry.
  if (navigation) navigation.addEventListener("navigate", keepEntry);
  else addEventListener("click", keepEntry, true);
  // Before the router does.
  onNavigation(({ stages }) => stages.at(-1) === "history" && keepEntry());
  followHistory();
  onArrival(() => {
    shownHash = location.hash;
    // A redirect leads elsewhere under the same key, and a new entry has no position.
    const entry = returning?.url === location.href ? keptEntry() : undefined;
    returning = undefined;
    restoreEntry(entry)();
  });
}

function followHistory(): void {
  let isRouters = false;
  // This listener comes before the router's.
  addEventListener("popstate", ({ state }) => {
    // Without a state it is a hash link, whose target the browser may show by now.
    if (!navigation && state) keepEntry();
    shownHash = location.hash;
    const router = Router.router as RouterInternals | null;
    // A hash link before the router exists, which would have to end the return.
    if (!state && !router) return;
    // Right after a page load, the router ignores Back to the same page in another language: it compares
    // URLs without their locale.
    const locale = state?.options?.locale;
    if (router && locale && locale !== router.locale) router.isSsr = false;
    isRouters = false;
    // The router's own key is still that of the entry before.
    returning = { key: entryKey(state?.key), url: location.href };
  });
  whenRouterExists((router) => {
    replaceMethod(router, "change", (change) => {
      // This one comes after the router's.
      addEventListener("popstate", ({ state }) => {
        if (isRouters) return;
        const entry = keptEntry();
        returning = undefined;
        // A script has replaced the router's state of an entry that belongs to another page, so the
        // router would leave the page that shows under that address.
        if (entry && !state?.__N && entry.page !== shownPath) location.reload();
        else scrollToEntry(entry);
      });
      return (...args) => {
        isRouters = true;
        // Of a hash that the app goes to, browsers without the Navigation API tell nothing before.
        keepEntry();
        return change(...args);
      };
    });
  });
}

/**
 * Restores an entry's position. Until that is done, Next's calls of `scrollIntoView` on the hash's
 * target do nothing. Scrolling back afterwards is not enough: if Firefox has painted in between, it
 * goes to the target once more, one frame later.
 *
 * @returns is to be called once Next has set the timer in which it goes to the hash
 */
function restoreEntry(entry: Entry | undefined): () => void {
  scrollToEntry(entry);
  if (!entry || !location.hash) return () => {};
  const target = hashTarget();
  if (target) target.scrollIntoView = () => {};
  return () => {
    setTimeout(() => {
      scrollToEntry(entry);
      if (target) Reflect.deleteProperty(target, "scrollIntoView");
    });
  };
}

function scrollToEntry(entry: Entry | undefined): void {
  if (entry) scrollTo({ ...entry, behavior: "instant" });
}

/**
 * The key of the present history entry: the browser's own, or the router's where it has none. A hash
 * link's entry has the router's key of the one before.
 *
 * @param key the router's
 */
function entryKey(
  key = (Router.router as RouterInternals | null)?._key ?? history.state?.key,
): string | undefined {
  return navigation?.currentEntry?.key ?? (key && key + shownHash);
}

/** What is kept of the present history entry. */
function keptEntry(): Entry | undefined {
  return readSession<Entries>(storageName)?.[entryKey() as string];
}

/** Keeps the place of the present history entry, unless it does not show yet. */
function keepEntry(): void {
  const key = entryKey();
  if (!key || key === returning?.key) return;
  const entry: Entry = { left: scrollX, top: scrollY, page: shownPath };
  const entries = Object.entries({ ...readSession<Entries>(storageName), [key]: entry });
  writeSession(storageName, Object.fromEntries(entries.slice(-maxKept)));
}
