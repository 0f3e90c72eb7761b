/** Where observe.js keeps the notes of the request that the running code belongs to. */
export const key = Symbol.for("signpost.contracts");

/**
 * Adds a note to the request in whose async context this runs. In another, it is lost.
 *
 * @param {string} text
 */
export function note(text) {
  /** @type {any} */ (globalThis)[key]?.getStore()?.push(text);
}
