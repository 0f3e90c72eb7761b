import { AsyncLocalStorage } from "node:async_hooks";

const key = Symbol.for("signpost.contracts");

/** @returns {AsyncLocalStorage<string[]>} the notes of the request that the running code belongs to */
export function notes() {
  const home = /** @type {any} */ (globalThis);
  home[key] ??= new AsyncLocalStorage();
  return home[key];
}

/**
 * Adds a note to the request in whose async context this runs. In another, it is lost.
 *
 * @param {string} text
 */
export function note(text) {
  notes().getStore()?.push(text);
}
