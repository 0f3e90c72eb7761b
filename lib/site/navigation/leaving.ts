/**
 * Milliseconds for which a load that has begun explains failures of this page. The longest-lived is
 * a page's script: the router waits 3.8 s for one that never comes.
 */
const leaveWindow = 5000;

/** When a load that replaces this document last began: ms since the epoch. */
let leftAt = 0;

/**
 * Notices when a load begins that replaces this document: a reload, a typed URL, a form, a plain
 * link. Firefox and Safari cancel the requests of the present page at that moment, but Chromium only
 * when the new page arrives. Call it once.
 */
export function watchLeaving(): void {
  addEventListener("beforeunload", () => {
    leftAt = Date.now();
  });
  addEventListener("pageshow", forgetLeaving);
}

/**
 * Whether a load that replaces this document is under way. Requests that fail now were cancelled by
 * it, and a hard navigation to their target would take its place.
 */
export function isLeaving(): boolean {
  return Date.now() - leftAt < leaveWindow;
}

/** The page stays, so its failures count again: a download and an empty response replace nothing. */
export function forgetLeaving(): void {
  leftAt = 0;
}
