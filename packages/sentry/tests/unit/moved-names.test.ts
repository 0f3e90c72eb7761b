import { createRequire } from "node:module";
import { getClient } from "@sentry/nextjs";
import { afterAll, expect, test, vi } from "vitest";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { reportStored } from "@/packages/sentry/src/server/reports-under-way";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

afterAll(() => getClient()?.close());

/** Of the SDK for servers, which is a CommonJS module. */
const { Client } = createRequire(import.meta.url)("@sentry/core");

test("where the SDK has moved what is private, the log says so, and errors are reported", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const { prototype } = Client;
  const captureEvent = prototype._captureEvent;
  prototype._captureEvent = undefined;
  const stored: string[] = [];
  startReporting({
    config: readRuntimeConfig({}),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        stored.push(Buffer.from(envelope).toString());
      },
      async countDrops() {},
    },
    options: {},
  });
  prototype._captureEvent = captureEvent;
  expect(String(written.mock.calls)).toContain("unknown version of Sentry's SDK");
  written.mockRestore();
  const reference = captureFailure(new Error("broken"), { mechanism: "test" });
  await reportStored(reference);
  expect(stored.join()).toContain(`"event_id":"${reference}"`);
});
