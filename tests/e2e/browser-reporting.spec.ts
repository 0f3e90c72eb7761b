import type { Page, Route } from "playwright/test";
import { expect, test } from "../support/app";
import {
  type BrowserEvent,
  errorEventsSent,
  errorsSent,
  failedNavigationsSent,
  itemsSent,
  throwInPage,
  treatLateScripts,
  untilReportingRuns,
} from "../support/browser-reports";
import { expectStages, linkTo, open, push } from "../support/navigation";
import { answer, hold } from "../support/proxy";
import { sdkScripts } from "../support/sdk-scripts";

test.beforeEach(({ faults }) => faults.allow(/./));

test.describe("an error reaches the team once", () => {
  test("before any bundle has run, in the top level of one, and while the page hydrates", async ({
    front,
    page,
  }) => {
    await page.addInitScript(() => {
      // Deferred scripts run only after this.
      document.addEventListener("readystatechange", () => {
        if (document.readyState === "interactive") throw new Error("before the bundles");
      });
      // An effect of the first render writes it.
      Object.defineProperty(document, "title", {
        configurable: true,
        get: () => "",
        set: () => {
          Reflect.deleteProperty(document, "title");
          throw new Error("while hydrating");
        },
      });
    });
    const handler = async (route: Route) => {
      const response = await route.fetch();
      const body = `${await response.text()};throw new Error("top level of a bundle")`;
      await route.fulfill({ response, body });
    };
    await page.route(/\/_next\/static\/chunks\/.*\.js/, handler, { times: 1 });
    await page.goto(front.url("/static"));
    await untilReportingRuns(front);
    const uncaught = { type: "auto.browser.global_handlers.onerror", handled: false };
    for (const [when, mechanism] of [
      ["before the bundles", uncaught],
      ["top level of a bundle", uncaught],
      ["while hydrating", {}],
    ] as const) {
      await expect.poll(() => errorsSent(front, when)).toHaveLength(1);
      const [event] = errorsSent(front, when);
      expect(event).toMatchObject({ transaction: "/static", level: "error" });
      const [thrown] = event?.exception.values ?? [];
      expect(thrown).toMatchObject({ type: "Error", mechanism });
      expect(thrown?.stacktrace.frames.length).toBeGreaterThan(0);
    }
    const [bundle] = errorsSent(front, "top level of a bundle");
    expect(bundle?.exception.values[0]?.stacktrace.frames.at(-1)?.filename).toContain("/chunks/");
  });

  test("after hydration and before the SDK, with the time it happened", async ({ front, page }) => {
    const gate = hold();
    await treatLateScripts(front, "/static", gate.treatment());
    await open(page, front.url("/static"));
    const before = Date.now() / 1000;
    await throwInPage(page, "before the SDK");
    await page.evaluate(() => void Promise.reject(new TypeError("rejected before the SDK")));
    const after = (await page.evaluate(() => Date.now())) / 1000 + 0.1;
    gate.release();
    await expect.poll(() => errorsSent(front, "before the SDK")).toHaveLength(1);
    await expect.poll(() => errorsSent(front, "rejected before the SDK")).toHaveLength(1);
    const [thrown] = errorsSent(front, "before the SDK");
    expect(thrown?.timestamp).toBeGreaterThan(before - 0.1);
    expect(thrown?.timestamp).toBeLessThan(after);
    const [rejected] = errorsSent(front, "rejected before the SDK");
    expect(rejected?.exception.values[0]).toMatchObject({
      type: "TypeError",
      mechanism: { type: "auto.browser.global_handlers.onunhandledrejection", handled: false },
    });
  });

  test("on a page that is left before the SDK came", async ({ front, page }) => {
    const gate = hold();
    await treatLateScripts(front, "/static", gate.treatment());
    await open(page, front.url("/static"));
    await throwInPage(page, "left early");
    await page.goto("about:blank");
    await expect.poll(() => errorsSent(front, "left early")).toHaveLength(1);
    gate.release();
    const [event] = errorsSent(front, "left early");
    expect(event).toMatchObject({ transaction: "/static" });
    expect(event?.exception.values[0]).toMatchObject({
      type: "Error",
      mechanism: { type: "auto.browser.global_handlers.onerror", handled: false },
    });
    await page.goto(front.url("/server"));
    await untilReportingRuns(front);
    expect(errorsSent(front, "left early")).toHaveLength(1);
  });

  test("by Sentry's functions, on a page that is left before the SDK came", {
    tag: "@verify",
  }, async ({ front, page }) => {
    const gate = hold();
    await treatLateScripts(front, "/sentry", gate.treatment());
    await open(page, front.url("/sentry"));
    await page.waitForFunction(() => window.Sentry);
    await page.evaluate(() => {
      window.Sentry.setTag("area", "cart");
      window.Sentry.captureException(new Error("captured and left"));
    });
    expect(errorsSent(front, "captured and left")).toEqual([]);
    await page.goto("about:blank");
    await expect.poll(() => errorsSent(front, "captured and left")).toHaveLength(1);
    gate.release();
    const [event] = errorsSent(front, "captured and left");
    expect(event).toMatchObject({ transaction: "/sentry", tags: { area: "cart" } });
  });

  test("on a page that is left offline before the SDK came, from a later page", {
    tag: "@verify",
  }, async ({ front, page }) => {
    const gate = hold();
    await treatLateScripts(front, "/static", gate.treatment());
    await open(page, front.url("/static"));
    await page.context().setOffline(true);
    await throwInPage(page, "left offline");
    // Chromium ends the offline emulation before the page's own pagehide.
    const leave = () => page.evaluate(() => void dispatchEvent(new Event("pagehide")));
    // Of the visit itself nobody knows whether it is sampled: it isn't kept.
    await expect.poll(() => leave().then(() => keptInBrowser(page))).toBe(1);
    await page.goto("about:blank");
    expect(errorsSent(front, "left offline")).toHaveLength(0);
    gate.release();
    await page.context().setOffline(false);
    await open(page, front.url("/static"));
    await expect.poll(() => errorsSent(front, "left offline")).toHaveLength(1);
    expect(errorsSent(front, "left offline")[0]).toMatchObject({ transaction: "/static" });
    await expect.poll(() => keptInBrowser(page)).toBe(0);
  });

  test("where the SDK can't be had", async ({ front, page }) => {
    await treatLateScripts(front, "/static");
    await open(page, front.url("/static"));
    await throwInPage(page, "without the SDK");
    await expect.poll(() => errorsSent(front, "without the SDK")).toHaveLength(1);
    await throwInPage(page, "without it again");
    await expect.poll(() => errorsSent(front, "without it again")).toHaveLength(1);
    // Sentry refuses a stack without frames.
    const stack = errorsSent(front, "without it again")[0]?.exception.values[0]?.stacktrace;
    expect(stack?.frames.length).not.toBe(0);
  });

  test("while the server is down, from a later page", { tag: "@verify" }, async ({
    front,
    page,
  }) => {
    const endLate = await treatLateScripts(front, "/static");
    await open(page, front.url("/static"));
    const endTunnel = front.treat(/\/api\/relay$/, answer(503));
    await throwInPage(page, "the server is down");
    await expect.poll(() => keptInBrowser(page)).toBe(1);
    endLate();
    endTunnel();
    const refused = errorsSent(front, "the server is down").length;
    await open(page, front.url("/server"));
    await expect.poll(() => errorsSent(front, "the server is down")).toHaveLength(refused + 1);
    await expect.poll(() => keptInBrowser(page)).toBe(0);
  });

  test("where the browser lets the page store nothing", { tag: "@verify" }, async ({
    front,
    page,
  }) => {
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException("Denied", "SecurityError");
          },
        });
      }
    });
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    await throwInPage(page, "without storage");
    await expect.poll(() => errorsSent(front, "without storage")).toHaveLength(1);
  });

  test("that happened offline, once the browser is online again", { tag: "@verify" }, async ({
    front,
    page,
  }) => {
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    await page.context().setOffline(true);
    await throwInPage(page, "offline");
    await expect.poll(() => keptInBrowser(page)).toBe(1);
    expect(errorsSent(front, "offline")).toHaveLength(0);
    await page.context().setOffline(false);
    await expect.poll(() => errorsSent(front, "offline")).toHaveLength(1);
    await expect.poll(() => keptInBrowser(page)).toBe(0);
  });

  test("that the app answered with 503, after a reload", async ({ front, page }) => {
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    const again = front.treat(/\/api\/relay$/, answer(503, '{"error":"busy","detail":"-"}'));
    await throwInPage(page, "answered");
    await expect.poll(() => keptInBrowser(page)).toBeGreaterThan(0);
    const refused = errorsSent(front, "answered").length;
    again();
    await page.reload();
    await expect.poll(() => errorsSent(front, "answered").length).toBe(refused + 1);
    await expect.poll(() => keptInBrowser(page)).toBe(0);
  });

  test("that a proxy refused for its words, and no later page has to do with it", {
    tag: "@verify",
  }, async ({ front, page }) => {
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    const again = front.treat(/\/api\/relay$/, answer(403, "<h1>Forbidden</h1>", "text/html"));
    await throwInPage(page, "1' UNION SELECT");
    await expect.poll(() => errorsSent(front, "1' UNION SELECT")).toHaveLength(1);
    again();
    expect(await keptInBrowser(page)).toBe(0);
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await expect.poll(() => errorsSent(front, "1' UNION SELECT")).toHaveLength(2);
  });

  test("when two tabs could send it", { tag: "@verify" }, async ({ front, page, context }) => {
    const other = await context.newPage();
    await open(other, front.url("/static"));
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    const gate = front.treat(/\/api\/relay$/, answer(503, '{"error":"busy","detail":"-"}'));
    await throwInPage(page, "for two tabs");
    await expect.poll(() => keptInBrowser(page)).toBeGreaterThan(0);
    gate();
    const refused = errorsSent(front, "for two tabs").length;
    const online = () => void dispatchEvent(new Event("online"));
    await Promise.all([page.evaluate(online), other.evaluate(online)]);
    await expect.poll(() => keptInBrowser(page)).toBe(0);
    expect(errorsSent(front, "for two tabs")).toHaveLength(refused + 1);
  });
});

test("noise is reported neither with the SDK nor without it", async ({ front, page }) => {
  await open(page, front.url("/static"));
  const noise = () => {
    const notice = "ResizeObserver loop completed with undelivered notifications.";
    for (const message of ["Script error.", notice]) {
      dispatchEvent(new ErrorEvent("error", { message }));
    }
    const given = new AbortController();
    void fetch(location.href, { signal: given.signal });
    given.abort();
  };
  await page.evaluate(noise);
  await untilReportingRuns(front);
  await page.evaluate(noise);
  await throwInPage(page, "news");
  await expect.poll(() => errorsSent(front, "news")).toHaveLength(1);
  expect(errorEventsSent(front)).toHaveLength(1);
});

test("an AbortError that is no request given up is news: a write that the browser's database has lost", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/static"));
  await page.evaluate(() => {
    const opening = indexedDB.open("orders");
    opening.onupgradeneeded = () => opening.result.createObjectStore("orders");
    opening.onsuccess = () => {
      const writing = opening.result.transaction("orders", "readwrite");
      const put = writing.objectStore("orders").put("one", 1);
      void new Promise((_, reject) => {
        put.onerror = () => reject(put.error);
      });
      writing.abort();
    };
  });
  await expect
    .poll(() => errorEventsSent(front).map(({ exception }) => exception.values[0]?.type))
    .toEqual(["AbortError"]);
});

test("an error that happens three times is three events, each with the click that led to it", {
  tag: "@verify",
}, async ({ front, page }) => {
  let frames = 0;
  page.on("frameattached", () => frames++);
  await open(page, front.url("/failures/client-event"));
  await untilReportingRuns(front);
  expect(frames, "which the SDK makes where it takes fetch for another's").toBe(0);
  const button = page.locator("main button");
  for (let i = 0; i < 3; i++) await button.click();
  const message = "Failed on purpose in an event handler";
  await expect.poll(() => errorsSent(front, message)).toHaveLength(3);
  expect(new Set(errorsSent(front, message).map(({ event_id }) => event_id)).size).toBe(3);
  for (const { breadcrumbs } of errorsSent(front, message)) {
    expect(breadcrumbs).toContainEqual(
      expect.objectContaining({ category: "ui.click", message: expect.stringMatching(/button/) }),
    );
  }
});

test("what led to an error on a later page, before the SDK, comes with it, and the page load has not failed", {
  tag: "@verify",
}, async ({ front, page, variant }) => {
  const gate = hold();
  front.treat(new RegExp(sdkScripts(variant).join("|")), gate.treatment());
  await open(page, front.url("/"));
  await page.locator("h1").click();
  await linkTo(page, new URL(front.url("/server")).pathname).click();
  await expectStages(page, "start history complete");
  await throwInPage(page, "with crumbs");
  gate.release();
  await expect.poll(() => errorsSent(front, "with crumbs")).toHaveLength(1);
  const [event] = errorsSent(front, "with crumbs");
  const crumbs = event?.breadcrumbs ?? [];
  expect(crumbs).toContainEqual(
    expect.objectContaining({
      category: "ui.click",
      message: expect.stringMatching(/ > h1$/),
    }),
  );
  const [home, server] = ["/", "/server"].map((path) => new URL(front.url(path)).pathname);
  expect(crumbs).toContainEqual(
    expect.objectContaining({ category: "navigation", data: { from: home, to: server } }),
  );
  expect(crumbs).toContainEqual(
    expect.objectContaining({
      category: "fetch",
      data: {
        url: expect.stringMatching(/\/_next\/data\/.*\/server\.json$/),
        method: "GET",
        status_code: 200,
      },
    }),
  );
  const measured = (op: string) =>
    itemsSent(front, "transaction").filter(({ contexts }) => contexts.trace.op === op);
  await expect.poll(() => measured("pageload")).toHaveLength(1);
  const [load] = measured("pageload");
  expect(load).toMatchObject({ request: { url: front.url("/") } });
  expect(load?.contexts.trace).not.toHaveProperty("status", "internal_error");
  expect(event?.contexts.trace.trace_id).toBe(load?.contexts.trace.trace_id);
  await expect
    .poll(() => measured("navigation")[0])
    .toMatchObject({
      transaction: "/server",
      request: { url: front.url("/server") },
      contexts: { trace: { data: { "url.full": front.url("/server") } } },
    });
});

test("what a page asks before the SDK is there is a span of its load, and carries its trace, without a decision that nobody has made", {
  tag: "@verify",
}, async ({ front, page }) => {
  const gate = hold();
  await treatLateScripts(front, "/static", gate.treatment());
  await open(page, front.url("/static"));
  const asked = new URL(front.url("/api/health/live")).pathname;
  await page.evaluate(async (path) => {
    // Nobody reads its body.
    await fetch(`${path}?token=secret`, { method: "DELETE" });
  }, asked);
  gate.release();
  await untilReportingRuns(front);
  const [load] = itemsSent(front, "transaction");
  const requests = load?.spans?.filter(({ op }) => op === "http.client");
  expect(requests).toContainEqual(
    expect.objectContaining({
      origin: "auto.http.browser",
      description: `DELETE ${asked}`,
      status: "invalid_argument",
      parent_span_id: load?.contexts.trace.span_id,
      data: expect.objectContaining({
        "http.request.method": "DELETE",
        "http.response.status_code": 405,
        "url.full": expect.stringMatching(/\?token=(\[|%5B)Filtered/),
      }),
    }),
  );
  const [request] = front.seen(/\/api\/health\/live/);
  const { trace_id } = load?.contexts.trace ?? {};
  expect(request?.headers["sentry-trace"]).toMatch(new RegExp(`^${trace_id}-[0-9a-f]{16}$`));
  expect(request?.headers).not.toHaveProperty("baggage");
  expect(JSON.stringify(load)).not.toContain("/api/relay/settings");
});

test("page loads and navigations are named by their pattern, with vitals and the trace", async ({
  browserName,
  front,
  page,
}) => {
  await open(page, front.url("/dynamic/a-1?token=secret"));
  const meta = await page.locator('meta[name="sentry-trace"]').getAttribute("content");
  await untilReportingRuns(front);
  await linkTo(page, new URL(front.url("/dynamic/b_2")).pathname).click();
  await expectStages(page, "start history complete");
  await expect
    .poll(() => itemsSent(front, "transaction").map(({ contexts }) => contexts.trace.op))
    .toEqual(["pageload", "navigation"]);
  const [load, navigation] = itemsSent(front, "transaction");
  const named = { transaction: "/dynamic/[id]", transaction_info: { source: "route" } };
  expect(load).toMatchObject(named);
  expect(load?.contexts.trace.trace_id).toBe(meta?.split("-")[0]);
  const byChromiumAlone = browserName === "chromium" ? ["lcp", "cls"] : [];
  expect(Object.keys(load?.measurements ?? {})).toEqual(
    expect.arrayContaining(["fcp", "ttfb", ...byChromiumAlone]),
  );
  const loaded = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return (performance.timeOrigin + (entry?.loadEventEnd ?? 0)) / 1000;
  });
  expect(load?.spans?.length).toBeGreaterThan(0);
  // Those that had begun by the load event, the last of which may end later. Times are rounded.
  const late = load?.spans?.filter((span) => span.start_timestamp >= loaded + 1e-3);
  expect(late, "spans that begin after the page load").toEqual([]);
  const ends = load?.spans?.map((span) => span.timestamp) ?? [];
  expect(load?.timestamp).toBeCloseTo(Math.max(loaded, ...ends), 3);
  expect(navigation).toMatchObject(named);
  expect(front.seen(/\/api\/relay$/).map(({ body }) => body)).not.toContainEqual(
    expect.stringContaining("secret"),
  );
});

test("the load of a page that fails on the server has its route and status", {
  tag: "@verify",
}, async ({ front, page }) => {
  await page.goto(front.url("/failures/server-data"));
  await untilReportingRuns(front);
  const [load] = itemsSent(front, "transaction");
  expect(load).toMatchObject({
    transaction: "/failures/server-data",
    transaction_info: { source: "route" },
    contexts: {
      trace: { status: "internal_error", data: { "http.response.status_code": 500 } },
    },
  });
});

test("nothing that is reported tells of the tunnel", { tag: "@only-shell" }, async ({
  front,
  page,
}) => {
  await open(page, front.url("/static"));
  await untilReportingRuns(front);
  // A navigation is a span that others belong to, and each report is a request of the page.
  await throwInPage(page, "first");
  await expect.poll(() => errorsSent(front, "first")).toHaveLength(1);
  await linkTo(page, new URL(front.url("/server")).pathname).click();
  await throwInPage(page, "meanwhile");
  await expectStages(page, "start history complete");
  await throwInPage(page, "last");
  await expect.poll(() => errorsSent(front, "last")).toHaveLength(1);
  const operations = () => itemsSent(front, "transaction").map(({ contexts }) => contexts.trace.op);
  await expect.poll(operations).toContain("navigation");
  const requests = front.seen(/\/api\/relay$/);
  expect(requests.filter(({ headers }) => headers["sentry-trace"])).toEqual([]);
  const tunnel = new URL(front.url("/api/relay")).pathname;
  const spans = itemsSent(front, "transaction").flatMap((transaction) => transaction.spans ?? []);
  expect(spans.map(({ description = "" }) => description)).not.toContainEqual(
    expect.stringContaining(tunnel),
  );
  expect(JSON.stringify(errorsSent(front, "last")[0]?.breadcrumbs)).not.toContain(tunnel);
});

test("a navigation that was overtaken is named by its pattern too", { tag: "@verify" }, async ({
  front,
  page,
}) => {
  await open(page, front.url("/static"));
  await untilReportingRuns(front);
  await push(page, "/slow?ms=3000&tok=secret");
  await expect.poll(() => front.underWay(/\/slow\.json/)).toBe(1);
  await push(page, "/server");
  await expect
    .poll(() => itemsSent(front, "transaction").map(({ transaction }) => transaction))
    .toEqual(expect.arrayContaining(["/slow", "/server"]));
});

test("a navigation that failed before reporting ran is reported under the page it was to lead to", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  await open(page, front.url("/static"));
  front.treat(/\/_next\/data\/[^/]+\/en\/dynamic\/a-1\.json/, answer(503, "{}"));
  await push(page, "/dynamic/a-1");
  await expect(page).toHaveURL(new RegExp(`${app.path("/dynamic/a-1")}$`));
  await expect.poll(() => failedNavigationsSent(front)).toHaveLength(1);
  const [event] = failedNavigationsSent(front);
  expect(event?.transaction).toBe("/dynamic/[id]");
  expect(event?.exception.values.at(-1)?.value).toBe(
    "Failed to load the data of /dynamic/[id], status 503",
  );
});

test("release and environment are those of the server, not of the build", async ({
  browserName,
  launch,
  page,
  service,
}) => {
  const named = { SENTRY_RELEASE: "9.8.7", SENTRY_ENVIRONMENT: "staging" };
  const app = await launch({ SENTRY_DSN: service.dsn, ...named });
  await open(page, app.url("/static"));
  // Left before the SDK is there, and then with it.
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("told so without the SDK");
    });
    setTimeout(() => {
      dispatchEvent(new Event("pagehide"));
      dispatchEvent(new Event("pageshow"));
    });
  });
  await throwInPage(page, "told so");
  await service.waitFor((s) => s.items("event").length === 2);
  const events = service.payloads<BrowserEvent>("event");
  for (const event of events) {
    expect(event).toMatchObject({ release: "9.8.7", environment: "staging" });
  }
  expect(events.map(({ sdk }) => sdk?.name).sort()).toEqual([
    "sentry.javascript.nextjs",
    "sentry.javascript.signpost",
  ]);
  const facts = ({ tags, contexts: { browser, os } }: BrowserEvent) => ({ tags, browser, os });
  const [one, other] = events.map(facts);
  expect(one).toEqual(other);
  expect(one).toMatchObject({
    tags: { side: "browser", route: "/static" },
    browser: {
      name: { chromium: "Chrome", firefox: "Firefox", webkit: "Safari" }[browserName],
    },
    os: { name: expect.any(String) },
  });
});

test("one error that leaves before the SDK is there, and is thrown again with it, is one event", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/static"));
  await page.evaluate(() => {
    const error = new Error("thrown twice");
    Object.assign(window, { error });
    setTimeout(() => {
      throw error;
    });
    setTimeout(() => {
      dispatchEvent(new Event("pagehide"));
      dispatchEvent(new Event("pageshow"));
    });
  });
  await throwInPage(page, "brings the SDK");
  await expect.poll(() => errorsSent(front, "brings the SDK")).toHaveLength(1);
  await page.evaluate(() => {
    setTimeout(() => {
      throw (window as unknown as { error: Error }).error;
    });
  });
  await throwInPage(page, "after it");
  await expect.poll(() => errorsSent(front, "after it")).toHaveLength(1);
  expect(errorsSent(front, "thrown twice")).toHaveLength(1);
});

test("a DOMException without a stack, as in Safari, is the same issue with the SDK and without", {
  tag: "@verify",
}, async ({ browserName, front, page }) => {
  test.skip(browserName === "firefox", "There the stack can't be taken from a DOMException");
  await open(page, front.url("/static"));
  const throwIt = () => {
    const error = new DOMException("You may not", "NotAllowedError");
    Reflect.deleteProperty(error, "stack");
    if ("stack" in error) throw new Error("Expected no stack");
    setTimeout(() => {
      throw error;
    });
  };
  await page.evaluate(throwIt);
  await page.evaluate(() => {
    setTimeout(() => {
      dispatchEvent(new Event("pagehide"));
      dispatchEvent(new Event("pageshow"));
    });
  });
  await throwInPage(page, "brings the SDK");
  await expect.poll(() => errorsSent(front, "brings the SDK")).toHaveLength(1);
  await page.evaluate(throwIt);
  await expect.poll(() => errorsSent(front, "You may not")).toHaveLength(2);
  const [without, withSdk] = errorsSent(front, "You may not");
  expect(without?.sdk).toBeUndefined();
  expect(withSdk?.sdk?.name).toBe("sentry.javascript.nextjs");
  for (const one of [without, withSdk]) {
    expect(one).not.toHaveProperty("message");
    expect(one?.exception.values).toMatchObject([
      { type: "NotAllowedError", value: "You may not" },
    ]);
  }
});

/** How many envelopes wait in the browser. */
async function keptInBrowser(page: Page): Promise<number> {
  return page.evaluate(
    () => Object.keys(localStorage).filter((key) => key.startsWith("signpost-report-")).length,
  );
}
