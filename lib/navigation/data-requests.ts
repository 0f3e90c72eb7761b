import { attempt, replaceMethod, whenRouterExists } from "./router-internals";

const maxPrefetches = 5;

/** Longest wait for an idle browser, in milliseconds. */
const maxIdleWait = 1000;

/** https://wicg.github.io/savedata/ */
const { connection } = navigator as { connection?: { saveData?: boolean } };

/**
 * Keeps the router's requests for page data to the necessary ones, whoever causes them: `next/link`,
 * a package, or a call of `router.prefetch`.
 *
 * - At most five prefetches run at once, however many links come into view. They begin when the page
 *   has settled, so that they don't compete with its first paint. A visitor who saves data gets none.
 * - The HEAD request that the router sends after showing a prerendered page, to see whether its data
 *   has changed, is left out. The browser's HTTP cache renews the data by itself (lib/policy/headers.ts),
 *   and would take the answer to that request, which has no data, for a renewal.
 *
 * What an earlier document has fetched is not used unasked: this one may show a newer version, or a
 * draft.
 */
export function limitDataRequests(): void {
  askAnew();
  const settled = new Promise<unknown>((resolve) => {
    // Safari has no requestIdleCallback.
    const wait = () =>
      window.requestIdleCallback?.(resolve, { timeout: maxIdleWait }) ?? resolve(true);
    if (document.readyState === "complete") wait();
    else addEventListener("load", wait);
  });
  whenRouterExists((router) => {
    replaceMethod(router, "prefetch", (original) => {
      const prefetch = limitConcurrency(original, maxPrefetches);
      return async (...args) => {
        await settled;
        if (!connection?.saveData) await prefetch(...args);
      };
    });
    attempt(() => {
      // The router sends no HEAD request while it finds one under way. Before the first navigation it
      // sends another, to learn the query that a proxy.ts has given a page.
      router.sbc = new Proxy(router.sbc, {
        get: (requests, url: string) => (router.isSsr ? requests[url] : Promise.resolve()),
      });
    }, "sbc");
  });
}

/** Has the browser's HTTP cache ask the server for a page's data until it has given it to this document. */
function askAnew(): void {
  const asked = new Set<unknown>();
  replaceMethod(window, "fetch", (fetch) => (...args) => {
    const [input, init] = args;
    if (!("x-nextjs-data" in Object(init?.headers)) || asked.has(input)) return fetch(...args);
    return fetch(input, { ...init, cache: "no-cache" }).then((answer) => {
      if (answer.ok) asked.add(input);
      return answer;
    });
  });
}

/**
 * @param max how many calls may run at once
 * @returns a function that does the same as `run`; further calls wait in order
 */
export function limitConcurrency<A extends unknown[], R>(
  run: (...args: A) => Promise<R>,
  max: number,
): (...args: A) => Promise<R> {
  const waiting: (() => void)[] = [];
  /** Those that run, and those that wait. */
  let begun = 0;
  return async (...args) => {
    if (++begun > max) await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run(...args);
    } finally {
      begun--;
      waiting.shift()?.();
    }
  };
}
