const { navigation: named } = globalThis as { navigation?: Navigation };

/**
 * https://developer.mozilla.org/docs/Web/API/Navigation_API, where the browser has it. Otherwise an
 * element with this id would have the name.
 */
export const navigation = named?.currentEntry && named;

/**
 * Milliseconds after which a load that has not replaced this document is taken for one that will not.
 * The longest-lived of what a load explains is a page's script: the router waits 3.8 s for one that
 * never comes.
 */
const leaveWindow = 5000;

/** Milliseconds after a load has begun within which Firefox and Safari have cancelled this page's requests. */
const cancelWindow = 100;

/** When the last load began: ms since the epoch. */
let begunAt = 0;

/** Resolves when the load that is under way has replaced nothing; nothing while there is none. */
let staying: Promise<void> | undefined;
let stay = () => {};

/**
 * Notices when a load begins that replaces this document: a reload, a typed URL, a form, a plain
 * link. Firefox and Safari cancel the requests of the present page at that moment, but Chromium only
 * when the new page arrives. Call it once.
 */
export function watchLeaving(): void {
  let isPage = true;
  navigation?.addEventListener("navigate", ({ destination }) => {
    isPage = /^(https?|blob|about):/.test(destination.url);
  });
  // Browsers fire it for `mailto:` and the like, too.
  addEventListener("beforeunload", () => {
    if (isPage) beginLeaving();
    isPage = true;
  });
  // The visitor has decided to stay, or has stopped the load.
  navigation?.addEventListener("navigateerror", forgetLeaving);
  addEventListener("pageshow", forgetLeaving);
}

/** Says that a load begins that replaces this document, unless the visitor decides to stay. */
export function beginLeaving(): void {
  staying ??= new Promise((resolve) => {
    stay = resolve;
  });
  const begun = Date.now();
  begunAt = begun;
  // A question whether to stay stops the page's timers: the time counts from its answer.
  setTimeout(setTimeout, 0, () => begun === begunAt && forgetLeaving(), leaveWindow);
}

/**
 * Whether a load is under way that may replace this document. Requests that fail now may have been
 * cancelled by it, and a hard navigation to their target would take its place.
 */
export function isLeaving(): boolean {
  return Boolean(staying);
}

/** Whether a request that fails now was cancelled by a load that has begun, whatever comes of that. */
export function isCancelledByLoad(): boolean {
  return Date.now() - begunAt < cancelWindow;
}

/** The page stays, so its failures count again: a download and an empty response replace nothing. */
export function forgetLeaving(): void {
  staying = undefined;
  stay();
}

/** Resolves once it is known that the page stays: at once where no load is under way. */
export async function untilStaying(): Promise<void> {
  await staying;
}
