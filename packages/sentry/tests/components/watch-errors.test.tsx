import { expect, test, vi } from "vitest";
import { enter, takeErrors } from "@/packages/sentry/src/browser/first-load/error-queue";

const sdk = vi.hoisted(() => ({
  tries: 0,
  replayed: [] as unknown[],
  loading: Promise.resolve(),
}));

// A script that can't be loaded the first time.
vi.mock("@/packages/sentry/src/browser/sdk/start", () => ({
  start: async () => {
    await sdk.loading;
    if (sdk.tries++ === 0) throw new Error("Failed to load chunk");
    enter("loading", () => sdk.replayed.push(...takeErrors().map(({ error }) => error)));
  },
}));

test("after the SDK could not be loaded, it is loaded when the browser is online again", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  // As to a server that is down: a beacon says no more than that it was tried.
  Object.assign(navigator, { sendBeacon: () => true });
  const { watchErrors } = await import("@/packages/sentry/src/browser/first-load/watch-errors");
  const { queueError } = await import("@/packages/sentry/src/browser/first-load/error-queue");
  watchErrors({});
  queueError(new Error("offline"));
  await vi.waitFor(() => expect(Object.keys(localStorage)).toHaveLength(1));
  dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(sdk.tries).toBe(2));
  const error = new Error("online");
  queueError(error);
  await vi.waitFor(() => expect(sdk.replayed).toEqual([error]));
});

test("a page that was closed while the SDK was loading stays closed, also where that fails", async () => {
  vi.resetModules();
  localStorage.clear();
  sdk.tries = 0;
  let fail = () => {};
  sdk.loading = new Promise((resolve) => {
    fail = resolve;
  });
  const asked = vi.fn(async () => Response.json({}));
  vi.stubGlobal("fetch", asked);
  const { watchErrors } = await import("@/packages/sentry/src/browser/first-load/watch-errors");
  const queue = await import("@/packages/sentry/src/browser/first-load/error-queue");
  watchErrors({});
  queue.queueError(new Error("brings the SDK"));
  queue.enter("off", queue.takeErrors);
  fail();
  await vi.waitFor(() => expect(sdk.tries).toBe(1));
  await new Promise((resolve) => setTimeout(resolve));
  queue.queueError(new Error("after it was closed"));
  expect([queue.state, asked.mock.calls, Object.keys(localStorage)]).toEqual(["off", [], []]);
  vi.unstubAllGlobals();
});
