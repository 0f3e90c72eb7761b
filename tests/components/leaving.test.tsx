import Router from "next/router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recoverByHardNavigation, reloadOnFailure } from "@/lib/navigation/hard-navigation";
import { forgetLeaving, isLeaving, watchLeaving } from "@/lib/navigation/leaving";
import { recoverFailedNavigations } from "@/lib/navigation/recovery";
import { onArrival, onNavigation, watchNavigation } from "@/lib/navigation/stages";

const failures = vi.hoisted((): unknown[] => []);
vi.mock("@signpost/sentry", () => ({
  captureFailedNavigation: (error: unknown) => failures.push(error),
}));
/** jsdom has no Navigation API. */
const navigation = vi.hoisted(() => {
  const target = Object.assign(new EventTarget(), { currentEntry: {} });
  Object.assign(globalThis, { navigation: target });
  return target;
});
watchLeaving();
watchNavigation();

const lost = new Error("Failed to load chunk a.js from module 1");

beforeEach(() => {
  vi.useFakeTimers();
  failures.length = 0;
  // Offline, the present page is not loaded again: jsdom can't do that.
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  dispatchEvent(new Event("beforeunload"));
});

afterEach(() => {
  forgetLeaving();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("what fails while the page is replaced begins no other load, and is a failure once the page has stayed", async () => {
  // As Firefox and Safari do to each request.
  expect(recoverByHardNavigation(new Error("cancelled by the load"), "/elsewhere")).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  const error = new Error("refused");
  expect(recoverByHardNavigation(error, "/elsewhere")).toBe(true);
  await vi.advanceTimersByTimeAsync(3999);
  expect(failures).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(failures).toEqual([error]);
});

test("files of a page that are lost as Turbopack starts it are no reason to load this one anew", async () => {
  forgetLeaving();
  const own = new Error("this page throws");
  const results = [Promise.reject(lost), Promise.reject(own), undefined];
  vi.stubGlobal("TURBOPACK", { push: () => results.shift() });
  recoverFailedNavigations();
  const { TURBOPACK } = globalThis as unknown as { TURBOPACK: { push(): Promise<void> } };
  await expect(TURBOPACK.push()).resolves.toBeUndefined();
  await expect(TURBOPACK.push()).rejects.toBe(own);
  expect(TURBOPACK.push()).toBeUndefined();
  vi.unstubAllGlobals();
});

test("an import() that is lost while a page is fetched ahead comes with a hard navigation", () => {
  // jsdom says that it can't do that.
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  forgetLeaving();
  const routeLoader = { loadRoute: (_route: string) => new Promise(() => {}) };
  const _getData = async () => {};
  Object.assign(Router, { router: { pageLoader: { routeLoader }, _getData } });
  recoverFailedNavigations();
  routeLoader.loadRoute("/other");
  dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: lost }));
  expect(failures).toEqual([lost]);
});

test("two pages that lead to each other load each other twice, until the visitor does something", () => {
  // jsdom says that it can't do that.
  vi.spyOn(console, "error").mockImplementation(() => {});
  recoverFailedNavigations();
  const go = () => {
    // Each time in another document.
    forgetLeaving();
    return recoverByHardNavigation(new Error("refused"), "/home");
  };
  expect([go(), go(), go()]).toEqual([true, true, false]);
  document.body.click();
  expect([go(), go(), go()]).toEqual([true, true, false]);
  dispatchEvent(new PopStateEvent("popstate"));
  expect(go()).toBe(true);
  expect(failures).toHaveLength(5);
});

test("a failed page is loaded whole, whatever another script has stored in place of the loads before", () => {
  // jsdom says that it can't do that.
  vi.spyOn(console, "error").mockImplementation(() => {});
  const target = new URL("/home", location.href).href;
  for (const stored of [null, 1, "ab", [1], { [target]: 1 }, { [target]: "x" }, { [target]: {} }]) {
    forgetLeaving();
    sessionStorage.setItem("signpost.hard-navigations", JSON.stringify(stored));
    expect(recoverByHardNavigation(lost, target), JSON.stringify(stored)).toBe(true);
  }
});

test("an import() that fails while the page is replaced is pending, and rejects once the page has stayed", async () => {
  const settled = vi.fn();
  reloadOnFailure(Promise.reject(lost)).then(settled, settled);
  await vi.advanceTimersByTimeAsync(4999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(settled).toHaveBeenCalledWith(lost);
});

test("an import() that fails rejects where the visitor has kept the page from being loaded anew", async () => {
  // jsdom says that it can't do that.
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  forgetLeaving();
  sessionStorage.clear();
  const settled = vi.fn();
  reloadOnFailure(Promise.reject(lost)).then(settled, settled);
  await vi.advanceTimersByTimeAsync(0);
  expect([failures, settled.mock.calls]).toEqual([[lost], []]);
  navigation.dispatchEvent(new Event("navigateerror"));
  await vi.advanceTimersByTimeAsync(0);
  expect(settled).toHaveBeenCalledWith(lost);
});

test("a mail that is begun leaves nothing, and a page of which no event tells does", () => {
  forgetLeaving();
  const begin = () => dispatchEvent(new Event("beforeunload"));
  const destination = { url: "mailto:team@example.com" };
  navigation.dispatchEvent(Object.assign(new Event("navigate"), { destination }));
  begin();
  expect(isLeaving()).toBe(false);
  begin();
  expect(isLeaving()).toBe(true);
});

test("a navigation that goes on after a download has begun was not cancelled by it", () => {
  forgetLeaving();
  let stages: readonly string[] = [];
  onNavigation((navigation) => {
    stages = navigation.stages;
  });
  const arrivals: string[] = [];
  onArrival((arrival) => arrivals.push(arrival));
  Router.events.emit("routeChangeStart", "/slow", { shallow: false });
  dispatchEvent(new Event("beforeunload"));
  vi.advanceTimersByTime(0);
  expect(stages).toEqual(["start", "cancelled"]);
  Router.events.emit("beforeHistoryChange", "/slow", { shallow: false });
  history.replaceState(null, "", "/slow");
  Router.events.emit("routeChangeComplete", "/slow", { shallow: false });
  expect([stages, arrivals]).toEqual([["start", "history", "complete"], ["page"]]);
});

test.each([
  ["an address that this build has no page for", "Failed to lookup route: /new", "cancelled"],
  ["data that can't be had", "Failed to load static props", "error"],
])("a navigation to %s has the stage that the reports tell of it", (_, message, stage) => {
  let stages: readonly string[] = [];
  onNavigation((navigation) => {
    stages = navigation.stages;
  });
  Router.events.emit("routeChangeStart", "/new", { shallow: false });
  Router.events.emit("routeChangeError", new Error(message), "/new", { shallow: false });
  expect(stages).toEqual(["start", stage]);
});

test("what an import() rejects with for another reason is the caller's own", async () => {
  const own = new Error("this device has no maps");
  await expect(reloadOnFailure(Promise.reject(own))).rejects.toBe(own);
});

test("a page that comes back out of the cache is not left any more", () => {
  dispatchEvent(new Event("pageshow"));
  expect(isLeaving()).toBe(false);
  expect(recoverByHardNavigation(new Error("offline"))).toBe(false);
});

test("a page that is still there after 5 s is not left any more", () => {
  vi.advanceTimersByTime(4999);
  expect(isLeaving()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isLeaving()).toBe(false);
});
