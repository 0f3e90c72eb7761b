/**
 * State that a process has once. A module's own variable would exist several times: Next gives
 * instrumentation, pages and API routes module instances of their own.
 *
 * @param name unique in the app
 * @param create makes the state at its first use
 */
export function processWide<T>(name: string, create: () => T): T {
  const states = globalThis as unknown as Record<symbol, unknown>;
  const key = Symbol.for(`signpost.${name}`);
  if (!(key in states)) states[key] = create();
  return states[key] as T;
}
