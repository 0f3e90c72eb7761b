import { Scope } from "@sentry/core";
import { render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClientOptions } from "@/packages/sentry/src/browser/client-options";

type Json = Record<string, unknown>;
/** What is sent, as far as these tests read it. */
interface Sent extends Json {
  event_id: string;
  message?: string;
  tags: Json;
  breadcrumbs?: Json[];
  exception?: { values: { type: string; value: string; stacktrace?: object }[] };
}

const config = { options: {} as ClientOptions };

let Sentry: typeof import("@/packages/sentry/src/browser/functions/calls") &
  Pick<
    typeof import("@/packages/sentry/src/index.browser"),
    "captureReactException" | "ErrorBoundary"
  >;
let report: typeof import("@/packages/sentry/src/browser/first-load/error-queue");
/** Starts the SDK itself, and hands over what waits. */
let start: () => Promise<void>;
/** The events that have reached the tunnel, in order. */
let events: Sent[];
/** And the logs and metrics. */
let items: Json[];
/** And the client reports. */
let discarded: Json[];
/** What the server says. */
let settings: Json;

/** Before the SDK wraps them. */
const warn = vi.spyOn(console, "warn");
const { addEventListener: listenUnheard } = EventTarget.prototype;

beforeEach(async () => {
  events = [];
  items = [];
  discarded = [];
  localStorage.clear();
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  settings = { release: "1", environment: "test", tracesSampleRate: 0 };
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit = {}) => {
    if (url.endsWith("/api/relay/settings?build=b")) return Response.json(settings);
    const [, header, payload] = String(body).split("\n");
    if (/"type":"(event|feedback)"/.test(header ?? "")) events.push(JSON.parse(payload ?? ""));
    if (header?.includes("client_report")) discarded.push(JSON.parse(payload ?? ""));
    if (/"type":"(log|trace_metric)"/.test(header ?? "")) {
      items.push(...JSON.parse(payload ?? "").items);
    }
    return Response.json({});
  });
  vi.resetModules();
  report = await import("@/packages/sentry/src/browser/first-load/error-queue");
  const { ErrorBoundary } = await import("@/packages/sentry/src/browser/functions/error-boundary");
  const { captureReactException } = await import(
    "@/packages/sentry/src/browser/first-load/captures"
  );
  const functions = await import("@/packages/sentry/src/browser/functions/calls");
  Sentry = { ...functions, captureReactException, ErrorBoundary };
  const sdk = await import("@/packages/sentry/src/browser/sdk/start");
  start = () => sdk.start([], config.options);
});

afterEach(() => {
  vi.unstubAllGlobals();
  config.options = {};
  // The SDK's scopes and client: another test begins without them.
  Reflect.deleteProperty(globalThis, "__SENTRY__");
});

const titles = () =>
  events.map(({ message, exception }) => message ?? exception?.values.at(-1)?.value);

/** An error that nobody catches. */
const uncaught = (error: unknown, message = "Uncaught") => {
  const mechanism = { type: "auto.browser.global_handlers.onerror", handled: false };
  const event = new ErrorEvent("error", { error, message });
  return report.queueError(error, mechanism, { event });
};

/** An object that can't even be asked for its type. */
function unreadable(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

// First, because the SDK looks once.
test("the SDK makes no iframe to look for the browser's own fetch, and leaves the page's as it is", async () => {
  const { watchRequests } = await import("@/packages/sentry/src/browser/first-load/requests");
  watchRequests(() => undefined);
  const { fetch } = window;
  const made = vi.spyOn(document, "createElement");
  // By it the SDK takes Node for a browser.
  Object.assign(process, { type: "renderer" });
  await start();
  Reflect.deleteProperty(process, "type");
  expect(made.mock.calls.flat()).not.toContain("iframe");
  made.mockRestore();
  expect(Object.hasOwn(fetch, "toString")).toBe(false);
  expect(window.fetch, "the SDK hears it all the same").not.toBe(fetch);
});

test("what the SDK can't read leaves in the smallest form, and the others are not lost with it", async () => {
  const before = Sentry.captureMessage("before");
  const early = Sentry.captureException(unreadable(), { tags: { area: "cart" } });
  const after = Sentry.captureMessage("after");
  await start();
  await vi.waitFor(() => expect(events).toHaveLength(3));
  expect(events.map(({ event_id }) => event_id).sort()).toEqual([before, early, after].sort());
  expect(events.find(({ event_id }) => event_id === early)?.tags).toEqual({ area: "cart" });
});

test("what is captured whole before the SDK is alike or not by its words, as with it", async () => {
  const different = Array.from({ length: 21 }, (_, n) => "x".repeat(n + 1));
  for (const message of different) {
    Sentry.captureEvent({ logentry: { message } });
    Sentry.captureFeedback({ message: `feedback ${message}` });
  }
  const exception = { values: [{ type: "Own", value: "alike" }] };
  for (const _ of different) Sentry.captureEvent({ exception });
  await start();
  await vi.waitFor(() => expect(events).toHaveLength(21 + 21 + 20));
  expect(report.dropped).toBe(1);
});

test("what was captured before the SDK is a breadcrumb of what comes later", async () => {
  const early = Sentry.captureMessage("early");
  await start();
  await vi.waitFor(() => expect(titles()).toEqual(["early"]));
  Sentry.captureMessage("later");
  await vi.waitFor(() => expect(titles()).toEqual(["early", "later"]));
  expect(events[1]?.breadcrumbs).toContainEqual(
    expect.objectContaining({ category: "sentry.event", event_id: early, message: "early" }),
  );
});

test("the click whose handler throws is a breadcrumb of its error, once, however early the handler listens", async () => {
  const { watchErrors } = await import("@/packages/sentry/src/browser/first-load/watch-errors");
  vi.useFakeTimers();
  watchErrors({});
  vi.useRealTimers();
  // As React listens: at its root, and before the SDK is there.
  document.body.innerHTML = '<div id="root"><button id="pay">Pay</button></div>';
  const faults = vi.spyOn(console, "error").mockImplementation(() => {});
  const root = document.querySelector("#root") as Element;
  listenUnheard.call(root, "click", () => {
    throw new Error("in a handler");
  });
  await start();
  document.querySelector("button")?.click();
  await vi.waitFor(() => expect(titles()).toEqual(["in a handler"]));
  faults.mockRestore();
  const clicks = events[0]?.breadcrumbs?.filter(({ category }) => category === "ui.click");
  expect(clicks?.map(({ message }) => message)).toEqual(["body > div#root > button#pay"]);
  document.body.innerHTML = "";
});

test("a boundary's error and that of React's own handler bring their components and their hint, before the SDK and after", async () => {
  const capture = (message: string) =>
    Sentry.captureReactException(
      new Error(message),
      { componentStack: "\n    at Cart (http://localhost/cart.js:1:1)" },
      {
        captureContext: { tags: { area: message } },
        mechanism: { type: "mine", handled: false },
      },
    );
  const early = capture("early");
  await start();
  const late = capture("late");
  await vi.waitFor(() => expect(titles()).toEqual(["early", "late"]));
  expect(events.map(({ event_id }) => event_id)).toEqual([early, late]);
  for (const { exception, tags, message } of events) {
    const [components, error] = exception?.values ?? [];
    expect(components).toMatchObject({ type: "React ErrorBoundary Error", value: error?.value });
    expect(components?.stacktrace).toMatchObject({ frames: [{ function: "Cart" }] });
    expect(error).toMatchObject({ mechanism: { type: "mine", handled: false } });
    expect(tags).toMatchObject({ area: error?.value });
    expect(message).toBeUndefined();
  }
});

test("an error that can't be given a cause is reported without its components", async () => {
  const silent = vi.spyOn(console, "error").mockImplementation(() => {});
  const Cart = () => {
    throw Object.preventExtensions(new Error("closed"));
  };
  render(
    <Sentry.ErrorBoundary>
      <Cart />
    </Sentry.ErrorBoundary>,
  );
  silent.mockRestore();
  await start();
  await vi.waitFor(() => expect(titles()).toEqual(["closed"]));
  // By the SDK itself.
  expect(events[0]).toHaveProperty("sdk.name");
});

test("what is dropped early is not taken for a later event", async () => {
  config.options.ignoreErrors = ["dropped"];
  const dropped = Sentry.captureMessage("a dropped message");
  uncaught(undefined, "a dropped error");
  await start();
  uncaught(undefined, "thrown by a script that gives no error");
  await vi.waitFor(() => expect(titles()).toEqual(["thrown by a script that gives no error"]));
  expect(events[0]?.event_id).not.toBe(dropped);
  expect(events[0]?.event_id).toBe(Sentry.lastEventId());
});

test("the last event's id is that of an uncaught error, before the SDK has it and after", async () => {
  const id = uncaught("a text");
  expect(Sentry.lastEventId()).toBe(id);
  await start();
  await vi.waitFor(() => expect(events.map(({ event_id }) => event_id)).toEqual([id]));
  expect(Sentry.lastEventId()).toBe(id);
});

test("what was captured early has the global scope of its moment, with what the SDK adds", async () => {
  config.options.initialScope = { tags: { init: "yes", cart: "empty" } };
  const scope = Sentry.getGlobalScope();
  scope.setTag("cart", "full").setUser({ id: "7" });
  scope.addEventProcessor((event) => ({ ...event, extra: { processed: true } }));
  Sentry.captureMessage("early");
  scope.setTag("cart", undefined).setUser(null).setTag("later", "yes");
  await start();
  Sentry.captureMessage("late");
  await vi.waitFor(() => expect(titles()).toEqual(["early", "late"]));
  const [early, late] = events;
  expect(early).toMatchObject({ tags: { cart: "full", init: "yes" }, user: { id: "7" } });
  expect(early).toMatchObject({ extra: { processed: true }, contexts: { react: {} } });
  expect(early?.tags).not.toHaveProperty("later");
  expect(late?.tags).toMatchObject({ later: "yes", init: "yes" });
  expect(late).not.toHaveProperty("user.id");
});

test("the name that the app gives a scope is the event's, before the SDK and after", async () => {
  settings.tracesSampleRate = 1;
  const capture = () =>
    Sentry.withScope((scope) => {
      Sentry.captureMessage("of the page");
      Sentry.captureEvent({ message: "with a name", transaction: "own" });
      scope.setTransactionName("checkout");
      Sentry.captureMessage("of the checkout");
    });
  capture();
  await start();
  capture();
  await vi.waitFor(() => expect(events).toHaveLength(6));
  const names = events.map(({ message, transaction }) => [message, transaction]);
  expect(names.slice(3)).toEqual(names.slice(0, 3));
  expect(names.slice(0, 3)).toEqual([
    ["of the page", "/server"],
    ["with a name", "/server"],
    ["of the checkout", "checkout"],
  ]);
});

test("what a hook captures meanwhile does not take the moment of what is handed over", async () => {
  let nested = "";
  const outer = Sentry.withScope((scope) => {
    scope.addEventProcessor((event) => {
      Object.assign(window, { __NEXT_DATA__: { page: "/later" } });
      if (event.message === "outer") nested = Sentry.captureMessage("nested");
      return event;
    });
    return Sentry.captureMessage("outer");
  });
  await start();
  await vi.waitFor(() => expect(events).toHaveLength(2));
  expect(events).toMatchObject([
    { message: "nested", event_id: nested },
    { message: "outer", event_id: outer, transaction: "/server" },
  ]);
});

test("an error that was captured, and then comes to a boundary, has one id", async () => {
  await start();
  const error = new Error("captured, then thrown");
  const id = Sentry.captureException(error);
  expect(report.queueError(error)).toBe(id);
  Sentry.captureMessage("after it");
  await vi.waitFor(() => expect(titles()).toEqual(["captured, then thrown", "after it"]));
});

test("many messages keep out neither feedback nor an error once the SDK runs", async () => {
  const many = (text: string) => {
    for (let n = 0; n < 55; n++) Sentry.captureMessage(text);
  };
  many("early");
  await start();
  many("late");
  const error = report.queueError(new Error("in render"));
  const feedback = Sentry.captureFeedback({ message: "late words", associatedEventId: error });
  await vi.waitFor(() => expect(events.map(({ event_id }) => event_id)).toContain(feedback));
  expect(events.map(({ event_id }) => event_id)).toContain(error);
  expect(titles().filter((title) => title === "early" || title === "late")).toHaveLength(40);
});

test("how many were too many is told as the page is left", async () => {
  await start();
  for (let n = 0; n < 30; n++) uncaught(new Error(`loop ${n}`));
  dispatchEvent(new Event("pagehide"));
  const lost = [{ reason: "queue_overflow", category: "error", quantity: 10 }];
  // A page of an earlier test may be left, too.
  await vi.waitFor(() =>
    expect(discarded).toContainEqual(expect.objectContaining({ discarded_events: lost })),
  );
  expect(titles().filter((title) => title?.startsWith("loop"))).toHaveLength(20);
});

test("a scope that was kept from before the SDK is used as one of its own", async () => {
  const kept = Sentry.getCurrentScope().clone();
  const root = Sentry.getCurrentScope();
  kept.setTag("from", "before");
  await start();
  kept.setTag("early", "yes");
  Sentry.withScope(kept, (scope) => {
    scope.setTag("inside", "yes");
    Sentry.captureMessage("first");
  });
  kept.setTag("late", "yes");
  Sentry.withScope(kept, () => Sentry.captureMessage("second"));
  root.setTag("on", "root");
  Sentry.withScope(root, () => Sentry.captureMessage("third"));
  expect(Sentry.startSpan({ name: "a span", scope: kept }, () => "done")).toBe("done");
  expect(Sentry.startSpanManual({ name: "a span", scope: kept }, () => "done")).toBe("done");
  expect(Sentry.startInactiveSpan({ name: "a span", scope: kept })).toBeDefined();
  Sentry.logger.info("a log", {}, { scope: kept });
  Sentry.metrics.count("a metric", 1, { scope: kept });
  await vi.waitFor(() => expect(titles()).toEqual(["first", "second", "third"]));
  const tags = { side: "browser", route: "/server", from: "before", early: "yes", inside: "yes" };
  expect(events.map((event) => event.tags)).toEqual([
    tags,
    { ...tags, late: "yes" },
    { side: "browser", route: "/server", on: "root" },
  ]);
});

test("logs and metrics from before the SDK have order and scope of their moment, a hundred of them", async () => {
  Sentry.withScope((scope) => {
    scope.setAttribute("cart", "full");
    Sentry.metrics.gauge("free", 3, { unit: "seat" });
    Sentry.logger.info("log 1");
  });
  for (let n = 2; n <= 100; n++) Sentry.logger.warn(`log ${n}`, { n });
  await start();
  Sentry.logger.info("late");
  await Sentry.flush();
  const [gauge] = items.filter(({ name }) => name);
  const logs = items.filter(({ body }) => body);
  const attributes = { cart: { value: "full" } };
  expect(gauge).toMatchObject({ name: "free", value: 3, unit: "seat", attributes });
  const bodies = Array.from({ length: 99 }, (_, n) => `log ${n + 1}`);
  expect(logs.map(({ body }) => body)).toEqual([...bodies, "late"]);
  expect(logs[0]).toMatchObject({ level: "info", attributes });
  expect(logs[98]).toMatchObject({ level: "warn", attributes: { n: { value: 99 } } });
  expect(logs[98]?.attributes).not.toHaveProperty("cart");
});

test("functions that a page brings after the SDK are the SDK's at once", async () => {
  vi.resetModules();
  Reflect.deleteProperty(globalThis, "__SENTRY__");
  await (await import("@/packages/sentry/src/browser/sdk/start")).start([]);
  const late = await import("@/packages/sentry/src/browser/functions/calls");
  const id = late.captureMessage("of a later page");
  await vi.waitFor(() => expect(titles()).toEqual(["of a later page"]));
  expect(events[0]?.event_id).toBe(id);
  expect(late.getClient()).toBeDefined();
});

test("callbacks that have not settled as the SDK starts keep nothing from it", async () => {
  config.options.initialScope = { tags: { init: "yes" } };
  warn.mockClear();
  const ends: (() => void)[] = [];
  const spans = ["outer", "inner"].map((name) =>
    Sentry.startSpan({ name }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await start();
  ends[1]?.();
  await spans[1];
  uncaught(new Error("that nobody catches"));
  Sentry.logger.info("a log");
  ends[0]?.();
  await spans[0];
  Sentry.captureMessage("afterwards");
  await Sentry.flush();
  await vi.waitFor(() => expect(titles()).toEqual(["that nobody catches", "afterwards"]));
  expect(events).toMatchObject([{ tags: { init: "yes" } }, { tags: { init: "yes" } }]);
  expect(items).toMatchObject([{ body: "a log" }]);
  expect(warn).not.toHaveBeenCalled();
});

const fails = () => {
  throw new Error("in the team's options");
};

test.each<[string, ClientOptions]>([
  ["initialScope", { initialScope: fails }],
  ["an integration", { integrations: [{ name: "Own", setup: fails }] }],
])("an SDK that can't start, by %s, leaves what comes later to the page", async (_what, given) => {
  config.options = given;
  await expect(start()).rejects.toThrow("in the team's options");
  const { sendFromPage, sendWithoutSdk } = await import(
    "@/packages/sentry/src/browser/first-load/without-sdk"
  );
  report.enter("loading", () => sendWithoutSdk(sendFromPage));
  const id = Sentry.captureMessage("afterwards");
  const error = uncaught(new Error("that nobody catches"));
  Sentry.captureMessage("last");
  await vi.waitFor(() => expect(events.at(-1)?.message).toBe("last"));
  expect(events.slice(0, -1).map(({ event_id }) => event_id)).toEqual([id, error]);
});

test("initialScope may be a scope of the SDK's", async () => {
  config.options.initialScope = new Scope().setTag("init", "yes");
  Sentry.captureMessage("early");
  await start();
  Sentry.captureMessage("late");
  await vi.waitFor(() => expect(titles()).toEqual(["early", "late"]));
  expect(events).toMatchObject([{ tags: { init: "yes" } }, { tags: { init: "yes" } }]);
});

test("a context of the name flags costs neither an early report nor a late one", async () => {
  Sentry.setContext("flags", { beta: true });
  Sentry.captureMessage("early");
  Sentry.logger.info("an early log");
  await start();
  Sentry.captureMessage("late");
  Sentry.logger.info("a late log");
  await Sentry.flush();
  await vi.waitFor(() => expect(titles()).toEqual(["early", "late"]));
  const contexts = { flags: { beta: true } };
  expect(events).toMatchObject([{ contexts }, { contexts }]);
  expect(items).toMatchObject([{ body: "an early log" }, { body: "a late log" }]);
});

test("an early capture has the feature flags of its moment", async () => {
  const { featureFlagsIntegration } = await import("@/packages/sentry/src/browser/functions/names");
  const { addFeatureFlag } = featureFlagsIntegration();
  addFeatureFlag("before", true);
  Sentry.captureMessage("early");
  addFeatureFlag("after", true);
  await start();
  await vi.waitFor(() => expect(titles()).toEqual(["early"]));
  const values = [{ flag: "before", result: true }];
  expect(events).toMatchObject([{ contexts: { flags: { values } } }]);
});

test("the team's tracesSampler is asked in a visit that is sampled", async () => {
  const asked: string[] = [];
  config.options = {
    tracesSampler({ name }) {
      asked.push(name);
      return 0;
    },
  };
  settings.tracesSampleRate = 1;
  await start();
  expect(asked).toEqual(["/server"]);
  expect(Sentry.getActiveSpan()?.isRecording()).toBe(false);
});

test("an integration of the app's whose setup throws takes nothing else along", async () => {
  Sentry.addIntegration({
    name: "Broken",
    setup() {
      throw new Error("in setup");
    },
  });
  Sentry.logger.info("a log from before");
  Sentry.captureMessage("from before");
  await start();
  expect(titles()).toContain("from before");
  await Sentry.flush(1000);
  expect(items).toMatchObject([{ body: "a log from before" }]);
});

test("on a page without fetch, an error from before the SDK and one from after it leave by beacon", async () => {
  const beacons: string[] = [];
  vi.stubGlobal("fetch", undefined);
  Object.assign(navigator, { sendBeacon: (_url: string, body: string) => beacons.push(body) > 0 });
  vi.resetModules();
  report = await import("@/packages/sentry/src/browser/first-load/error-queue");
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  uncaught(new Error("without fetch, early"));
  await start([], {});
  uncaught(new Error("without fetch, later"));
  for (const when of ["early", "later"])
    await vi.waitFor(() => expect(beacons.join()).toContain(`without fetch, ${when}`));
  Reflect.deleteProperty(navigator, "sendBeacon");
});
