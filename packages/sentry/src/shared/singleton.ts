/**
 * State that a process has once. A variable of a module would exist several times: Next loads the
 * module once for instrumentation, and again for pages and for API routes.
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
