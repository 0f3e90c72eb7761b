import { basename } from "node:path";
import type { BrowserContext, Page } from "playwright/test";
import { expect, test } from "../support/app";
import { type BrowserEvent, clickSlowly, throwInPage } from "../support/browser-reports";
import { expectStages, linkTo, open, push } from "../support/navigation";
import { holdSdk, sdkScripts } from "../support/sdk-scripts";
import type { Environment } from "../support/server";
import type { Service } from "../support/service";

let service: Service;
test.beforeEach(({ service: ofTheTest }) => {
  service = ofTheTest;
});

/** Static pages have no decision of the server then, and the settings say no. */
const nothingSampled = {
  SENTRY_TRACES_SAMPLE_RATE: "0.0000001",
  BROWSER_TRACES_SAMPLE_RATE: "0",
};

function variables(env: Environment = {}): Environment {
  return {
    SENTRY_DSN: service.dsn,
    SENTRY_RELEASE: "9.8.7",
    SENTRY_ENVIRONMENT: "staging",
    ...env,
  };
}

/** What has arrived at the service of visits and navigations. */
function measured(op: "pageload" | "navigation"): BrowserEvent[] {
  return service
    .payloads<BrowserEvent>("transaction")
    .filter(({ contexts }) => contexts.trace.op === op);
}

const routesMeasured = () => measured("pageload").map(({ transaction }) => transaction);

/** The scripts that pages of a context have asked for, by name. */
function scriptsAskedFor(context: BrowserContext): string[] {
  const names: string[] = [];
  context.on("request", (request) => names.push(basename(new URL(request.url()).pathname)));
  return names;
}

type Leave = (page: Page) => Promise<unknown>;
const close: Leave = (page) => page.close({ runBeforeUnload: true });
const leave: Leave = async (page) => {
  await page.goto("about:blank");
  await page.close();
};

/**
 * Visits a page for so long: the one thing here that has to be real time. On a busy machine it is
 * longer, because the page's scripts must have run, and something must be painted.
 */
async function visit(context: BrowserContext, url: string, ms: number, end: Leave) {
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForTimeout(ms);
  await page.waitForFunction(
    () => "next" in window && performance.getEntriesByName("first-contentful-paint").length > 0,
  );
  await end(page);
}

test("a short visit is measured once, with what the browser knows when the page is left", async ({
  context,
  launch,
}) => {
  const app = await launch(variables());
  await visit(context, app.url("/static?token=secret"), 300, leave);
  await expect.poll(routesMeasured).toEqual(["/static"]);
  const [load] = measured("pageload");
  expect(load).toMatchObject({
    transaction_info: { source: "route" },
    release: "9.8.7",
    environment: "staging",
    request: { url: app.url("/static") },
    measurements: {
      lcp: { value: expect.any(Number), unit: "millisecond" },
      fcp: { value: expect.any(Number) },
      ttfb: { value: expect.any(Number) },
      cls: { value: 0 },
    },
  });
});

test("a short visit that ends in the error page is measured by the route that failed", {
  tag: "@verify",
}, async ({ context, faults, launch }) => {
  faults.allow(/500/);
  const app = await launch(variables());
  await visit(context, app.url("/failures/server-data"), 300, leave);
  await expect.poll(routesMeasured).toEqual(["/failures/server-data"]);
  expect(measured("pageload")[0]?.contexts.trace.status).toBe("internal_error");
});

test("every sampled visit is measured once, however short", { tag: "@only-shell" }, async ({
  context,
  launch,
}) => {
  const app = await launch(variables());
  const expected: string[] = [];
  for (const path of ["/static", "/server"]) {
    for (const ms of [300, 1000, 3000]) {
      await test.step(`${path} closed after ${ms} ms`, async () => {
        await visit(context, app.url(path), ms, close);
        expected.push(path);
        await expect.poll(routesMeasured).toEqual(expected);
      });
    }
  }
  // Whatever was to come a second time has come by the time a later visit is reported.
  await visit(context, app.url("/slow?ms=0"), 0, async (page) => {
    await expect.poll(routesMeasured).toContain("/slow");
    await close(page);
  });
  expect(routesMeasured()).toEqual([...expected, "/slow"]);
  for (const load of measured("pageload")) {
    expect(load).toMatchObject({
      transaction_info: { source: "route" },
      release: "9.8.7",
      environment: "staging",
    });
    expect(Object.keys(load.measurements ?? {})).toEqual(
      expect.arrayContaining(["ttfb", "fcp", "lcp", "cls"]),
    );
  }
});

test("the visit to a server-rendered page belongs to the trace of its request", {
  tag: "@verify",
}, async ({ context, launch }) => {
  const app = await launch(variables());
  await visit(context, app.url("/server"), 300, leave);
  await expect.poll(routesMeasured).toEqual(["/server"]);
  const isRequest = (event: BrowserEvent) => event.contexts.trace.op === "http.server";
  const requests = () =>
    service
      .payloads<BrowserEvent>("transaction")
      .filter((event) => isRequest(event) && event.transaction === "GET /server");
  await expect.poll(requests).toHaveLength(1);
  const trace = measured("pageload")[0]?.contexts.trace;
  expect(requests()[0]?.contexts.trace).toMatchObject({
    trace_id: trace?.trace_id,
    span_id: trace?.parent_span_id,
  });
});

test("requests of the page's own origin carry its trace, with a decision where there is one, and no empty baggage", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  const headersOf = async (path: string) => {
    await page.evaluate((url) => fetch(url).then((answer) => answer.text()), app.path(path));
    return front.seen(/^/).findLast(({ url }) => url.endsWith(path))?.headers;
  };
  await open(page, front.url("/server"));
  const trace = await page.locator("meta[name=sentry-trace]").getAttribute("content");
  expect(await headersOf("/api/echo/traced")).toMatchObject({
    "sentry-trace": trace,
    baggage: expect.stringContaining(`sentry-trace_id=${trace?.slice(0, 32)}`),
  });
  const slow = await headersOf("/slow?ms=0");
  expect(slow?.["sentry-trace"]).toContain(trace?.slice(0, 32));
  await open(page, front.url("/static"));
  const headers = await headersOf("/api/echo/undecided");
  expect(headers?.["sentry-trace"]).toMatch(/^[0-9a-f]{32}-[0-9a-f]{16}$/);
  expect(headers).not.toHaveProperty("baggage");
});

test("a short visit with an error has one trace", {
  tag: "@verify",
}, async ({ faults, launch, page }) => {
  faults.allow(/on purpose/);
  const app = await launch(variables());
  await open(page, app.url("/failures/client-event"));
  await page.getByRole("main").getByRole("button").click();
  await expect.poll(() => service.items("event")).toHaveLength(1);
  await leave(page);
  await expect.poll(routesMeasured).toEqual(["/failures/client-event"]);
  const [load] = measured("pageload");
  const [error] = service.payloads<BrowserEvent>("event");
  expect(error?.contexts.trace.trace_id).toBe(load?.contexts.trace.trace_id);
});

/** The events with an interaction that have arrived: as a measurement, which all services read. */
function interactions(): BrowserEvent[] {
  expect(service.items("span")).toEqual([]);
  return service
    .payloads<BrowserEvent>("transaction")
    .filter(({ measurements }) => measurements?.inp);
}

const interactionsMeasured = () => interactions().length;

test("an interaction is measured once, also in a short visit with an error", {
  tag: "@verify",
}, async ({ faults, launch, page }) => {
  faults.allow(/early/);
  const app = await launch(variables());
  await open(page, app.url("/static"));
  await throwInPage(page, "early");
  await page.waitForFunction(() => "__SENTRY__" in window);
  await expect.poll(() => service.items("event")).toHaveLength(1);
  await clickSlowly(page);
  await leave(page);
  await expect.poll(routesMeasured).toEqual(["/static"]);
  await expect.poll(interactionsMeasured).toBe(1);
  // All that has been accepted is delivered then.
  await app.stop();
  expect(interactionsMeasured()).toBe(1);
});

/** Does to the page what a switch to another tab and back does. */
function show(page: Page, state: "visible" | "hidden"): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    Object.defineProperty(document, "hidden", { value: value === "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, state);
}

test("an interaction is measured once, also if the page is hidden before the SDK comes", {
  tag: "@verify",
}, async ({ launch, page, variant }) => {
  const app = await launch(variables());
  const letThrough = await holdSdk(page, variant);
  await open(page, app.url("/static"));
  await clickSlowly(page);
  await show(page, "hidden");
  await expect.poll(interactionsMeasured).toBe(1);
  await show(page, "visible");
  letThrough();
  await page.waitForFunction(() => "__SENTRY__" in window);
  await push(page, "/server");
  await expect.poll(() => measured("navigation")).toHaveLength(1);
  await show(page, "hidden");
  await leave(page);
  await app.stop();
  expect(interactionsMeasured()).toBe(1);
});

test("with the SDK, an interaction is a measurement of its page, in the visit's trace", {
  tag: "@verify",
}, async ({ launch, page }) => {
  const app = await launch(variables());
  await open(page, app.url("/static"));
  await page.waitForFunction(() => "__SENTRY__" in window);
  await expect.poll(routesMeasured).toEqual(["/static"]);
  await clickSlowly(page);
  await leave(page);
  await expect.poll(interactionsMeasured).toBe(1);
  const [load] = measured("pageload");
  const [interaction] = interactions();
  expect(interaction).toMatchObject({
    transaction: "/static",
    transaction_info: { source: "route" },
    release: "9.8.7",
    environment: "staging",
    contexts: {
      trace: {
        op: expect.stringMatching(/^ui\.interaction/),
        trace_id: load?.contexts.trace.trace_id,
      },
    },
    measurements: { inp: { value: expect.any(Number), unit: "millisecond" } },
    request: { url: expect.stringMatching(/^http[^?#]*$/) },
    sdk: { name: "sentry.javascript.nextjs" },
  });
});

test("an interaction before a navigation is a measurement of the page that it was on", {
  tag: "@verify",
}, async ({ launch, page }) => {
  const app = await launch(variables());
  await open(page, app.url("/static"));
  await page.waitForFunction(() => "__SENTRY__" in window);
  await expect.poll(routesMeasured).toEqual(["/static"]);
  await clickSlowly(page);
  // The page is left at once: the SDK has not sent it, and has no time to.
  await page.evaluate('next.router.push("/server")');
  await leave(page);
  await expect.poll(interactionsMeasured).toBe(1);
  const [interaction] = interactions();
  expect(interaction?.transaction).toBe("/static");
  const header = service.envelopes
    .map((envelope) => envelope.header)
    .find(({ event_id }) => event_id === interaction?.event_id);
  expect(header).toMatchObject({ trace: { trace_id: interaction?.contexts.trace.trace_id } });
});

test("what is on its way as the page is left, more than may outlive it, comes from a later page", {
  tag: "@verify",
}, async ({ launch, page, faults }) => {
  faults.allow(/left in a crowd/);
  const app = await launch(variables());
  await open(page, app.url("/static"));
  await page.waitForFunction(() => "__SENTRY__" in window);
  await expect.poll(routesMeasured).toEqual(["/static"]);
  await clickSlowly(page);
  const count = 30;
  await page.evaluate(
    ({ errors, next }) => {
      for (let n = 0; n < errors; n++) {
        setTimeout(() => {
          // Each of another kind: of those alike, a page reports a few.
          throw new Error(`left in a crowd ${"x".repeat(n)} ${"y".repeat(500)}`);
        });
      }
      setTimeout(() => location.assign(next));
    },
    { errors: count, next: app.path("/server") },
  );
  await page.waitForURL(app.url("/server"));
  const crowd = () =>
    service
      .items("event")
      .map(({ payload }) => (payload as BrowserEvent).exception.values[0]?.value.split(" y")[0]);
  await expect.poll(() => new Set(crowd()).size).toBe(count);
  // One whose answer the page did not see is sent again, under the same id.
  const ids = () => new Set(interactions().map(({ event_id }) => event_id));
  await expect.poll(() => ids().size).toBe(1);
});

test("a visit that is not sampled loads no SDK, measures nothing, and still reports errors", {
  tag: "@verify",
}, async ({ context, launch, page, variant, faults }) => {
  faults.allow(/after a click/);
  const app = await launch(variables(nothingSampled));
  const sdk = sdkScripts(variant);
  expect(sdk).not.toEqual([]);
  const asked = scriptsAskedFor(context);
  for (const path of ["/static", "/server"]) {
    for (const ms of [300, 1000]) await visit(context, app.url(path), ms, leave);
  }
  await open(page, app.url("/server"));
  await linkTo(page, app.path("/static")).click();
  await expectStages(page, "start history complete");
  // The page has settled by the time a static page asks for the settings.
  const other = await context.newPage();
  const settings = other.waitForResponse(/\/api\/relay\/settings\?/);
  await other.goto(app.url("/static"));
  await settings;
  await other.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await close(other);
  expect(asked.filter((name) => sdk.includes(name))).toEqual([]);

  await page.locator("h1").click();
  await throwInPage(page, "after a click");
  await service.waitFor((s) => s.items("event").length > 0);
  const event = service.items("event")[0]?.payload as BrowserEvent;
  expect(event).toMatchObject({ transaction: "/static", release: "9.8.7", environment: "staging" });
  const crumbs = event.breadcrumbs?.map(({ message, data }) => message ?? data?.to);
  expect(crumbs).toEqual(
    expect.arrayContaining([app.path("/static"), expect.stringMatching(/ > h1$/)]),
  );
  expect(asked.filter((name) => sdk.includes(name))).not.toEqual([]);
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
  await close(page);
  await visit(context, app.url("/static"), 300, leave);
  await app.stop();
  expect(service.items("transaction")).toEqual([]);
  expect(service.items("client_report")).toEqual([]);
});

test("a service that takes no measurements costs visitors nothing, on any server", {
  tag: "@verify",
}, async ({ context, launch, variant }) => {
  const limits = { "x-sentry-rate-limits": "86400:transaction;span:organization" };
  await service.behave(() => ({ status: 200, headers: limits }));
  const one = await launch(variables());
  const two = await launch(variables({ DATA_DIR: one.dataDir }));
  for (const app of [one, two]) {
    // Each server learns it from the answer to a report of its own.
    await expect
      .poll(async () => {
        await fetch(app.url("/failures/server-data"));
        return (await fetch(app.url("/api/relay/settings"))).json();
      })
      .toMatchObject({ tracesSampleRate: 0 });
    const html = await (await fetch(app.url("/server"))).text();
    expect(html).toMatch(/name="sentry-trace" content="[0-9a-f]{32}-[0-9a-f]{16}-0"/);
  }
  const sdk = sdkScripts(variant);
  const asked = scriptsAskedFor(context);
  const page = await context.newPage();
  const settings = page.waitForResponse(/\/api\/relay\/settings\?/);
  await page.goto(two.url("/static"));
  await settings;
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await close(page);
  await visit(context, two.url("/server"), 300, leave);
  expect(asked.filter((name) => sdk.includes(name) || name === "relay")).toEqual([]);
});

test("reports that an earlier page has stored bring the SDK into a visit that is not sampled", {
  tag: "@verify",
}, async ({ launch, page, faults }) => {
  faults.allow(/stored/);
  const app = await launch(variables(nothingSampled));
  await page.addInitScript(() => {
    navigator.sendBeacon = () => false;
  });
  await open(page, app.url("/static"));
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("stored");
    });
    setTimeout(() => dispatchEvent(new Event("pagehide")));
  });
  await open(page, app.url("/server"));
  await service.waitFor((s) => s.items("event").length > 0);
  expect(service.items("event")).toHaveLength(1);
  expect(service.items("event")[0]?.payload).toMatchObject({ release: "9.8.7" });
});
