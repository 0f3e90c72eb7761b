import { continueTrace, getClient, startSpan } from "@sentry/nextjs";
import { expect, onTestFinished, test } from "vitest";
import { shared } from "@/packages/sentry/src/server/reporting-state";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

test("a client's claims about its trace are limited: its rate counts for nothing, its decision for a few a second, and for nothing where nothing is measured", async () => {
  const transactions: string[] = [];
  let takesMeasurements = false;
  const scopes = startReporting({
    options: {},
    config: readRuntimeConfig({
      SENTRY_SERVER_TRACING: "full",
      SENTRY_TRACES_SAMPLE_RATE: "0.000001",
    }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const lines = Buffer.from(envelope).toString().split("\n");
        if (JSON.parse(lines[1] ?? "").type === "transaction") transactions.push(lines[2] ?? "");
      },
      async countDrops() {},
    },
    takesMeasurements: () => takesMeasurements,
  });
  onTestFinished(async () => {
    await getClient()?.close();
  });
  const traceId = "0123456789abcdef0123456789abcdef";
  const baggage = `sentry-trace_id=${traceId},sentry-sample_rate=1,sentry-sample_rand=0`;
  const ask = (decision: string) => {
    const headers: Record<string, string> = {
      "sentry-trace": `${traceId}-0123456789abcdef${decision}`,
      baggage,
    };
    scopes.limitTrace({ headers } as never);
    const trace = { sentryTrace: headers["sentry-trace"], baggage: headers.baggage };
    continueTrace(trace, () =>
      startSpan({ name: "GET /", attributes: { "http.target": "/" } }, () => {}),
    );
  };
  ask("-1");
  takesMeasurements = true;
  for (let n = 0; n < 50; n += 1) ask("-0");
  shared().reporter?.flush();
  expect(transactions).toEqual([]);
  for (const decision of ["", "-1"]) for (let n = 0; n < 100; n += 1) ask(decision);
  shared().reporter?.flush();
  // One was followed before, while nothing was measured.
  await expect.poll(() => transactions.length).toBeGreaterThanOrEqual(19);
  // More are allowed meanwhile.
  expect(transactions.length).toBeLessThanOrEqual(60);
});
