import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { takeErrors } from "@/lib/sentry/src/browser/first-load/error-queue";
import { watchErrors } from "@/lib/sentry/src/browser/first-load/watch-errors";

const sdk = vi.hoisted(() => ({ loads: 0 }));

// A script that is still loading when the page ends.
vi.mock("@/lib/sentry/src/browser/sdk/sdk", () => ({
  start: () => {
    sdk.loads++;
    return new Promise(() => {});
  },
}));

const beacons: string[] = [];

beforeAll(() => {
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  Object.assign(navigator, {
    sendBeacon: (_url: string, body: string) => beacons.push(body) > 0,
  });
  // The document has no first script here.
  watchErrors();
});

beforeEach(() => {
  beacons.length = 0;
});

function rejection(reason: unknown): PromiseRejectionEvent {
  return Object.assign(new Event("unhandledrejection"), { reason }) as PromiseRejectionEvent;
}

test.each([
  ["an error of a foreign script", new ErrorEvent("error", { message: "Script error." })],
  [
    "a notice about sizes",
    new ErrorEvent("error", {
      message: "ResizeObserver loop completed with undelivered notifications.",
    }),
  ],
  [
    "an aborted request",
    rejection(new DOMException("signal is aborted without reason", "AbortError")),
  ],
  [
    "a cancelled navigation",
    rejection(Object.assign(new Error("Route Cancelled"), { cancelled: true })),
  ],
  [
    "an error of an extension",
    rejection(Object.assign(new Error("x"), { stack: "at f (chrome-extension://abc/a.js:1:2)" })),
  ],
])("%s is not queued and brings no SDK", (_what, event) => {
  dispatchEvent(event);
  expect(takeErrors()).toEqual([]);
  expect(sdk.loads).toBe(0);
});

test("a page that is rendered ahead brings no SDK before it is shown", async () => {
  Object.assign(document, { prerendering: true });
  dispatchEvent(rejection(new Error("ahead")));
  await import("@/lib/sentry/src/browser/sdk/sdk");
  expect(sdk.loads).toBe(0);
  Object.assign(document, { prerendering: false });
  document.dispatchEvent(new Event("prerenderingchange"));
  await vi.waitFor(() => expect(sdk.loads).toBe(1));
  expect(takeErrors()).toMatchObject([{ error: { message: "ahead" } }]);
});

test("a promise library's own event is read as the SDK reads it", () => {
  const reason = new Error("of a library");
  dispatchEvent(new CustomEvent("unhandledrejection", { detail: { reason, promise: {} } }));
  expect(takeErrors()).toMatchObject([{ error: reason }]);
});

test("an error of a page that is being left is sent at once, without the SDK", async () => {
  dispatchEvent(new Event("pagehide"));
  dispatchEvent(rejection(new Error("left")));
  expect(beacons).toEqual([expect.stringContaining("left")]);
  dispatchEvent(new Event("pageshow"));
  dispatchEvent(rejection(new Error("back again")));
  expect(takeErrors()).toHaveLength(1);
  expect(beacons).toHaveLength(1);
});
