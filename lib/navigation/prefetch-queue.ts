import Router from "next/router";

/** How many prefetches may be under way at once, however many links come into view. */
const limit = 5;

/** Puts the router's own `prefetch` behind a queue, whoever calls it. */
export function limitPrefetches(): void {
  Router.ready(() => {
    const { router } = Router;
    if (!router) return;
    router.prefetch = queued(router.prefetch.bind(router), limit);
  });
}

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
