import { captureException, getClient } from "@sentry/nextjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { reportStored } from "@/packages/sentry/src/server/reports-under-way";
import { reportFailure } from "@/packages/sentry/src/server/request-errors";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

const stored: string[] = [];
/** Which the team gives some of its events. */
const ownId = "0123456789abcdef0123456789abcdef";

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
      beforeSend: (event, { originalException }) => {
        const words = String(originalException);
        if (words.includes("renamed")) return { ...event, event_id: ownId };
        return words.includes("kept back") ? null : event;
      },
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

test("nor for one that the team has captured itself and then thrown, if it is dropped", async () => {
  const error = new Error("kept back, captured by the team");
  const id = captureException(error);
  expect(captureFailure(error, { mechanism: "test" })).toBe(id);
  await expect.poll(() => reportStored(id), { timeout: 700, interval: 10 }).toBeUndefined();
});

test("an answer waits for a report that a beforeSend gives an id of its own, and names that", async () => {
  const error = new Error("renamed by the team");
  const answer = reportFailure(error, { mechanism: "test" }, "GET").then((reference) => {
    expect(stored).toContain(ownId);
    return reference;
  });
  await expect.poll(() => stored, { timeout: 700, interval: 10 }).toContain(ownId);
  expect(await answer).toBe(ownId);
  expect(reportStored(ownId)).toBeUndefined();
});

test("and it waits for one that is kept", async () => {
  const id = captureFailure(new Error("kept"), { mechanism: "test" });
  captureFailure(new Error("ignored by the team, again"), { mechanism: "test" });
  await reportStored(id);
  expect(stored).toContain(id);
});
