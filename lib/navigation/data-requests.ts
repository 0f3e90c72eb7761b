import Router from "next/router";
import { queued } from "./prefetch-queue";

/** How many prefetches may be under way at once, however many links come into view. */
const limit = 5;

/**
 * Keeps the router's requests for page data to those that are needed: puts its own `prefetch`
 * behind a queue, whoever calls it, and leaves out the HEAD request that it sends after showing a
 * prerendered page, in case its data has changed. The browser's HTTP cache sees to that by itself:
 * see lib/http/headers.js.
 */
export function limitDataRequests(): void {
  Router.ready(() => {
    const { router } = Router;
    if (!router) return;
    router.prefetch = queued(router.prefetch.bind(router), limit);
    // Where the router finds a HEAD request under way, it sends none.
    const answered = Promise.resolve();
    Object.assign(router, { sbc: new Proxy({}, { get: () => answered }) });
  });
}
