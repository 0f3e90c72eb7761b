import { captureFailedNavigation } from "@signpost/sentry";
import { beginLeaving, isCancelledByLoad, isLeaving, untilStaying } from "./leaving";
import { isLostChunk } from "./router-internals";
import { readSession, writeSession } from "./session-storage";

const storageName = "signpost.hard-navigations";

/** When URLs were loaded by hard navigations: ms since the epoch. */
type Loads = Record<string, number[]>;

/** Milliseconds within which hard navigations to the same URL count as a loop. */
const loopWindow = 30_000;

/**
 * Whether another hard navigation to a URL would go on with a loop. If the present page fails again as
 * it shows, the second one would. To another page it is the third: two pages may lead to each other.
 *
 * @param loads when the URL was loaded so: ms since the epoch
 */
export function isLoop(loads: readonly number[], isReload: boolean, now: number): boolean {
  return loads.filter((at) => now - at < loopWindow).length > (isReload ? 0 : 1);
}

/**
 * Recovers from a failed navigation, or from a failed part of the present page, by a hard navigation,
 * and reports the error. The present page is never loaded twice in a row, and no other three times
 * without the visitor's doing. If another load has begun already, which may be why the navigation has
 * failed, that goes on, and the error is reported if it replaces nothing.
 *
 * @param error nothing if nothing has failed: another page may be loaded as often as it is asked for
 * @param url of this origin, with base path and locale; by default the present page
 * @returns whether a load has begun that replaces this document, unless the visitor decides to stay
 */
export function recoverByHardNavigation(error: unknown, url = location.href): boolean {
  if (isLeaving()) {
    if (error && !isCancelledByLoad())
      void untilStaying().then(() => captureFailedNavigation(error));
    return true;
  }
  const target = new URL(url, location.href).href;
  const isReload = target === location.href;
  if (!error && !isReload) {
    location.assign(target);
    return true;
  }
  // Offline, a reload would replace the present page by the browser's error page.
  if (isReload && !navigator.onLine) return false;
  const all = readSession<Loads>(storageName);
  // Another script may have stored anything under this name.
  const loads = [all?.[target] ?? []].flat();
  const now = Date.now();
  if (isLoop(loads, isReload, now)) return false;
  // Without storage a loop could not be noticed, so the present page is not loaded again.
  if (!writeSession(storageName, { ...all, [target]: [...loads, now] }) && isReload) return false;
  if (error) captureFailedNavigation(error);
  beginLeaving();
  // Assigning the present URL does nothing if it has a hash.
  if (isReload) location.reload();
  else location.assign(target);
  return true;
}

/**
 * Allows hard navigations again: the visitor asks for a page, so a repeated failure is no loop.
 *
 * @param except a URL that is not asked for
 */
export function forgetHardNavigations(except = ""): void {
  writeSession(storageName, { [except]: readSession<Loads>(storageName)?.[except] });
}

/**
 * Makes one hard navigation to the present page if an error says that a script of an `import()` can't be
 * loaded, for example because a deployment removed it.
 *
 * @returns resolves with an error that a hard navigation does not mend: at once, or when it is known that
 *   the page stays
 */
export async function recoverLostChunk(error: unknown): Promise<void> {
  if (isLostChunk(error) && recoverByHardNavigation(error)) await untilStaying();
}

/** Wraps an `import()` with that. Rejects with each error that a hard navigation does not mend. */
export function reloadOnFailure<T>(imported: Promise<T>): Promise<T> {
  return imported.catch(async (error) => {
    await recoverLostChunk(error);
    throw error;
  });
}
