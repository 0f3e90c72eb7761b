import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getClient } from "@sentry/nextjs";
import { expect, onTestFinished, test } from "vitest";
import { shared } from "@/packages/sentry/src/server/reporting-state";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

test("a client that claims every trace is sampled is believed for a few a second only", async () => {
  let transactions = 0;
  const scopes = startReporting({
    options: {},
    config: readRuntimeConfig({ SENTRY_TRACES_SAMPLE_RATE: "0.000001" }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append() {
        transactions += 1;
      },
      async countDrops() {},
    },
  });
  const answer: RequestListener = (req, res) => {
    Object.assign(req, { [Symbol.for("NextInternalRequestMeta")]: { invokeOutput: "/server" } });
    scopes.serve(req, res, () => res.end());
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await getClient()?.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const headers = { "sentry-trace": "0123456789abcdef0123456789abcdef-0123456789abcdef-1" };
  await Promise.all(
    Array.from({ length: 200 }, () => fetch(url, { headers }).then((a) => a.text())),
  );
  shared().reporter?.flush();
  expect(transactions).toBeGreaterThanOrEqual(20);
  expect(transactions).toBeLessThan(200);
});
