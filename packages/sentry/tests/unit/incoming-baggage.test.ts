import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as Sentry from "@sentry/nextjs";
import { expect, onTestFinished, test } from "vitest";
import { shared } from "@/packages/sentry/src/server/reporting-state";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

test("with full tracing, a client's baggage says only how its trace was sampled: the rest is the server's own", async () => {
  const traces: unknown[] = [];
  startReporting({
    options: {},
    config: readRuntimeConfig({
      SENTRY_SERVER_TRACING: "full",
      SENTRY_RELEASE: "1.2.3",
      SENTRY_ENVIRONMENT: "staging",
    }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const [header = ""] = Buffer.from(envelope).toString().split("\n", 1);
        traces.push(JSON.parse(header).trace);
      },
      async countDrops() {},
    },
  });
  const server = createServer((_request, response) => {
    Sentry.captureException(new Error("failed"));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await Sentry.getClient()?.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const trace_id = "0123456789abcdef0123456789abcdef";
  const sampling = { trace_id, sampled: "true", sample_rand: "0.5" };
  const theirs = { public_key: "theirs", release: "theirs", environment: "theirs" };
  const entries = Object.entries({ ...sampling, ...theirs, transaction: "theirs" });
  const headers = {
    "sentry-trace": `${trace_id}-0123456789abcdef-1`,
    baggage: entries.map(([name, value]) => `sentry-${name}=${value}`).join(),
  };
  await (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
  shared().reporter?.flush();
  await expect.poll(() => traces).toHaveLength(1);
  expect(traces).toEqual([
    { ...sampling, public_key: "signpost", release: "1.2.3", environment: "staging" },
  ]);
});
