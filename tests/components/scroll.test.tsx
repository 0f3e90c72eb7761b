import Router from "next/router";
import { beforeEach, expect, test, vi } from "vitest";

/** What is kept of a history entry. */
const kept = (key: string) => JSON.parse(sessionStorage.getItem("signpost.entries") ?? "{}")[key];

beforeEach(() => {
  sessionStorage.clear();
  vi.resetModules();
  Object.assign(Router, { router: null });
});

test("the place of a hash link's entry is kept, also if it was followed before the router exists", async () => {
  const currentEntry = { key: "one" };
  vi.stubGlobal("navigation", { currentEntry, addEventListener() {} });
  vi.stubGlobal("scrollTo", () => {});
  const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
  restoreScrollPositions();
  history.pushState(null, "", "#early");
  currentEntry.key = "two";
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
  Object.assign(window, { scrollY: 80 });
  dispatchEvent(new Event("beforeunload"));
  expect(kept("two")).toMatchObject({ top: 80 });
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
});

test("a tab keeps the places of the hundred newest entries, which is all that a browser goes back to", async () => {
  const currentEntry = { key: "first" };
  vi.stubGlobal("navigation", { currentEntry, addEventListener() {} });
  const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
  restoreScrollPositions();
  for (let entry = 0; entry <= 100; entry += 1) {
    Object.assign(window, { scrollY: entry });
    dispatchEvent(new Event("beforeunload"));
    currentEntry.key = `entry ${entry}`;
  }
  expect(sessionStorage).toHaveLength(1);
  const entries = JSON.parse(sessionStorage.getItem("signpost.entries") ?? "");
  expect(Object.keys(entries)).toHaveLength(100);
  expect(kept("first")).toBeUndefined();
  expect(kept("entry 99")).toMatchObject({ top: 100 });
  vi.unstubAllGlobals();
});

test("whatever another script has stored under the places' name, nothing is thrown, and places are kept", async () => {
  vi.stubGlobal("scrollTo", () => {});
  vi.stubGlobal("navigation", { currentEntry: { key: "one" }, addEventListener() {} });
  for (const stored of [
    "null",
    "1",
    "{}",
    '"ab"',
    "[1]",
    '[["one",{"top":1}]]',
    '{"one":5}',
    '{"one":{"top":"x"}}',
  ]) {
    vi.resetModules();
    sessionStorage.setItem("signpost.entries", stored);
    const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
    restoreScrollPositions();
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    Object.assign(window, { scrollY: 60 });
    dispatchEvent(new Event("beforeunload"));
    expect(kept("one"), stored).toMatchObject({ top: 60 });
  }
  vi.unstubAllGlobals();
});

test("without the Navigation API, Back over a hash link goes to where one was, and Forward too", async () => {
  const scrollTo = vi.fn();
  vi.stubGlobal("scrollTo", scrollTo);
  Object.assign(Router, { router: { _key: "k", change: async () => true } });
  const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
  restoreScrollPositions();
  // Next gives the entry of a hash link the key of the one before.
  const state = { __N: true, key: "k" };
  const show = (url: string) => {
    history.replaceState(state, "", url);
    dispatchEvent(new PopStateEvent("popstate", { state }));
  };
  const place = (top: number) => expect.objectContaining({ top });

  Object.assign(window, { scrollY: 60 });
  document.body.click();
  history.pushState(null, "", "#end");
  // Firefox has gone to the target by then.
  Object.assign(window, { scrollY: 500 });
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
  Object.assign(window, { scrollY: 700 });
  show("/");
  expect(scrollTo).toHaveBeenLastCalledWith(place(60));
  Object.assign(window, { scrollY: 60 });
  show("/#end");
  expect(scrollTo).toHaveBeenLastCalledWith(place(700));
});

test("without the Navigation API, the place is kept before the app goes to a hash by the router", async () => {
  const scrollTo = vi.fn();
  vi.stubGlobal("scrollTo", scrollTo);
  history.replaceState({ __N: true, key: "k" }, "", "/");
  const router = {
    _key: "k",
    async change(_method: string, url: string) {
      router._key = "l";
      history.pushState({ __N: true, key: "l" }, "", url);
      Object.assign(window, { scrollY: 500 });
      return true;
    },
  };
  Object.assign(Router, { router });
  const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
  restoreScrollPositions();
  Object.assign(window, { scrollY: 60 });
  await router.change("pushState", "/#end");
  expect(kept("k")).toMatchObject({ top: 60 });
  history.replaceState(null, "", "/");
});

test("Back to another language takes the page for one that the router has shown", async () => {
  vi.stubGlobal("scrollTo", () => {});
  const { restoreScrollPositions } = await import("@/lib/navigation/scroll");
  restoreScrollPositions();
  // Before the router exists.
  dispatchEvent(new PopStateEvent("popstate", { state: { options: { locale: "de" } } }));
  const router = { locale: "en", isSsr: true };
  Object.assign(Router, { router });
  for (const state of [null, {}, { __N: true, options: { locale: "en" } }]) {
    dispatchEvent(new PopStateEvent("popstate", { state }));
    expect(router.isSsr).toBe(true);
  }
  dispatchEvent(new PopStateEvent("popstate", { state: { __N: true, options: { locale: "de" } } }));
  expect(router.isSsr).toBe(false);
});
