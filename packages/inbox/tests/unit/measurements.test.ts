import { readFileSync } from "node:fs";
import * as Sentry from "@sentry/nextjs";
import { expect, test } from "vitest";
import { digest } from "@/packages/inbox/src/model/digest";
import type { Measurement } from "@/packages/inbox/src/model/measurements";
import { readSpan, rootOf } from "@/packages/inbox/src/model/spans";
import type { Origin } from "@/packages/relay/src/outbox/reports";
import { envelope, stored } from "@/tests/support/envelopes";

/** What was measured in it, but for whole visits. */
function samplesOf(bytes: Uint8Array, origin: Origin = "browser"): Measurement[] {
  const { measurements } = digest(stored(1, bytes, { origin }));
  return measurements.filter(({ metric }) => metric !== "visit");
}

/**
 * Envelopes that @sentry/nextjs 11.1.0 sent from Chromium: a page load of `/dynamic/[id]`, a layout
 * shift, a click that took over 100 ms, a click that threw, feedback, and the page being hidden.
 */
function recorded(lifecycle: "static" | "stream"): Measurement[] {
  const file = `${import.meta.dirname}/recorded/browser-${lifecycle}.json`;
  const envelopes: string[] = JSON.parse(readFileSync(file, "utf8"));
  return envelopes.flatMap((text) => samplesOf(Buffer.from(text)));
}

test.each([["static" as const], ["stream" as const]])(
  "a page load that the SDK sent in its %s form gives all five vitals, once each",
  (lifecycle) => {
    const samples = recorded(lifecycle);
    expect(new Set(samples.map(({ route }) => route))).toEqual(new Set(["/dynamic/[id]"]));
    const values = new Map(samples.map(({ metric, value }) => [metric, value]));
    expect([samples.length, [...values.keys()].sort()]).toEqual([
      5,
      ["cls", "fcp", "inp", "lcp", "ttfb"],
    ]);
    expect(values.get("inp")).toBe(128);
    expect(values.get("cls")).toBeCloseTo(0.0217, 4);
  },
);

test.each([["static" as const], ["stream" as const]])(
  "requests that the server SDK sent in its %s form give durations and failures",
  async (lifecycle) => {
    const sent: Uint8Array[] = [];
    const client = new Sentry.NodeClient({
      dsn: "https://key@example.org/1",
      tracesSampleRate: 1,
      traceLifecycle: lifecycle,
      integrations: lifecycle === "stream" ? [Sentry.spanStreamingIntegration()] : [],
      stackParser: () => [],
      transport: (options) =>
        Sentry.createTransport(options, async ({ body }) => {
          sent.push(Buffer.from(body));
          return { statusCode: 200 };
        }),
    });
    client.init();
    Sentry.withIsolationScope((isolation) => {
      isolation.setClient(client);
      Sentry.withScope((scope) => {
        scope.setClient(client);
        for (const [seconds, code] of [
          [0.1, 200],
          [0.2, 404],
          [0.3, 500],
        ] as const) {
          const span = Sentry.startInactiveSpan({
            name: "GET /server",
            op: "http.server",
            forceTransaction: true,
            startTime: 1_800_000_000,
          });
          Sentry.setHttpStatus(span, code);
          span.end(1_800_000_000 + seconds);
        }
      });
    });
    await client.close(2000);
    const samples = sent.flatMap((bytes) => samplesOf(bytes, "server"));
    expect(
      samples.map((one) => [one.metric, one.route, Math.round(one.value), one.failed]),
    ).toEqual([
      ["request", "/server", 100, 0],
      ["request", "/server", 200, 0],
      ["request", "/server", 300, 1],
    ]);
  },
);

test("a browser can't make up server requests", () => {
  const transaction = {
    transaction: "/server",
    start_timestamp: 1,
    timestamp: 2,
    contexts: { trace: { op: "http.server", trace_id: "1" } },
  };
  expect(samplesOf(envelope([["transaction", transaction]]))).toEqual([]);
});

test("a vital that is both measured on the page load and sent as a child span counts once", () => {
  const transaction = {
    transaction: "/",
    measurements: { lcp: { value: 100 } },
    spans: [{ data: { "browser.web_vital.lcp.value": 100, "browser.web_vital.cls.value": 0 } }],
  };
  const samples = samplesOf(envelope([["transaction", transaction]]));
  expect(samples.map(({ metric }) => metric)).toEqual(["lcp", "cls"]);
});

test("values no browser could have measured are left out", () => {
  const measurements = { lcp: { value: -1 }, inp: { value: "12" }, cls: { value: 1e9 }, fcp: null };
  const bytes = envelope([["transaction", { transaction: "/", measurements }]]);
  expect(samplesOf(bytes)).toEqual([]);
});

test("one report can't add more measurements than a report has, and the rest is counted", () => {
  const items = Array.from({ length: 5000 }, (_, i) => ({
    name: `/made-up/${i}`,
    start_timestamp: 1,
    end_timestamp: 2,
    attributes: {
      "sentry.op": { value: "http.server", type: "string" },
      "browser.web_vital.lcp.value": { value: 1, type: "integer" },
    },
  }));
  const bytes = envelope([["span", { items }]]);
  const browser = digest(stored(1, bytes));
  expect([browser.measurements.length, browser.unreadable]).toEqual([100, 4900]);
  const server = digest(stored(1, bytes, { origin: "server" }));
  // 4,000 spans are not looked at; the others hold two measurements each.
  expect([server.measurements.length, server.unreadable]).toEqual([2000, 4000]);
});

test.each([
  [{ data: { "http.response.status_code": 200 }, status: "ok" }, false],
  [{ data: { "http.response.status_code": 429 }, status: "resource_exhausted" }, false],
  [{ data: { "http.response.status_code": 400 }, status: "error" }, false],
  [{ data: { "http.response.status_code": 503 }, status: "unavailable" }, true],
  [{ data: { "http.response.status_code": 504 }, status: "ok" }, true],
  [{ status: "resource_exhausted" }, false],
  [{ status: "invalid_argument" }, false],
  [{ status: "cancelled" }, false],
  [{ status: "deadline_exceeded" }, true],
  [{ status: "internal_error" }, true],
  [{}, false],
])(
  "a request that ended with %j is red in the waterfall if it counts as failed: %j",
  (end, failed) => {
    const times = { start_timestamp: 1_800_000_000, timestamp: 1_800_000_001 };
    const trace = { op: "http.server", trace_id: "a".repeat(32), ...end };
    const transaction = { transaction: "/server", contexts: { trace }, ...times };
    const span = { op: "http.server", span_id: "b".repeat(16), ...times, ...end };
    for (const [type, payload, drawn] of [
      ["transaction", transaction, readSpan(rootOf(transaction))],
      ["span", span, readSpan(span)],
    ] as const) {
      const samples = samplesOf(envelope([[type, payload]]), "server");
      expect(samples).toMatchObject([{ metric: "request", failed: failed ? 1 : 0 }]);
      expect(drawn).toMatchObject({ failed });
    }
  },
);
