// @vitest-environment jsdom

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  pageData,
  type RouterParts,
  sharedPage,
  slowPage,
  startRouter,
} from "./support/next-router";

const recovery = "lib/navigation/recovery.ts mends failed navigations there";
const queue = "lib/navigation/data-requests.ts keeps page data requests few there";

let router: RouterParts;
let Router: Awaited<ReturnType<typeof startRouter>>["Router"];
let requests: [url: string, init: RequestInit][];
let answer: () => Response | Promise<Response>;

beforeEach(async () => {
  vi.resetModules();
  vi.spyOn(console, "error").mockImplementation(() => {});
  sessionStorage.clear();
  history.replaceState(null, "", "/");
  requests = [];
  answer = () => pageData('{"pageProps":{}}');
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    requests.push([url, init]);
    return answer();
  });
  ({ router, Router } = await startRouter());
});

afterEach(() => {
  window.removeEventListener(
    "popstate",
    (router as unknown as { onPopState: () => void }).onPopState,
  );
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Resolves once the router waits for page data. */
function dataAskedFor() {
  const sentence = "The router asked for no page data, which most contracts here begin with.";
  return vi.waitFor(() => expect(requests, sentence).not.toEqual([]), { interval: 1 });
}

/** Has requests wait for what is given later. */
function answerLater(): (response: Response) => void {
  let give: (response: Response) => void = () => {};
  const answered = new Promise<Response>((resolve) => {
    give = resolve;
  });
  answer = () => answered;
  return give;
}

test("the router instance is Router.router once Router.ready calls back", () => {
  let given: unknown;
  Router.ready(() => {
    given = Router.router;
  });
  expect(
    given,
    "Router.ready no longer calls back with the instance in Router.router: lib/navigation (recovery.ts, data-requests.ts) changes that instance.",
  ).toBe(router);
});

test("Router.events can be made to tell of a failed navigation", () => {
  const told = vi.fn();
  Router.events.on("routeChangeError", told);
  Router.events.emit("routeChangeError", "error", "/url");
  Router.events.off("routeChangeError", told);
  expect(
    told.mock.calls,
    `Router.events.emit no longer reaches listeners: ${recovery}, and tells of what it mended by it.`,
  ).toEqual([["error", "/url"]]);
});

test("prefetches of all callers go through the instance's prefetch", async () => {
  const called = vi.fn(async () => {});
  router.prefetch = called;
  await Router.prefetch("/one");
  const { makePublicRouterInstance } = (await import("next/dist/client/router")) as unknown as {
    makePublicRouterInstance(router: object): typeof Router;
  };
  await makePublicRouterInstance(router).prefetch("/two");
  expect(
    called.mock.calls,
    `Next's singleton or its public instance no longer prefetches by the router instance's own method: ${queue}, so prefetches would not be limited.`,
  ).toEqual([["/one"], ["/two"]]);
});

test("a prefetch asks for page data with purpose: prefetch and keeps it in sdc", async () => {
  await router.prefetch(sharedPage);
  const [[url, init] = []] = requests;
  expect(
    [url, init?.headers],
    "The router words its requests for page data otherwise: lib/policy/headers.ts and lib/server/requests.ts go by /_next/data and x-nextjs-data.",
  ).toEqual([
    `/_next/data/build/en${sharedPage}.json`,
    { purpose: "prefetch", "x-nextjs-data": "1" },
  ]);
  expect(
    Object.keys(router.sdc ?? {}),
    `The router no longer keeps page data in sdc by absolute URL: ${recovery}, and takes bad data out of it.`,
  ).toEqual([`${location.origin}${url}`]);
});

test("page data with x-middleware-cache: no-cache is left to the browser's cache", async () => {
  answer = () => pageData("{}", { headers: { "x-middleware-cache": "no-cache" } });
  await router.prefetch(sharedPage);
  expect(
    Object.keys(router.sdc ?? {}),
    "The router no longer heeds `x-middleware-cache: no-cache`: lib/policy/headers.ts sets it, and static page data would never be renewed while a tab is open.",
  ).toEqual([]);
});

test("a HEAD request follows a prerendered page, unless sbc says that one is under way", async () => {
  const heads = () => requests.filter(([, { method }]) => method === "HEAD").length;
  await router.push(`${sharedPage}?one`);
  expect(
    heads(),
    `The router no longer sends a HEAD request after a prerendered page: what ${queue} against it can go.`,
  ).toBe(1);
  const underWay = Promise.resolve();
  Object.assign(router, { sbc: new Proxy({}, { get: () => underWay }) });
  await router.push(`${sharedPage}?two`);
  expect(heads(), `The router no longer looks into sbc before a HEAD request: ${queue}.`).toBe(1);
});

test("push, replace and the back button go by the instance's change", async () => {
  const called = vi.fn(async (..._args: unknown[]) => true);
  router.change = called;
  await Router.push(sharedPage);
  await Router.replace(sharedPage);
  const state = { __N: true, url: sharedPage, as: sharedPage, options: {}, key: "k" };
  dispatchEvent(new PopStateEvent("popstate", { state }));
  dispatchEvent(new PopStateEvent("popstate", { state }));
  expect(
    called.mock.calls.map(([method, url]) => [method, url]).slice(0, 3),
    `Navigations no longer go by the router instance's change(): ${recovery}.`,
  ).toEqual([
    ["pushState", sharedPage],
    ["replaceState", sharedPage],
    ["replaceState", sharedPage],
  ]);
});

test("while a navigation is under way, _inFlightRoute names its target", async () => {
  const give = answerLater();
  const pushed = Router.push(sharedPage, undefined, { locale: "de" });
  await dataAskedFor();
  expect(
    router._inFlightRoute,
    `_inFlightRoute no longer holds the target with its locale: ${recovery}, and could not tell whether a failed navigation still counts.`,
  ).toBe(`/de${sharedPage}`);
  give(pageData('{"pageProps":{}}'));
  expect(await pushed).toBe(true);
});

test("a 200 that is no JSON comes out of _getData without pageProps", async () => {
  const { _getData } = router;
  const seen: object[] = [];
  router._getData = async (load) => {
    const data = await _getData.call(router, load);
    seen.push({ ...data, props: { ...data.props } });
    return data;
  };
  answer = () => pageData("<html>a proxy's login page</html>");
  await router.push(sharedPage);
  expect(
    seen,
    `Page data no longer comes out of _getData as { cacheKey, props }, or a bad answer has pageProps now: ${recovery}, and an empty page would show.`,
  ).toEqual([{ cacheKey: `${location.origin}/_next/data/build/en${sharedPage}.json`, props: {} }]);
});

test.each([
  [
    "page data that fails",
    sharedPage,
    () => pageData("", { status: 500 }),
    /^Failed to load static props$/,
  ],
  [
    "a page that this build lacks",
    "/unknown",
    () => pageData("{}"),
    /^Failed to lookup route: \/unknown$/,
  ],
])(
  "%s ends in handleRouteInfoError, and a cancellation ends that",
  async (_what, url, given, words) => {
    let call: unknown[] = [];
    router.handleRouteInfoError = async (...args) => {
      call = args;
      throw Object.assign(new Error("Route Cancelled"), { cancelled: true });
    };
    answer = given;
    const pushed = router.push(url);
    expect(
      await pushed,
      `The router no longer takes an error with cancelled: true for a navigation given up: ${recovery}.`,
    ).toBe(false);
    const [error, pathname, , as, options] = call;
    expect(
      [(error as Error)?.message, pathname, as, options],
      `handleRouteInfoError(error, pathname, query, as, options) is called otherwise, or the error is worded otherwise: ${recovery}.`,
    ).toEqual([expect.stringMatching(words), url, url, { shallow: false }]);
  },
);

test("after the error page was shown, the error itself comes out of change", async () => {
  const thrown = new Error("anything");
  router._getData = async () => {
    throw thrown;
  };
  const pushed = router.push(sharedPage).catch((error) => error);
  expect(
    await pushed,
    `The router no longer throws the very error that its error page was shown for: ${recovery}, and would load the page a second time.`,
  ).toBe(thrown);
});

test("a page's code is had by routeLoader.loadRoute, from loadPage and from prefetch", async () => {
  const { routeLoader } = router.pageLoader;
  const called = vi.fn(async (..._args: unknown[]) => ({ error: new Error("gone") }));
  routeLoader.loadRoute = called;
  await router.pageLoader.loadPage(slowPage).catch(() => {});
  // A prefetch of the page's script comes before its run.
  const links = new MutationObserver(() => {
    for (const link of document.querySelectorAll("link[rel=prefetch]"))
      link.dispatchEvent(new Event("load"));
  });
  links.observe(document.head, { childList: true });
  await router.pageLoader.prefetch(slowPage);
  const sentence = `The page loader no longer has code by routeLoader.loadRoute(route, prefetch): ${recovery}, and a page that was being fetched ahead when it was asked for would be waited for without end.`;
  await vi.waitFor(
    () => expect(called.mock.calls, sentence).toEqual([[slowPage], [slowPage, true]]),
    { interval: 1 },
  );
  links.disconnect();
});

test("a script that fails makes loadRoute resolve with the error, and stay so", async () => {
  const { routeLoader } = router.pageLoader;
  const loaded = routeLoader.loadRoute(slowPage);
  const script = await vi.waitFor(
    () => {
      const found = document.querySelector(`script[src*="${slowPage}"]`);
      if (!found) throw new Error("no script yet");
      return found;
    },
    { interval: 1 },
  );
  script.dispatchEvent(new Event("error"));
  const { error } = await loaded;
  expect(
    [error?.message, (await routeLoader.loadRoute(slowPage)).error],
    `loadRoute no longer resolves with { error }, kept for the next caller: ${recovery}.`,
  ).toEqual([expect.stringContaining("Failed to load script"), error]);
});

test("navigations that another takes over are told of as cancelled", async () => {
  const told: string[] = [];
  // Of the first navigation of all the router tells nobody.
  await router.push(`${sharedPage}?before`);
  requests = [];
  const give = answerLater();
  const { handleRouteInfoError } = router;
  router.handleRouteInfoError = (error, ...args) => {
    told.push(error.message);
    return handleRouteInfoError.call(router, error, ...args);
  };
  const listener = (error: Error & { cancelled?: boolean }) => {
    told.push(`${error.message} ${error.cancelled}`);
  };
  Router.events.on("routeChangeError", listener);
  const first = router.push(`${sharedPage}?first`);
  await dataAskedFor();
  answer = () => pageData('{"pageProps":{}}');
  const second = router.push(`${sharedPage}?second`);
  give(pageData('{"pageProps":{}}'));
  await Promise.all([first, second]);
  Router.events.off("routeChangeError", listener);
  expect(
    told,
    "The router words a navigation that was taken over otherwise: packages/sentry/src/browser/first-load/noise.ts knows it by these words, and would report it as an error.",
  ).toEqual(["Route Cancelled true", "Loading initial props cancelled"]);
});

test("a page whose rendering was cancelled once is taken for cancelled when it shows, by set", async () => {
  const { sub, set } = router;
  const called = vi.fn();
  router.set = (...args) => {
    called(args[1]);
    return set.apply(router, args);
  };
  router.sub = () => Promise.reject(Object.assign(new Error("Cancel"), { cancelled: true }));
  const results = [await router.push(`${sharedPage}?first`)];
  router.sub = sub;
  results.push(await router.push(`${sharedPage}?second`));
  expect(
    [results, called.mock.calls.map(([page]) => page.error?.message)],
    "The router no longer keeps a cancellation with the page that it gives to set(): forgetCancelledRender in lib/navigation/recovery.ts can go, or has to go elsewhere.",
  ).toEqual([
    [false, false],
    ["Cancel", "Cancel"],
  ]);
});

test("each history entry has a key of its own, which Back makes the router's", async () => {
  const { key } = history.state ?? {};
  await router.push(sharedPage);
  const sentence =
    "Next no longer gives each history entry a key, in history.state.key and in the router's _key: lib/navigation/scroll.ts tells entries apart by it in browsers without the Navigation API.";
  expect([history.state.key === key, history.state.key === router._key], sentence).toEqual([
    false,
    true,
  ]);
  const state = { __N: true, url: "/", as: "/", options: {}, key: "back" };
  dispatchEvent(new PopStateEvent("popstate", { state }));
  expect(router._key, sentence).toBe("back");
});

test("a history entry holds its language", async () => {
  await router.push(sharedPage);
  expect(
    history.state?.options?.locale,
    "Next no longer keeps an entry's language as history.state.options.locale: lib/navigation/scroll.ts reads it on Back.",
  ).toBe("en");
});

test("the router calls change at once for a history entry of its own, and for no other", () => {
  const called = vi.fn(async (..._args: unknown[]) => true);
  router.change = called;
  const back = (state: object | null) => {
    dispatchEvent(new PopStateEvent("popstate", { state }));
    return called.mock.calls.length;
  };
  const own = { __N: true, url: sharedPage, as: sharedPage, options: {}, key: "k" };
  expect(
    [back(null), back({ lightbox: true }), back(own)],
    "The router no longer calls change while it hears popstate, or does so for entries without __N: lib/navigation/scroll.ts takes other entries for the app's or the browser's, and restores their place at once.",
  ).toEqual([0, 0, 1]);
});

test("what can't be loaded is marked, and other failures of the router's are known by their words", async () => {
  const { isAssetError, markAssetError } = await import("next/dist/client/route-loader");
  const { isRouterFailure } = await import("@/lib/navigation/router-internals");
  const sentence = `The router marks or words its failures otherwise: ${recovery}, and takes all others for the app's own.`;
  const lost = markAssetError(new Error("x"));
  expect(
    [isAssetError(lost), isRouterFailure(lost), isRouterFailure(new Error("x"))],
    sentence,
  ).toEqual([true, true, false]);
  const code = readFileSync("node_modules/next/dist/shared/lib/router/router.js", "utf8");
  const decoding = readFileSync(
    "node_modules/next/dist/shared/lib/router/utils/route-matcher.js",
    "utf8",
  );
  expect(
    [
      code.includes("`Invariant: attempted to hard navigate"),
      decoding.includes("'failed to decode param'"),
    ],
    sentence,
  ).toEqual([true, true]);
});

test("a hash with a bare percent sign is too much for the router", () => {
  expect(
    () => router.scrollToHash("/page#100%"),
    `The router goes to a hash that is no percent-encoding by itself: scrollToAnyHash, by which ${recovery}, can go.`,
  ).toThrow(URIError);
});

test("Back to another language of a page that was just loaded goes by isSsr", async () => {
  const called = vi.fn(async (..._args: unknown[]) => true);
  router.change = called;
  const back = () => {
    const state = { __N: true, url: "/", as: "/", options: { locale: "de" }, key: "k" };
    dispatchEvent(new PopStateEvent("popstate", { state }));
  };
  back();
  expect(
    [router.isSsr, called.mock.calls],
    "The router follows Back to another language by itself: what lib/navigation/scroll.ts does with isSsr can go.",
  ).toEqual([true, []]);
  router.isSsr = false;
  back();
  expect(
    called.mock.calls,
    "The router no longer goes by isSsr on Back: lib/navigation/scroll.ts sets it, and Back across languages would show the wrong one.",
  ).toHaveLength(1);
});

test("the router goes to a hash by scrollIntoView of its target", () => {
  const target = document.createElement("h2");
  target.id = "part";
  target.scrollIntoView = vi.fn();
  document.body.append(target);
  router.scrollToHash("/page#part");
  target.remove();
  expect(
    target.scrollIntoView,
    "The router's scrollToHash no longer calls scrollIntoView: lib/navigation/scroll.ts holds it back while a position is restored.",
  ).toHaveBeenCalled();
});
