type Hook<Event, Hint> = (event: Event, hint: Hint) => PromiseLike<Event | null> | Event | null;

/**
 * Runs hooks such as `beforeSend` one after the other, until one returns `null`. Unless a hook of the
 * team's returns a promise, all have run when this returns.
 */
export function inTurn<Event, Hint>(
  ...hooks: (Hook<Event, Hint> | undefined)[]
): Hook<Event, Hint> {
  return (event, hint) =>
    hooks.reduce<ReturnType<Hook<Event, Hint>>>((before, hook) => {
      if (!hook) return before;
      if (isPromise(before)) return before.then((kept) => kept && hook(kept, hint));
      return before && hook(before, hint);
    }, event);
}

function isPromise<T>(value: PromiseLike<T> | T): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null)?.then === "function";
}
