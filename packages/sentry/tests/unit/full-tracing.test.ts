import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as Sentry from "@sentry/nextjs";
import { expect, onTestFinished, test } from "vitest";
import { ServiceConnection } from "@/packages/relay/src/delivery/service-connection";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { shared } from "@/packages/sentry/src/server/reporting-state";
import { reportStored } from "@/packages/sentry/src/server/reports-under-way";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

test("full tracing sends errors, no sessions of requests, which the server counts itself, and traces no delivery", async () => {
  const types: string[] = [];
  const ids: string[] = [];
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  startReporting({
    options: {},
    config: readRuntimeConfig({
      SENTRY_SERVER_TRACING: "full",
      SENTRY_RELEASE: "1.2.3",
      SENTRY_DSN: `http://key@127.0.0.1:${port}/1`,
    }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const lines = Buffer.from(envelope).toString().split("\n");
        types.push(JSON.parse(lines[1] ?? "").type);
        ids.push(JSON.parse(lines[0] ?? "").event_id);
      },
      async countDrops() {},
    },
  });
  onTestFinished(async () => {
    await Sentry.getClient()?.close();
    server.closeAllConnections();
    server.close();
  });
  for (let i = 0; i < 3; i += 1) await (await fetch(url)).text();

  captureFailure(new Error("failed"), { mechanism: "test" });
  shared().reporter?.flush();
  await expect.poll(() => types).toContain("event");
  expect(types).toEqual(["event"]);

  // A page that captures an error itself, and throws it again: the error page names its event.
  const error = new Error("captured and thrown again");
  const id = Sentry.captureException(error);
  expect(captureFailure(error, { mechanism: "test" })).toBe(id);
  await reportStored(id);
  expect(ids.at(-1)).toBe(id);

  // What a request asks for is part of its trace. A delivery is none: it would make another one.
  const times = { connectMs: 5000, stallMs: 5000, totalMs: 5000 };
  const service = new ServiceConnection(`${url}/api/1/envelope/`, undefined, times);
  await Sentry.startSpan({ name: "GET /", attributes: { "http.target": "/" } }, async () => {
    await fetch(url);
    const nothing = new Uint8Array();
    await service.post([Buffer.from("{}"), nothing], {}, Number.POSITIVE_INFINITY);
  });
  service.close();
  const traced = asked.slice(-2).map(({ headers }) => headers["sentry-trace"] !== undefined);
  expect(traced).toEqual([true, false]);
});
