import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as Sentry from "@sentry/nextjs";
import { expect, onTestFinished, test } from "vitest";
import { captureFailure } from "@/lib/sentry/src/server/references";
import { reportStored } from "@/lib/sentry/src/server/reports-under-way";
import { startReporting } from "@/lib/sentry/src/server/sdk";
import { shared } from "@/lib/sentry/src/server/shared";
import { readRuntimeConfig } from "@/lib/sentry/src/shared/environment/runtime";

test("full tracing sends errors and no sessions of requests: the server counts those of documents itself", async () => {
  const types: string[] = [];
  const ids: string[] = [];
  startReporting({
    options: {},
    config: readRuntimeConfig({ SENTRY_SERVER_TRACING: "full", SENTRY_RELEASE: "1.2.3" }),
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
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await Sentry.getClient()?.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 3; i += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text();

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
});
