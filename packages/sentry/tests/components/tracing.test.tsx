import { type BrowserClient, browserTracingIntegration, init } from "@sentry/browser";
import Router from "next/router";
import { beforeEach, expect, test, vi } from "vitest";
import type { EarlyActivity } from "@/packages/sentry/src/browser/first-load/activity";

interface Transaction {
  transaction: string;
  transaction_info: { source: string };
  request?: { url: string };
  start_timestamp: number;
  timestamp: number;
  contexts: { trace: { op: string; status?: string; data: Record<string, unknown> } };
}

/** What the SDK has sent. */
let sent: Transaction[] = [];
/** What the browser has measured, by type. */
let buffered: Record<string, object[]> = {};
let client: BrowserClient;

beforeEach(async () => {
  vi.resetModules();
  sent = [];
  buffered = { event: [] };
  Object.assign(window, {
    __NEXT_DATA__: { page: "/blog/[id]", buildId: "b" },
    __BUILD_MANIFEST: { sortedPages: ["/", "/blog/[id]"] },
  });
  Object.assign(performance, { getEntriesByType: () => [], getEntriesByName: () => [] });
  vi.stubGlobal(
    "PerformanceObserver",
    class {
      static supportedEntryTypes = ["event"];
      #type = "";
      observe({ type }: { type: string }) {
        this.#type = type;
      }
      disconnect() {}
      takeRecords() {
        return buffered[this.#type] ?? [];
      }
    },
  );
  client = init({
    dsn: "http://key@localhost/1",
    defaultIntegrations: false,
    integrations: [
      browserTracingIntegration({ instrumentPageLoad: false, instrumentNavigation: false }),
    ],
    tracesSampleRate: 1,
    traceLifecycle: "static",
    beforeSendTransaction(event) {
      sent.push(event as Transaction);
      return null;
    },
  }) as BrowserClient;
});

const of = (op: string) => sent.filter(({ contexts }) => contexts.trace.op === op);

/** A click on a page of the visit. */
function activity(route: string, since: number, at: number): EarlyActivity {
  return { clicked: [], route, page: `http://localhost:3000${route}`, since, at };
}

test("an interaction belongs to the page that the visitor was on, whatever the machine's clock has done", async () => {
  const { sendLastInteraction } = await import("@/packages/sentry/src/browser/sdk/interaction");
  // The machine slept for three hours between the two: `performance` stood still.
  const slept = 3 * 3_600_000;
  const now = Date.now();
  sendLastInteraction([activity("/before", 100, now - slept), activity("/after", 5_000, now)]);
  buffered.event = [{ interactionId: 1, duration: 200, startTime: 6_000 }];
  dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(of("ui.interaction")).toHaveLength(1));
  expect(of("ui.interaction")[0]).toMatchObject({ transaction: "/after" });
});

test("a navigation whose target no pattern is known for is named by its path, as in Sentry's SDK", async () => {
  const { watchNavigation } = await import("@/packages/sentry/src/browser/first-load/navigation");
  const { traceNavigations } = await import("@/packages/sentry/src/browser/sdk/tracing");
  watchNavigation(Router);
  traceNavigations(client, []);
  for (const url of ["/offer/1/?a=b", "/blog/7"]) {
    Router.events.emit("routeChangeStart", url, { shallow: false });
    Router.events.emit("routeChangeError", { cancelled: true }, url, { shallow: false });
  }
  await client.flush(1);
  Router.events.emit("routeChangeStart", "/", { shallow: false });
  await vi.waitFor(() => expect(of("navigation")).toHaveLength(2));
  expect(of("navigation")).toMatchObject([
    {
      transaction: "/offer/1/",
      transaction_info: { source: "url" },
      contexts: { trace: { status: "cancelled" } },
    },
    { transaction: "/blog/[id]", transaction_info: { source: "route" } },
  ]);
});

test("a navigation from before the SDK has its outcome, and one that is under way as that comes its true start", async () => {
  const { watchNavigation } = await import("@/packages/sentry/src/browser/first-load/navigation");
  const { traceNavigations } = await import("@/packages/sentry/src/browser/sdk/tracing");
  const { recordActivity } = await import("@/packages/sentry/src/browser/first-load/activity");
  watchNavigation(Router);
  const activities = recordActivity();
  const start = (url: string) => Router.events.emit("routeChangeStart", url, { shallow: false });
  const failure = new Error("no data");
  start("/blog/1");
  Router.events.emit("routeChangeError", failure, "/blog/1", { shallow: false });
  start("/blog/2");
  start("/?a=b");
  const begun = Date.now() / 1000;
  await vi.waitFor(() => expect(Date.now() / 1000).toBeGreaterThan(begun));
  traceNavigations(client, activities);
  Router.events.emit("routeChangeComplete", "/?a=b", { shallow: false });
  start("/blog/3");
  await vi.waitFor(() => expect(of("navigation")).toHaveLength(2));
  expect(of("navigation")).toMatchObject([
    { transaction: "/blog/[id]", contexts: { trace: { status: "internal_error" } } },
    { transaction: "/blog/[id]", contexts: { trace: { status: "ok" } } },
  ]);
  expect(of("navigation")[1]?.start_timestamp).toBeLessThanOrEqual(begun);
});

test("a page load keeps the app's spans from after it, whatever origin they name, and none of the SDK's", async () => {
  Object.assign(performance, { getEntriesByType: () => [{ loadEventEnd: 0.1 }] });
  const { completeTransaction } = await import("@/packages/sentry/src/browser/sdk/tracing");
  const start_timestamp = Date.now() / 1000;
  const origins = ["manual", "auto.db.ours", "auto.ui.react.profiler", undefined];
  const ofSdk = ["auto.resource.browser.metrics", "auto.ui.browser.metrics", "auto.http.browser"];
  const event = completeTransaction({
    type: "transaction",
    contexts: { trace: { op: "pageload" } },
    spans: [...origins, ...ofSdk].map((origin) => ({ origin, start_timestamp })),
  } as never);
  expect(event?.spans?.map(({ origin }) => origin)).toEqual(origins);
});

test("a page load lasts until the load event, or until the last span that had begun by then has ended", async () => {
  Object.assign(performance, { getEntriesByType: () => [{ loadEventEnd: 0.1 }] });
  const loaded = (performance.timeOrigin + 0.1) / 1000;
  const endOf = async (...spans: [start: number, end: number][]) => {
    vi.resetModules();
    const { completeTransaction } = await import("@/packages/sentry/src/browser/sdk/tracing");
    const event = completeTransaction({
      type: "transaction",
      contexts: { trace: { op: "pageload" } },
      spans: spans.map(([start, end]) => ({
        origin: "manual",
        start_timestamp: loaded + start,
        timestamp: loaded + end,
      })),
    } as never);
    return event?.timestamp;
  };
  expect(await endOf([-0.05, -0.01], [0.02, 0.5])).toBe(loaded);
  // An animation frame, in which the page was loaded.
  expect(await endOf([-0.05, 0.03], [0.02, 0.5])).toBe(loaded + 0.03);
});
