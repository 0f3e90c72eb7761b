/**
 * State that a process has once. A module's own variable would exist several times: Next gives
 * instrumentation, pages and API routes module instances of their own.
 *
 * @template T
 * @param {string} name unique in the app
 * @param {() => T} create makes the state at its first use
 * @returns {T}
 */
export function processWide(name, create) {
  const states = /** @type {Record<symbol, unknown>} */ (/** @type {unknown} */ (globalThis));
  const key = Symbol.for(`signpost.${name}`);
  if (!(key in states)) states[key] = create();
  return /** @type {T} */ (states[key]);
}
