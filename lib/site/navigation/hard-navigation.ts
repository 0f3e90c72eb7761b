import { captureFailedNavigation } from "@signpost/sentry";
import { readSession, writeSession } from "@/lib/base/browser/session-storage";
import { isLeaving } from "./leaving";
import { isLostChunk } from "./router-internals";

const storageName = "signpost.loads";

/** Milliseconds within which a second failure of the same URL counts as a loop. */
const loopWindow = 30_000;

/**
 * Whether a URL has been loaded by a hard navigation a moment ago. If the page fails again as it
 * shows, another one would begin a loop.
 *
 * @param loads when URLs were loaded so: ms since the epoch
 */
export function isLoop(loads: Record<string, number>, url: string, now: number): boolean {
  return now - (loads[url] ?? Number.NEGATIVE_INFINITY) < loopWindow;
}

/**
 * Recovers from a failed navigation, or from a failed part of the present page, by a hard navigation,
 * and reports the error. The present page is never loaded twice in a row. If another load has begun
 * already, which is why the navigation has failed, it does nothing.
 *
 * @param error nothing if there is none to report
 * @param url of this origin, with base path and locale; by default the present page
 * @returns whether a hard navigation has begun
 */
export function recoverByHardNavigation(error: unknown, url = location.href): boolean {
  if (isLeaving()) return true;
  const target = new URL(url, location.href).href;
  const isReload = target === location.href;
  // Offline, a reload would replace the present page by the browser's error page.
  if (isReload && !navigator.onLine) return false;
  const loads = readSession<Record<string, number>>(storageName) ?? {};
  const now = Date.now();
  if (isReload && isLoop(loads, target, now)) return false;
  // Without storage a loop could not be noticed, so the present page is not loaded again.
  if (!writeSession(storageName, { ...loads, [target]: now }) && isReload) return false;
  if (error) captureFailedNavigation(error);
  // Assigning the present URL does nothing if it has a hash.
  if (isReload) location.reload();
  else location.assign(target);
  return true;
}

/** Allows hard navigations again: the visitor asks for a page, so a repeated failure is no loop. */
export function forgetHardNavigations(): void {
  writeSession(storageName, {});
}

/**
 * Wraps an `import()`: if its script can't be loaded, for example because a deployment removed it,
 * one hard navigation to the present page is made.
 *
 * @returns rejects if a hard navigation did not help, and with each other error; never settles if a
 *   hard navigation has begun
 */
export function reloadOnFailure<T>(imported: Promise<T>): Promise<T> {
  return imported.catch((error) => {
    if (!isLostChunk(error) || !recoverByHardNavigation(error)) throw error;
    return new Promise<T>(() => {});
  });
}
