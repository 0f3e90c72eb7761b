/**
 * State that a process has once. A variable of a module may exist several times: where the package is a
 * workspace's, Next bundles it, once for instrumentation and again for pages and for API routes. One in
 * `node_modules` is loaded by Node, once for all of them.
 *
 * @param name unique in the app
 * @param create makes the state at its first use
 */
export function singleton<T>(name: string, create: () => T): T {
  const states = globalThis as unknown as Record<symbol, unknown>;
  const key = Symbol.for(`signpost.${name}`);
  if (!(key in states)) states[key] = create();
  return states[key] as T;
}
