import type * as Sentry from "@signpost/sentry";
import type { Page } from "playwright/test";
import { test as base, expect } from "../support/app";
import { open } from "../support/navigation";
import { blockSdk, holdSdk } from "../support/sdk-scripts";
import { type App, startApp } from "../support/server";
import { type Service, startService } from "../support/service";

type Json = Record<string, unknown>;

/** Every function of packages/sentry in the browser, as its page calls it and as the service gets it. */
interface Row {
  name: string;
  /** In the page; gives the id that it got, if the function gives one. */
  call: () => string | undefined;
  /** The type of its item, if it is no event. */
  type?: "feedback" | "log" | "trace_metric" | "transaction";
  /** Of the event, or of one of the item's entries. */
  expected: object;
  /** What leaves a page without the SDK, if it is not the same; false, nothing. */
  left?: object | false;
}

declare const window: { Sentry: typeof Sentry };

const sentAs = (name: string, value: unknown) => ({
  attributes: expect.objectContaining({ [name]: expect.objectContaining({ value }) }),
});

const rows: Row[] = [
  {
    name: "captureException",
    call: () => window.Sentry.captureException(new RangeError("caught")),
    expected: {
      level: "error",
      exception: {
        values: [
          expect.objectContaining({
            type: "RangeError",
            value: "caught",
            mechanism: expect.objectContaining({ type: "generic", handled: true }),
          }),
        ],
      },
    },
  },
  {
    name: "captureException with a context",
    call: () =>
      window.Sentry.captureException(new Error("in a context"), {
        level: "fatal",
        tags: { tenant: "acme" },
        extra: { cart: { items: 3 } },
        contexts: { order: { number: 7 } },
        user: { id: "ann" },
        fingerprint: ["of", "my", "own"],
      }),
    expected: {
      level: "fatal",
      tags: { tenant: "acme" },
      extra: expect.objectContaining({ cart: { items: 3 } }),
      contexts: expect.objectContaining({ order: { number: 7 } }),
      user: { id: "ann" },
      fingerprint: ["of", "my", "own"],
    },
  },
  {
    name: "captureMessage",
    call: () => window.Sentry.captureMessage("a message"),
    expected: { message: "a message", level: "info" },
  },
  {
    name: "captureMessage with a level",
    call: () => window.Sentry.captureMessage("a warning", "warning"),
    expected: { message: "a warning", level: "warning" },
  },
  {
    name: "captureEvent",
    call: () =>
      window.Sentry.captureEvent({
        message: "an event",
        level: "debug",
        tags: { made: "by hand" },
        timestamp: 1_700_000_000,
      }),
    expected: {
      message: "an event",
      level: "debug",
      tags: { made: "by hand" },
      timestamp: 1_700_000_000,
    },
  },
  {
    name: "captureFeedback",
    call: () =>
      window.Sentry.captureFeedback({
        message: "It hangs",
        name: "Ann",
        email: "ann@example.com",
        associatedEventId: "a".repeat(32),
      }),
    type: "feedback",
    expected: {
      contexts: expect.objectContaining({
        feedback: expect.objectContaining({
          message: "It hangs",
          name: "Ann",
          contact_email: "ann@example.com",
          associated_event_id: "a".repeat(32),
        }),
      }),
    },
  },
  {
    name: "addBreadcrumb",
    call: () => {
      window.Sentry.addBreadcrumb({ category: "cart", message: "put something in" });
      return window.Sentry.captureMessage("with a breadcrumb");
    },
    expected: {
      breadcrumbs: expect.arrayContaining([
        expect.objectContaining({ category: "cart", message: "put something in" }),
      ]),
    },
  },
  {
    name: "setUser, setTag, setTags, setContext, setExtra, setExtras",
    call: () => {
      window.Sentry.setUser({ id: "bob", email: "bob@example.com" });
      window.Sentry.setTag("one", "1");
      window.Sentry.setTags({ two: "2", three: 3 });
      window.Sentry.setContext("shop", { name: "corner" });
      window.Sentry.setContext("gone", { name: "x" });
      window.Sentry.setContext("gone", null);
      window.Sentry.setExtra("four", 4);
      window.Sentry.setExtras({ five: [5] });
      return window.Sentry.captureMessage("with a scope");
    },
    expected: {
      user: { id: "bob" },
      tags: { one: "1", two: "2", three: 3 },
      contexts: expect.objectContaining({ shop: { name: "corner" } }),
      extra: expect.objectContaining({ four: 4, five: [5] }),
    },
  },
  {
    name: "withScope",
    call: () => {
      window.Sentry.setTag("where", "outside");
      return window.Sentry.withScope((scope) => {
        scope.setTag("where", "inside").setLevel("warning").setFingerprint(["scoped"]);
        scope.setUser({ id: "carol" }).addBreadcrumb({ message: "in the scope" });
        return window.Sentry.captureException(new Error("scoped"));
      });
    },
    expected: {
      tags: { where: "inside" },
      level: "warning",
      fingerprint: ["scoped"],
      user: { id: "carol" },
      breadcrumbs: expect.arrayContaining([expect.objectContaining({ message: "in the scope" })]),
    },
  },
  {
    name: "after withScope",
    call: () => {
      window.Sentry.setTag("where", "outside");
      window.Sentry.withScope((scope) => scope.setTag("where", "inside").setTag("more", "yes"));
      return window.Sentry.captureMessage("out of the scope");
    },
    expected: { tags: { where: "outside" } },
  },
  {
    name: "getCurrentScope, getIsolationScope, getGlobalScope",
    call: () => {
      window.Sentry.getGlobalScope().setTag("a", "global").setTag("b", "global");
      window.Sentry.getIsolationScope().setTag("b", "isolation").setTag("c", "isolation");
      window.Sentry.getCurrentScope().setTag("c", "current");
      return window.Sentry.getCurrentScope().captureMessage("three scopes", "error");
    },
    expected: { tags: { a: "global", b: "isolation", c: "current" }, level: "error" },
  },
  {
    name: "lastEventId",
    call: () => {
      window.Sentry.captureMessage("the last one");
      return window.Sentry.lastEventId();
    },
    expected: { message: "the last one" },
  },
  {
    name: "an error that nobody catches, with what was set before",
    call: () => {
      window.Sentry.setUser({ id: "dave" });
      setTimeout(() => {
        throw new Error("nobody catches it");
      });
      setTimeout(() => window.Sentry.setUser({ id: "somebody else" }));
      return undefined;
    },
    expected: {
      user: { id: "dave" },
      exception: { values: [expect.objectContaining({ value: "nobody catches it" })] },
    },
  },
  {
    name: "logger",
    call: () => {
      window.Sentry.setUser({ id: "eve" });
      const { logger } = window.Sentry;
      logger.warn(logger.fmt`${3} items`, { cart: "full" });
      return undefined;
    },
    type: "log",
    expected: {
      body: "3 items",
      level: "warn",
      severity_number: 13,
      ...sentAs("cart", "full"),
    },
    left: false,
  },
  {
    name: "metrics",
    call: () => {
      window.Sentry.metrics.distribution("basket", 12.5, {
        unit: "euro",
        attributes: { shop: "corner" },
      });
      return undefined;
    },
    type: "trace_metric",
    expected: { name: "basket", type: "distribution", value: 12.5, unit: "euro" },
    left: false,
  },
  {
    name: "startSpan",
    call: () => {
      const { startSpan, startInactiveSpan } = window.Sentry;
      startSpan({ name: "my span", op: "mine", forceTransaction: true }, (span) => {
        span.setAttribute("items", 3);
        startInactiveSpan({ name: "my child" }).end();
      });
      return undefined;
    },
    type: "transaction",
    expected: {
      transaction: "my span",
      contexts: expect.objectContaining({ trace: expect.objectContaining({ op: "mine" }) }),
      spans: [expect.objectContaining({ description: "my child" })],
    },
    left: false,
  },
  {
    name: "startSpanManual",
    call: () => {
      const options = { name: "by hand", forceTransaction: true };
      window.Sentry.startSpanManual(options, (span) => span.end());
      return undefined;
    },
    type: "transaction",
    expected: { transaction: "by hand" },
    left: false,
  },
  {
    name: "addEventProcessor",
    call: () => {
      const message = "for a processor";
      window.Sentry.addEventProcessor((event) =>
        event.message === message ? { ...event, fingerprint: ["processed"] } : event,
      );
      return window.Sentry.captureMessage(message);
    },
    expected: { message: "for a processor", fingerprint: ["processed"] },
    left: { message: "for a processor" },
  },
  {
    name: "addIntegration",
    call: () => {
      const message = "for an integration";
      window.Sentry.addIntegration({
        name: "OfTheTeam",
        processEvent: (event) =>
          event.message === message ? { ...event, fingerprint: ["integrated"] } : event,
      });
      return window.Sentry.captureMessage(message);
    },
    expected: { message: "for an integration", fingerprint: ["integrated"] },
    left: { message: "for an integration" },
  },
  {
    name: "withIsolationScope, isInitialized",
    call: () => {
      const { withIsolationScope, isInitialized, captureMessage } = window.Sentry;
      withIsolationScope((scope) => scope.setTag("isolated", "no"));
      return captureMessage(`initialized: ${isInitialized()}`);
    },
    expected: { message: "initialized: true", tags: { isolated: "no" } },
  },
  {
    name: "flush",
    call: () => {
      const id = window.Sentry.captureMessage("to be flushed");
      void window.Sentry.flush(10_000);
      return id;
    },
    expected: { message: "to be flushed" },
  },
];

interface Fixtures {
  /** A server that every visit is sampled by, and the service that it reports to. */
  reporting: { app: App; service: Service };
}

const test = base.extend<object, Fixtures>({
  reporting: [
    async ({ variant }, use) => {
      const service = await startService();
      const app = await startApp(variant, { SENTRY_DSN: service.dsn });
      await use({ app, service });
      await app.stop();
      await service.close();
    },
    { scope: "worker" },
  ],
});

test.beforeEach(({ faults, reporting }) => {
  faults.allow(/./);
  reporting.service.envelopes.splice(0);
});

// One visit makes all calls: what one leaves in the scopes belongs to no other's report.
test("each function works before the SDK", async ({ page, reporting }) => {
  const release = await holdSdk(page, reporting.app.variant);
  await open(page, reporting.app.url("/sentry"));
  const calls = await callAll(page, (row) => row.expected);
  expect(await hasSdk(page)).toBe(false);
  release();
  // Playwright's route would lose what the page sends as it is left.
  await expect.poll(() => hasSdk(page)).toBe(true);
  const got = await expectOnce(page, reporting, calls);
  for (const [index, { row, from, to }] of calls.entries()) {
    if (row.name === "captureEvent" || (row.type ?? "feedback") !== "feedback") continue;
    expect(got[index]?.timestamp, row.name).toBeGreaterThan(from - 0.1);
    expect(got[index]?.timestamp, row.name).toBeLessThan(to + 0.1);
  }
});

test("each function works with the SDK", { tag: "@verify" }, async ({ page, reporting }) => {
  await open(page, reporting.app.url("/sentry"));
  await page.waitForFunction(() => window.Sentry);
  await page.evaluate(() => void window.Sentry.captureMessage("brings the SDK"));
  await expect.poll(() => hasSdk(page)).toBe(true);
  const calls = await callAll(page, (row) => row.expected);
  await expectOnce(page, reporting, calls);
});

test("each function works where the SDK is blocked and the page is left", {
  tag: "@verify",
}, async ({ page, reporting }) => {
  await blockSdk(page, reporting.app.variant);
  await open(page, reporting.app.url("/sentry"));
  const calls = await callAll(page, (row) => row.left || row.expected);
  await page.goto("about:blank");
  const sent = calls.filter(({ row }) => row.left !== false);
  for (const got of await expectOnce(page, reporting, sent)) {
    expect(got.sdk).not.toMatchObject({ name: "sentry.javascript.nextjs" });
  }
  for (const { row, id } of calls.filter(({ row }) => row.left === false)) {
    expect(found(reporting.service, row, id), row.name).toEqual([]);
  }
});

test("the error boundary shows the id of the event, with the components as its cause", {
  tag: "@verify",
}, async ({ page, reporting }) => {
  const release = await holdSdk(page, reporting.app.variant);
  await open(page, reporting.app.url("/sentry"));
  await page.getByRole("button", { name: "Fail" }).click();
  const id = await page.getByRole("alert").locator("output").innerText();
  release();
  const got = await expectEvent(page, reporting, id, { boundary: "yes" });
  const { values } = got.exception as { values: { type: string; mechanism: Json }[] };
  expect(values.map(({ type }) => type)).toEqual(["React ErrorBoundary TypeError", "TypeError"]);
  expect(values[1]?.mechanism).toMatchObject({
    type: "auto.function.react.error_boundary",
    handled: true,
  });
});

test("the error boundary shows the id of the event that leaves without the SDK, and can go on", async ({
  page,
  reporting,
}) => {
  await blockSdk(page, reporting.app.variant);
  await open(page, reporting.app.url("/sentry"));
  await page.getByRole("button", { name: "Fail" }).click();
  const id = await page.getByRole("alert").locator("output").innerText();
  await page.getByRole("button", { name: "Again" }).click();
  await expect(page.getByRole("button", { name: "Fail" })).toBeVisible();
  const got = await expectEvent(page, reporting, id, { boundary: "yes" });
  const [thrown] = (got.exception as { values: Json[] }).values;
  expect(thrown).toMatchObject({
    type: "TypeError",
    mechanism: { type: "auto.function.react.error_boundary", handled: true },
    stacktrace: { frames: expect.arrayContaining([expect.anything()]) },
  });
});

test("what a scope that was kept from before the SDK is told reaches the SDK's", {
  tag: "@verify",
}, async ({ page, reporting }) => {
  const release = await holdSdk(page, reporting.app.variant);
  await open(page, reporting.app.url("/sentry"));
  await page.waitForFunction(() => window.Sentry);
  await page.evaluate(() => {
    window.Sentry.setTag("early", "yes");
    Object.assign(window, { kept: window.Sentry.getIsolationScope() });
    window.Sentry.captureMessage("brings the SDK");
  });
  release();
  await expect.poll(() => hasSdk(page)).toBe(true);
  const id = await page.evaluate(() => {
    (window as unknown as { kept: Sentry.Scope }).kept.setTag("late", "yes");
    return window.Sentry.captureMessage("told by a scope that was kept");
  });
  await expectEvent(page, reporting, id, { early: "yes", late: "yes" });
});

/** A call that a page has made: its id if it gave one, and when it was made, in seconds. */
interface Call {
  row: Row;
  id: string | undefined;
  expected: object;
  from: number;
  to: number;
}

async function callAll(page: Page, expectedOf: (row: Row) => object): Promise<Call[]> {
  await page.waitForFunction(() => window.Sentry);
  const calls: Call[] = [];
  for (const row of rows) {
    const [from] = await clocks(page);
    const id = await page.evaluate(row.call);
    // What the page throws, it throws in a task of its own.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    if (!row.type && !row.name.includes("nobody")) expect(id).toMatch(/^[\da-f]{32}$/);
    const [, to] = await clocks(page);
    calls.push({ row, id, expected: expectedOf(row), from, to });
  }
  return calls;
}

/** The time by both clocks of the page, which may differ, in seconds: the earlier and the later one. */
async function clocks(page: Page): Promise<[number, number]> {
  const times = await page.evaluate(() => [
    Date.now() / 1000,
    (performance.timeOrigin + performance.now()) / 1000,
  ]);
  return [Math.min(...times), Math.max(...times)];
}

function hasSdk(page: Page): Promise<boolean> {
  return page.evaluate(() => Boolean(window.Sentry?.getClient()?.getTransport()));
}

/** Waits for all, and for a later report, so that a second one of any would be there too. */
async function expectOnce(
  page: Page,
  reporting: Fixtures["reporting"],
  calls: Call[],
): Promise<Json[]> {
  const { app, service } = reporting;
  for (const { row, id } of calls) {
    await service.waitFor((s) => found(s, row, id).length > 0);
  }
  await expectSentinel(page, reporting);
  return calls.map(({ row, id, expected }) => {
    const all = found(service, row, id);
    expect(all, row.name).toHaveLength(1);
    const [got] = all as [Json];
    expect(got, row.name).toMatchObject(expected as Json);
    const trace = row.type === "log" || row.type === "trace_metric" ? got : traceOf(got);
    expect(trace, row.name).toMatchObject({ trace_id: expect.stringMatching(/^[\da-f]{32}$/) });
    if (!row.type) {
      expect(got, row.name).toMatchObject({ transaction: "/sentry", release: expect.any(String) });
      expect(got.request, row.name).toMatchObject({ url: app.url("/sentry") });
    }
    return got;
  });
}

/** What the page was given an id for, by other ways than a row's. */
async function expectEvent(
  page: Page,
  reporting: Fixtures["reporting"],
  id: string,
  tags: Json,
): Promise<Json> {
  const row = { name: "an event", call: () => id, expected: { tags } };
  const call = { row, id, expected: row.expected, from: 0, to: 0 };
  const [got] = await expectOnce(page, reporting, [call]);
  return got as Json;
}

function traceOf(event: Json): unknown {
  return (event.contexts as { trace?: unknown } | undefined)?.trace;
}

let sentinels = 0;

/** A report that is made after all others have arrived. */
async function expectSentinel(page: Page, { app, service }: Fixtures["reporting"]): Promise<void> {
  const message = `sentinel ${process.pid} ${sentinels++}`;
  if (!page.url().startsWith("http")) await open(page, app.url("/sentry"));
  await page.waitForFunction(() => window.Sentry);
  await page.evaluate((text) => void window.Sentry.captureMessage(text), message);
  await page.goto("about:blank");
  const arrived = (s: Service) =>
    s.items("event").some(({ payload }) => (payload as Json).message === message);
  await service.waitFor(arrived);
}

/** What the service has of it: by its id, or else by what it says. */
function found(service: Service, row: Row, id: string | undefined): Json[] {
  const payloads = service.payloads<Json>(row.type ?? "event");
  if (id) return payloads.filter(({ event_id }) => event_id === id);
  if (row.type === "log" || row.type === "trace_metric") {
    const { body, name } = row.expected as Json;
    const items = payloads.flatMap(({ items }) => items as Json[]);
    return items.filter((item) => (body ? item.body === body : item.name === name));
  }
  const says = JSON.stringify((row.expected as Json).transaction ?? "nobody catches it");
  return payloads.filter((payload) => JSON.stringify(payload).includes(says));
}
