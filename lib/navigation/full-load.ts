import { publishNavigationFailure } from "./lifecycle";
import { keep, recall } from "./session";

/** Where the browser was sent for lack of anything better, with the time: ms since the epoch. */
export type FullLoads = Record<string, number>;

const memory = "signpost.full-loads";

/** Milliseconds for which a second failure to reach the same place counts as the same failure. */
const span = 30_000;

/**
 * Whether a place that can't be had otherwise may be tried by a full page load. Once: if it can't
 * be had from the very page that load brought, another one would begin a loop.
 *
 * @returns what to remember if so; nothing if not
 */
export function withFullLoad(loads: FullLoads, url: string, now: number): FullLoads | undefined {
  const recent = Object.entries(loads).filter(([, at]) => now - at < span);
  const next = Object.fromEntries(recent);
  return url in next ? undefined : { ...next, [url]: now };
}

/**
 * Goes to a place by a full page load because it could not be had otherwise, and reports why. Never
 * twice in a row.
 *
 * @param url of this origin, with base path and locale; none: the page that is here
 * @returns whether the page is being left
 */
export function loadWhole(error: unknown, url = location.href): boolean {
  const target = new URL(url, location.href).href;
  const here = target === location.href;
  // Without a network the page that is here is the best there is.
  if (here && !navigator.onLine) return false;
  const loads = withFullLoad(recall<FullLoads>(memory) ?? {}, target, Date.now());
  if (!loads) return false;
  // Where nothing can be remembered, at least the page that is here is not loaded again.
  if (!keep(memory, loads) && here) return false;
  publishNavigationFailure(error);
  leaveFor(target);
  return true;
}

/** Goes to a place by a full page load, also if that is the page that is here. */
export function leaveFor(url: string): void {
  const target = new URL(url, location.href).href;
  // To go where one is already does nothing if there is a hash.
  if (target === location.href) location.reload();
  else location.assign(target);
}

/** Forgets past full loads: a person asks for something, so it is no loop. */
export function forgetFullLoads(): void {
  keep(memory, {});
}

/**
 * For what is imported when it is needed: if it is no longer on the server, or can't be reached,
 * the page is loaded anew, once.
 */
export function orLoadWhole<T>(part: Promise<T>): Promise<T> {
  return part.catch((error) => {
    if (!loadWhole(error)) throw error;
    return new Promise<T>(() => {});
  });
}
