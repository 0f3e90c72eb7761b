import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClientOptions } from "@/packages/sentry/src/browser/client-options";

// Its timer would outlive the test.
vi.mock("@/packages/sentry/src/browser/first-load/page-load", async (original) => ({
  ...(await original<object>()),
  whenSettled: () => {},
}));

interface Sent {
  message: string;
  breadcrumbs?: { message?: string; category?: string; data?: object }[];
}

/** The events that have reached the tunnel, in order. */
let events: Sent[];
let Sentry: typeof import("@/packages/sentry/src/index.browser");

beforeEach(async () => {
  events = [];
  vi.resetModules();
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  const settings = { release: "1", environment: "test", tracesSampleRate: 0 };
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit = {}) => {
    if (url.includes("/settings")) return Response.json(settings);
    const [, header = "", payload = ""] = String(body).split("\n");
    if (header.includes('"type":"event"')) events.push(JSON.parse(payload));
    return Response.json({});
  });
  Sentry = await import("@/packages/sentry/src/index.browser");
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, "__SENTRY__");
});

const titles = () => events.map(({ message }) => message);

/** As a page does: what it captures then brings the SDK. */
const init = (options: ClientOptions) => void Sentry.init(options);

test("a beforeBreadcrumb that throws costs its breadcrumb alone, as in Sentry's SDK", async () => {
  init({
    beforeBreadcrumb: (crumb, hint) =>
      crumb.message === "by hand" && (hint as { event: Event }).event.type ? null : crumb,
  });
  expect(() => Sentry.addBreadcrumb({ message: "by hand" })).not.toThrow();
  Sentry.addBreadcrumb({ message: "kept" });
  Sentry.captureMessage("with breadcrumbs");
  await expect.poll(titles).toEqual(["with breadcrumbs"]);
  expect(events[0]?.breadcrumbs?.map(({ message }) => message)).toEqual(["kept"]);
});

test("beforeBreadcrumb sees each breadcrumb once, however many reports have it", async () => {
  init({
    beforeBreadcrumb(crumb) {
      if (crumb.data) crumb.data.seen = Number(crumb.data.seen ?? 0) + 1;
      crumb.message += "!";
      return crumb;
    },
  });
  Sentry.addBreadcrumb({ message: "by hand", data: {} });
  for (const message of ["first", "second"]) Sentry.captureMessage(message);
  await expect.poll(titles).toEqual(["first", "second"]);
  Sentry.captureMessage("third");
  await expect.poll(titles).toEqual(["first", "second", "third"]);
  for (const { breadcrumbs = [] } of events) {
    const byHand = breadcrumbs.filter(({ message }) => String(message).startsWith("by hand"));
    expect(byHand).toMatchObject([{ message: "by hand!", data: { seen: 1 } }]);
  }
});

test("an early capture has the breadcrumbs of its moment, however many came after it", async () => {
  init({});
  Sentry.addBreadcrumb({ message: "before" });
  Sentry.captureMessage("early");
  for (let n = 0; n < 150; n++) Sentry.addBreadcrumb({ message: `after ${n}` });
  await expect.poll(titles).toEqual(["early"]);
  const crumbs = events[0]?.breadcrumbs?.map(({ category, message }) => message ?? category);
  expect(crumbs).toEqual(["before"]);
});

test("before the SDK, as after it, there are as many breadcrumbs as the app wants, and null is one", async () => {
  init({ maxBreadcrumbs: 2 });
  const add = () => {
    for (const message of ["a", "b"]) Sentry.addBreadcrumb({ message });
    Sentry.addBreadcrumb(null as never);
  };
  add();
  Sentry.captureMessage("before");
  await expect.poll(titles).toEqual(["before"]);
  add();
  Sentry.captureMessage("after");
  await expect.poll(titles).toEqual(["before", "after"]);
  const messages = events.map(({ breadcrumbs = [] }) => breadcrumbs.map(({ message }) => message));
  expect(messages).toEqual([
    ["b", undefined],
    ["b", undefined],
  ]);
});

test("an early capture keeps the breadcrumbs of its moment, however few the app wants and many came later", async () => {
  init({ maxBreadcrumbs: 2 });
  Sentry.addBreadcrumb({ message: "before" });
  Sentry.captureMessage("early");
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 5000);
  for (let n = 0; n < 3; n++) document.body.click();
  vi.restoreAllMocks();
  await expect.poll(titles).toEqual(["early"]);
  expect(events[0]?.breadcrumbs).toMatchObject([{ message: "before" }]);
});

test("what a hook adds while an early capture is handed over stays, however few breadcrumbs the app wants", async () => {
  init({
    maxBreadcrumbs: 2,
    beforeSend(event) {
      if (event.message === "early") Sentry.addBreadcrumb({ message: "of the hook" });
      return event;
    },
  });
  for (const message of ["a", "b"]) Sentry.addBreadcrumb({ message });
  Sentry.captureMessage("early");
  await expect.poll(titles).toEqual(["early"]);
  Sentry.captureMessage("late");
  await expect.poll(titles).toEqual(["early", "late"]);
  expect(events[1]?.breadcrumbs).toMatchObject([{ message: "of the hook" }, { message: "early" }]);
});
