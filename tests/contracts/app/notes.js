const key = Symbol.for("signpost.contracts");

/** @returns {WeakMap<object, string[]>} notes by headers object, one map per process */
export function notes() {
  const home = /** @type {any} */ (globalThis);
  home[key] ??= new WeakMap();
  return home[key];
}

/**
 * Adds a note to the request that has this very headers object. With another object, it is lost.
 *
 * @param {object | undefined} headers
 * @param {string} text
 */
export function note(headers, text) {
  if (headers) notes().get(headers)?.push(text);
}
