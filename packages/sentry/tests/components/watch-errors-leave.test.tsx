import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { takeErrors } from "@/packages/sentry/src/browser/first-load/error-queue";
import { thrownOf } from "@/packages/sentry/src/browser/first-load/thrown";
import { watchErrors } from "@/packages/sentry/src/browser/first-load/watch-errors";

const sdk = vi.hoisted(() => ({ loads: 0 }));

// A script that is still loading when the page ends.
vi.mock("@/packages/sentry/src/browser/sdk/start", () => ({
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
  // The document has no first script here. What waits until the page has settled would outlive it.
  vi.useFakeTimers();
  watchErrors({});
  vi.useRealTimers();
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
  await import("@/packages/sentry/src/browser/sdk/start");
  expect(sdk.loads).toBe(0);
  Object.assign(document, { prerendering: false });
  document.dispatchEvent(new Event("prerenderingchange"));
  await vi.waitFor(() => expect(sdk.loads).toBe(1));
  expect(takeErrors()).toMatchObject([{ error: { message: "ahead" } }]);
});

test("a promise library's own event is read as the SDK reads it", () => {
  const reason = new Error("of a library");
  dispatchEvent(new CustomEvent("unhandledrejection", { detail: { reason, promise: {} } }));
  const mechanism = { type: "auto.browser.global_handlers.onunhandledrejection", handled: false };
  expect(takeErrors()).toMatchObject([{ error: reason, hint: { mechanism } }]);
});

test("an error is no older than the breadcrumb of the same millisecond", () => {
  const clocks = [
    vi.spyOn(Date, "now").mockReturnValue(1000),
    vi.spyOn(performance, "now").mockReturnValue(500.9),
  ];
  const event = Object.defineProperty(rejection(new Error("x")), "timeStamp", { value: 500.4 });
  dispatchEvent(event);
  for (const clock of clocks) clock.mockRestore();
  expect(takeErrors()).toMatchObject([{ at: 1000 }]);
});

test.each<[string, unknown]>([
  ["a text", "x"],
  ["nothing", null],
  ["an object", { error: new Error("inner"), message: "of a player" }],
])(
  "a component's own event of the name error with %s in it is told as what it is, as the SDK does",
  (_, detail) => {
    const event = new CustomEvent("error", { detail, bubbles: true });
    document.body.dispatchEvent(event);
    const [reported, ...others] = takeErrors();
    expect(others).toEqual([]);
    expect(reported?.error).toBe(event);
    expect(thrownOf(event, event as unknown as ErrorEvent).value).toBe(
      "Event `CustomEvent` (type=error) captured as exception",
    );
  },
);

test("what our own listeners throw is no error of the app's", () => {
  const faults = vi.fn();
  addEventListener("error", faults);
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  dispatchEvent(new CustomEvent("error", { detail: proxy }));
  // A field of that name in a form takes the place of its method.
  document.body.innerHTML = '<form><input name="getAttribute"></form>';
  const heard = vi.fn();
  document.querySelector("form")?.addEventListener("click", heard);
  document.querySelector("input")?.click();
  expect(heard).toHaveBeenCalled();
  expect(faults.mock.calls.filter(([event]) => event instanceof ErrorEvent)).toEqual([]);
  expect(takeErrors()).toEqual([]);
  info.mockRestore();
  removeEventListener("error", faults);
  document.body.innerHTML = "";
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

test("a browser with broken parts has its errors reported by what is left", async () => {
  vi.resetModules();
  class OldError extends Error {}
  vi.stubGlobal("Error", Object.freeze(OldError));
  vi.stubGlobal("crypto", undefined);
  vi.stubGlobal("localStorage", undefined);
  vi.stubGlobal("sessionStorage", undefined);
  const { watchErrors: watch } = await import(
    "@/packages/sentry/src/browser/first-load/watch-errors"
  );
  const queue = await import("@/packages/sentry/src/browser/first-load/error-queue");
  const { sendWithoutSdk } = await import("@/packages/sentry/src/browser/first-load/without-sdk");
  vi.useFakeTimers();
  watch({});
  vi.useRealTimers();
  const ids = [1, 2].map((n) => queue.queueError(new OldError(`${n}`)));
  expect(new Set(ids).size).toBe(2);
  expect(ids.join()).toMatch(/^[0-9a-f]{32},[0-9a-f]{32}$/);
  const sent: string[] = [];
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  sendWithoutSdk((envelope) => {
    sent.push(envelope);
    if (sent.length === 1) throw new OldError("can't be sent");
  });
  expect(sent).toEqual(ids.map((id) => expect.stringContaining(id)));
  info.mockRestore();
  vi.unstubAllGlobals();
});
