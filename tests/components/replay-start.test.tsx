import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClientOptions } from "@/lib/reporting/browser/sdk/client-options";

type Json = Record<string, unknown>;
/** What is sent, as far as these tests read it. */
interface Sent extends Json {
  event_id: string;
  message?: string;
  tags: Json;
  breadcrumbs?: Json[];
  exception?: { values: { type: string; value: string; stacktrace?: object }[] };
}

const config = vi.hoisted(() => ({ options: {} as ClientOptions }));
vi.mock("@/sentry.client.config", () => config);

let Sentry: typeof import("@/lib/sentry/browser");
let report: typeof import("@/lib/reporting/browser/first-load/report-error");
/** Starts the SDK itself, and hands over what waits. */
let start: () => Promise<void>;
/** The events that have reached the tunnel, in order. */
let events: Sent[];

beforeEach(async () => {
  events = [];
  localStorage.clear();
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  const settings = { release: "1", environment: "test", tracesSampleRate: 0 };
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit = {}) => {
    if (url.endsWith("/api/settings")) return Response.json(settings);
    const [, header, payload] = String(body).split("\n");
    if (/"type":"(event|feedback)"/.test(header ?? "")) events.push(JSON.parse(payload ?? ""));
    return Response.json({});
  });
  vi.resetModules();
  report = await import("@/lib/reporting/browser/first-load/report-error");
  Sentry = await import("@/lib/sentry/browser");
  const sdk = await import("@/lib/reporting/browser/sdk/sdk");
  start = () => sdk.start([]);
});

afterEach(() => {
  vi.unstubAllGlobals();
  config.options = {};
  // The SDK's scopes and client: another test begins without them.
  Reflect.deleteProperty(globalThis, "__SENTRY__");
});

const titles = () =>
  events.map(({ message, exception }) => message ?? exception?.values.at(-1)?.value);

/** An object that can't even be asked for its type. */
function unreadable(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test("what the SDK can't read leaves in the smallest form, and the others are not lost with it", async () => {
  const before = Sentry.captureMessage("before");
  const early = Sentry.captureException(unreadable(), { tags: { area: "cart" } });
  const after = Sentry.captureMessage("after");
  await start();
  await vi.waitFor(() => expect(events).toHaveLength(3));
  expect(events.map(({ event_id }) => event_id).sort()).toEqual([before, early, after].sort());
  expect(events.find(({ event_id }) => event_id === early)?.tags).toEqual({ area: "cart" });
  const late = Sentry.captureException(unreadable());
  Sentry.captureMessage("the last");
  await vi.waitFor(() => expect(events).toHaveLength(5));
  expect(events.map(({ event_id }) => event_id)).toContain(late);
  expect(titles()).toContain("the last");
});

test("a beforeBreadcrumb that throws costs its breadcrumb alone, as in Sentry's SDK", async () => {
  config.options.beforeBreadcrumb = (crumb, hint) =>
    crumb.message === "by hand" && (hint as { event: Event }).event.type === "click" ? null : crumb;
  Sentry.addBreadcrumb({ message: "by hand" });
  Sentry.addBreadcrumb({ message: "kept" });
  Sentry.captureMessage("with breadcrumbs");
  await start();
  await vi.waitFor(() => expect(titles()).toEqual(["with breadcrumbs"]));
  expect(events[0]?.breadcrumbs?.map(({ message }) => message)).toEqual(["kept"]);
  expect(Sentry.getClient()).toBeDefined();
});

test("an error that can't be given a cause is reported without its components", async () => {
  const { capture } = await import("@/lib/sentry/capture");
  capture({ error: Object.preventExtensions(new Error("closed")), componentStack: "at Cart" });
  await start();
  await vi.waitFor(() => expect(titles()).toEqual(["closed"]));
  // By the SDK itself.
  expect(events[0]).toHaveProperty("sdk.name");
});

test("a listener that throws does not have its capture taken for the next error's", async () => {
  report.onErrorQueued(() => {
    throw new Error("listener");
  });
  expect(() => Sentry.captureMessage("first")).toThrow("listener");
  report.onErrorQueued(() => {});
  report.captureException(new Error("second"), "boundary");
  expect(report.takeErrors().map(({ context }) => context?.captured)).toEqual([
    { message: "first", level: undefined },
    {},
  ]);
});

test("what is dropped early is not taken for a later event", async () => {
  config.options.ignoreErrors = ["dropped"];
  const dropped = Sentry.captureMessage("a dropped message");
  const message = "a dropped error";
  report.captureException(undefined, "event", new ErrorEvent("error", { message }));
  await start();
  window.onerror?.("thrown by a script that gives no error", "/a.js", 1, 1);
  await vi.waitFor(() => expect(titles()).toEqual(["thrown by a script that gives no error"]));
  expect(events[0]?.event_id).not.toBe(dropped);
  expect(events[0]?.event_id).toBe(Sentry.lastEventId());
});

test("the last event's id is that of an uncaught error, before the SDK has it and after", async () => {
  const id = report.captureException(
    "a text",
    "event",
    new ErrorEvent("error", { error: "a text" }),
  );
  expect(Sentry.lastEventId()).toBe(id);
  await start();
  await vi.waitFor(() => expect(events.map(({ event_id }) => event_id)).toEqual([id]));
  expect(Sentry.lastEventId()).toBe(id);
});

test("what a hook captures meanwhile does not take the moment of what is handed over", async () => {
  let nested = "";
  config.options.beforeBreadcrumb = (crumb) => {
    if (crumb.message === "by hand") nested = Sentry.captureMessage("nested");
    Object.assign(window, { __NEXT_DATA__: { page: "/later" } });
    return crumb;
  };
  const kept = Sentry.getCurrentScope().clone();
  kept.addBreadcrumb({ message: "by hand" });
  await start();
  const outer = kept.captureMessage("outer");
  await vi.waitFor(() => expect(events).toHaveLength(2));
  expect(events).toMatchObject([
    { message: "nested", event_id: nested },
    { message: "outer", event_id: outer, transaction: "/server" },
  ]);
});

test("an error that the SDK has caught itself, and then a boundary, has one id", async () => {
  await start();
  const reason = new Error("rejected, then thrown");
  window.onunhandledrejection?.(
    Object.assign(new Event("unhandledrejection"), { reason }) as never,
  );
  await vi.waitFor(() => expect(titles()).toEqual(["rejected, then thrown"]));
  expect(report.captureException(reason, "boundary")).toBe(events[0]?.event_id);
  Sentry.captureMessage("after it");
  await vi.waitFor(() => expect(titles()).toEqual(["rejected, then thrown", "after it"]));
});

test("many messages keep out neither feedback nor an error once the SDK runs", async () => {
  const many = (text: string) => {
    for (let n = 0; n < 55; n++) Sentry.captureMessage(text);
  };
  many("early");
  await start();
  many("late");
  const error = report.captureException(new Error("in render"), "boundary");
  const feedback = Sentry.captureFeedback({ message: "late words", associatedEventId: error });
  await vi.waitFor(() => expect(events.map(({ event_id }) => event_id)).toContain(feedback));
  expect(events.map(({ event_id }) => event_id)).toContain(error);
  expect(titles().filter((title) => title === "early" || title === "late")).toHaveLength(50);
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

test("beforeBreadcrumb sees each breadcrumb once, however many reports have it", async () => {
  config.options.beforeBreadcrumb = (crumb) => {
    if (crumb.data) crumb.data.seen = Number(crumb.data.seen ?? 0) + 1;
    crumb.message += "!";
    return crumb;
  };
  Sentry.addBreadcrumb({ message: "by hand", data: {} });
  for (const message of ["first", "second"]) Sentry.captureMessage(message);
  await start();
  Sentry.captureMessage("third");
  await vi.waitFor(() => expect(titles()).toEqual(["first", "second", "third"]));
  for (const { breadcrumbs = [] } of events) {
    const byHand = breadcrumbs.filter(({ message }) => String(message).startsWith("by hand"));
    expect(byHand).toMatchObject([{ message: "by hand!", data: { seen: 1 } }]);
  }
});
