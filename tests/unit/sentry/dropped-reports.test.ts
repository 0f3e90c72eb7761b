import { getClient } from "@sentry/nextjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureFailure } from "@/lib/sentry/src/server/references";
import { reportStored } from "@/lib/sentry/src/server/reports-under-way";
import { startReporting } from "@/lib/sentry/src/server/sdk";
import { readRuntimeConfig } from "@/lib/sentry/src/shared/environment/runtime";

const stored: string[] = [];

beforeAll(() => {
  startReporting({
    config: readRuntimeConfig({ SENTRY_SERVER_TRACING: "full" }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        const lines = Buffer.from(envelope).toString().split("\n");
        stored.push(JSON.parse(lines[2] ?? "").event_id);
      },
      async countDrops() {},
    },
    options: {
      ignoreErrors: ["ignored by the team"],
      beforeSend: (event, { originalException }) =>
        String(originalException).includes("kept back") ? null : event,
      integrations: [
        {
          name: "OfTheTeam",
          processEvent: (event) => (event.tags?.route === "/unwanted" ? null : event),
        },
      ],
    },
  });
});

afterAll(() => getClient()?.close());

// An answer waits for its report for up to a second, which is the bound here.
test.each([
  ["ignoreErrors", new Error("ignored by the team"), "/"],
  ["a beforeSend", new Error("kept back"), "/"],
  ["an event processor", new Error("not wanted"), "/unwanted"],
])("under full tracing no answer waits for a report that %s drops", async (_name, error, route) => {
  const id = captureFailure(error, { mechanism: "test", route });
  await expect.poll(() => reportStored(id), { timeout: 700, interval: 10 }).toBeUndefined();
  expect(stored).not.toContain(id);
});

test("and it waits for one that is kept", async () => {
  const id = captureFailure(new Error("kept"), { mechanism: "test" });
  captureFailure(new Error("ignored by the team, again"), { mechanism: "test" });
  await reportStored(id);
  expect(stored).toContain(id);
});
