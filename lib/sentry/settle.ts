/**
 * Runs a function, and calls back when it has returned or thrown; if it returns a promise, when that
 * has settled.
 */
export function settle<T>(run: () => T, done: (failed: boolean) => void): T {
  let result: T;
  try {
    result = run();
  } catch (error) {
    done(true);
    throw error;
  }
  const promised = result as T & PromiseLike<unknown>;
  if (typeof promised?.then !== "function") {
    done(false);
    return result;
  }
  // This promise is returned, not the first one, so that an unhandled rejection stays unhandled.
  return promised.then(
    (value) => {
      done(false);
      return value;
    },
    (error) => {
      done(true);
      throw error;
    },
  ) as T;
}
