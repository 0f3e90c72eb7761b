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
  const { then } = Object(result);
  if (typeof then !== "function") {
    done(false);
    return result;
  }
  // What is returned is the later promise: a rejection that nobody handles stays one.
  return then.call(
    result,
    (value: unknown) => {
      done(false);
      return value;
    },
    (error: unknown) => {
      done(true);
      throw error;
    },
  );
}
