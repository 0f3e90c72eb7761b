/**
 * A function that does as the given one, but lets only so many calls run at once; further ones wait
 * their turn, in order.
 */
export function queued<A extends unknown[], R>(
  run: (...args: A) => Promise<R>,
  most: number,
): (...args: A) => Promise<R> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (...args) => {
    if (running === most) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await run(...args);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
