import Router from "next/router";
import { afterEach, expect, test, vi } from "vitest";
import { mendRouter } from "@/lib/navigation/mend-router";
import { isLostChunk, isRouterFailure, replaceMethod } from "@/lib/navigation/router-internals";
import { onArrival } from "@/lib/navigation/stages";

const router = vi.hoisted(() => ({ readyCallbacks: [] as (() => void)[] }));

vi.mock("next/router", async (original) => {
  const { default: real } = await original<{ default: object }>();
  const ready = (callback: () => void) => router.readyCallbacks.push(callback);
  return { default: Object.create(real, { ready: { value: ready }, router: { value: {} } }) };
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a method that is missing, or can't be replaced, is left alone, and the console says which", () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const frozen: { get(): number } = Object.freeze({ get: () => 1 });
  const wanted = { count: 0, add: () => ++wanted.count };
  const twice = (get: () => number) => () => 2 * get();
  replaceMethod(frozen, "get", twice);
  replaceMethod({} as typeof frozen, "get", twice);
  replaceMethod(undefined as unknown as typeof frozen, "get", twice);
  replaceMethod(wanted, "add", twice);
  expect([frozen.get(), wanted.add()]).toEqual([1, 2]);
  expect(warned.mock.calls).toEqual([
    [expect.stringMatching(/^Signpost does without get, see .*: TypeError: .*read only/)],
    [expect.stringMatching(/^Signpost does without get, .*undefined/)],
    [expect.stringMatching(/^Signpost does without get, .*undefined/)],
  ]);
});

test("nothing is thrown into Next's start where Next and the browser have nothing to build on", () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("TURBOPACK", Object.freeze({ push: () => undefined }));
  const { fetch } = window;
  Object.defineProperty(window, "fetch", { get: () => fetch, configurable: true });
  mendRouter();
  // Next calls these as it makes the router.
  for (const callback of router.readyCallbacks) callback();
  expect(router.readyCallbacks.length).toBeGreaterThan(0);
  expect(window.fetch).toBe(fetch);
  const said = warned.mock.calls.map(([line]) => /without (\S+),/.exec(line)?.[1]);
  for (const name of ["fetch", "push", "prefetch", "sbc", "loadRoute", "change", "_getData"])
    expect(said).toContain(name);
});

test("what one listener throws keeps no other from being called, nor the router from going on", () => {
  vi.useFakeTimers();
  const called = vi.fn();
  onArrival(() => {
    throw new Error("this comfort fails");
  });
  onArrival(called);
  Router.events.emit("hashChangeComplete", "/#part", { shallow: false });
  expect(called).toHaveBeenCalledWith("hash");
  // As an uncaught error, which is reported.
  expect(() => vi.runAllTimers()).toThrow("this comfort fails");
  vi.useRealTimers();
});

test("a lost chunk is known by its words, whatever else is thrown", () => {
  expect(isLostChunk(new Error("Failed to load chunk a.js from module 1"))).toBe(true);
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("unreadable");
      },
    },
  );
  for (const other of [new Error("x"), undefined, null, "x", { message: Symbol("x") }, hostile]) {
    expect(isLostChunk(other)).toBe(false);
  }
});

test("the router's own failures are known by its words and its symbol, and no error of the app's is one", () => {
  const marked = (description: string) =>
    Object.assign(new Error("x"), { [Symbol(description)]: {} });
  for (const own of [
    marked("ASSET_LOAD_ERROR"),
    new Error("Invariant: attempted to hard navigate to the same URL /a http://localhost/a"),
    new Error("failed to decode param"),
  ])
    expect(isRouterFailure(own)).toBe(true);
  for (const other of [
    marked("kind"),
    // As the package tiny-invariant words them.
    new Error("Invariant failed"),
    new Error("Invariant failed: no user"),
    new Error("failed to decode the token"),
    "x",
  ])
    expect(isRouterFailure(other)).toBe(false);
});
