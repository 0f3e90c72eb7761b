import Router from "next/router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recoverByHardNavigation, reloadOnFailure } from "@/lib/site/navigation/hard-navigation";
import { forgetLeaving, isLeaving, watchLeaving } from "@/lib/site/navigation/leaving";
import { recoverFailedNavigations } from "@/lib/site/navigation/recovery";

const failures = vi.hoisted((): unknown[] => []);
vi.mock("@signpost/sentry", () => ({
  captureFailedNavigation: (error: unknown) => failures.push(error),
}));
watchLeaving();

beforeEach(() => {
  vi.useFakeTimers();
  failures.length = 0;
  // Offline, the present page is not loaded again: jsdom can't do that.
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  dispatchEvent(new Event("beforeunload"));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("what fails while the page is replaced begins no other load and is no failure", () => {
  expect(recoverByHardNavigation(new Error("cancelled"), "/elsewhere")).toBe(true);
  expect(failures).toEqual([]);
});

test("files of a page that are lost as Turbopack starts it are no reason to load this one anew", async () => {
  forgetLeaving();
  const lost = new Error("Failed to load chunk a.css from module 1");
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
  const reason = new Error("Failed to load chunk a.js from module 1");
  dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason }));
  expect(failures).toEqual([reason]);
});

test("two pages that lead to each other load each other twice, until the visitor does something", () => {
  // jsdom says that it can't do that.
  vi.spyOn(console, "error").mockImplementation(() => {});
  forgetLeaving();
  recoverFailedNavigations();
  const go = () => recoverByHardNavigation(new Error("refused"), "/home");
  expect([go(), go(), go()]).toEqual([true, true, false]);
  document.body.click();
  expect([go(), go(), go()]).toEqual([true, true, false]);
  dispatchEvent(new PopStateEvent("popstate"));
  expect(go()).toBe(true);
  expect(failures).toHaveLength(5);
});

test("an import() that fails while the page is replaced stays pending", async () => {
  const settled = vi.fn();
  const lost = new Error("Failed to load chunk a.js from module 1");
  reloadOnFailure(Promise.reject(lost)).then(settled, settled);
  await vi.advanceTimersByTimeAsync(0);
  expect(settled).not.toHaveBeenCalled();
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
