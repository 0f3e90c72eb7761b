import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as Sentry from "@sentry/nextjs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Drops } from "@/packages/relay/src/envelope/client-report";
import { captureUnderscoreErrorException } from "@/packages/sentry/src/server/captures";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { shared } from "@/packages/sentry/src/server/reporting-state";
import { reportRequestError } from "@/packages/sentry/src/server/request-errors";
import type { RequestScopes } from "@/packages/sentry/src/server/request-scopes";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

type Payload = Record<string, unknown> & { tags?: Record<string, unknown>; items?: unknown[] };

const payloads: Payload[] = [];
const drops: Drops[] = [];
const seen: string[] = [];
let scopes: RequestScopes;

beforeAll(() => {
  scopes = startReporting({
    config: readRuntimeConfig({ SENTRY_TRACES_SAMPLE_RATE: "0" }),
    basePath: "",
    tunnelPath: "/api/relay",
    store: {
      async append(envelope) {
        payloads.push(JSON.parse(Buffer.from(envelope).toString().split("\n")[2] ?? ""));
      },
      async countDrops(counted) {
        drops.push(...counted);
      },
    },
    options: {
      beforeSend(event, { originalException }) {
        seen.push(String(event.request?.query_string));
        if (String(originalException).includes("kept back")) return null;
        return { ...event, tags: { ...event.tags, team: "recipes" } };
      },
      ignoreErrors: ["ignored by the team"],
      initialScope: { tags: { region: "north" } },
      integrations: [
        { name: "OfTheTeam", processEvent: (event) => ({ ...event, logger: "team" }) },
      ],
      beforeSendLog: (log) => (log.message === "kept back" ? null : log),
      beforeSendMetric: (metric) => (metric.name === "kept.back" ? null : metric),
      tracesSampler: ({ attributes }) => (attributes?.["url.path"] === "/traced" ? 1 : 0),
    },
  });
});

afterAll(() => Sentry.getClient()?.close());

beforeEach(() => {
  for (const list of [payloads, drops, seen]) list.length = 0;
});

/** Serves one request. */
async function serve(path: string, handle: () => void): Promise<void> {
  const server = createServer((req, res) => {
    Object.assign(req, { [Symbol.for("NextInternalRequestMeta")]: { invokeOutput: "/route" } });
    scopes.serve(req, res, () => {
      handle();
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text();
  await new Promise((resolve) => server.close(resolve));
  shared().reporter?.flush();
}

test("the team's beforeSend sees what scrubbing then takes out, and its other options count", async () => {
  await serve("/a?token=secret", () => {
    Sentry.captureException(new Error("reported"));
    Sentry.captureException(new Error("kept back"));
    Sentry.captureException(new Error("ignored by the team"));
  });
  expect(seen).toEqual(["token=secret", "token=secret"]);
  expect(payloads).toMatchObject([
    {
      tags: { team: "recipes", region: "north", side: "server", route: "/route", method: "GET" },
      transaction: "GET /route",
      logger: "team",
      request: { url: expect.stringMatching(/^http:.*\/a$/), query_string: "token=[Filtered]" },
    },
  ]);
});

test("lastEventId names what the error page of a failed request names, as with Sentry's own set-up", async () => {
  const err = new Error("in getServerSideProps");
  const report = async () => {
    await reportRequestError(err, { path: "/a", method: "GET", headers: {} }, context);
    const res = { statusCode: 500 } as ServerResponse;
    return [await captureUnderscoreErrorException({ err, res }), Sentry.lastEventId()];
  };
  let ids: ReturnType<typeof report> | undefined;
  await serve("/a", () => {
    ids = report();
  });
  const [reference, last] = (await ids) ?? [];
  expect(reference).toMatch(/^[\da-f]{32}$/);
  expect(last).toBe(reference);
});

const context = {
  routerKind: "Pages Router",
  routePath: "/a",
  routeType: "render",
  revalidateReason: undefined,
} as const;

test("the team's tracesSampler decides which requests are traced", async () => {
  await serve("/traced", () => {});
  await serve("/untraced", () => {});
  expect(payloads).toMatchObject([{ type: "transaction", transaction: "GET /route" }]);
});

test("an error that the team has captured is no second event where it fails its request too", () => {
  const error = new Error("captured, then thrown");
  const eventId = Sentry.captureException(error);
  expect(captureFailure(error, { mechanism: "test" })).toBe(eventId);
  expect(payloads).toHaveLength(1);
});

test("what the team captures itself is limited and counted like everything else", () => {
  for (let n = 0; n < 300; n += 1) Sentry.captureException(new Error(`flood ${n}`));
  for (let n = 0; n < 300; n += 1) Sentry.captureMessage(`message ${100 + n}`);
  for (let n = 0; n < 300; n += 1) Sentry.captureEvent({ message: `event ${100 + n}` });
  shared().reporter?.flush();
  // Each limit fills up again with time, by ten a minute.
  expect(payloads.length).toBeGreaterThanOrEqual(300);
  expect(payloads.length).toBeLessThan(350);
  expect(drops).toEqual([
    { reason: "backpressure", category: "error", quantity: 900 - payloads.length },
  ]);
});

const others: [category: string, capture: (n: number) => void, keptBack?: () => void][] = [
  ["log_item", (n) => Sentry.logger.info(`log ${n}`), () => Sentry.logger.info("kept back")],
  ["metric", (n) => Sentry.metrics.count(`m${n}`), () => Sentry.metrics.count("kept.back")],
  ["feedback", (n) => Sentry.captureFeedback({ message: `feedback ${n}` })],
];

for (const [category, capture, keptBack] of others) {
  test(`of what the server sends as ${category}, so many are let through, the rest is counted`, async () => {
    const [attempts, burst] = category === "feedback" ? [1_000, 500] : [12_000, 10_000];
    for (let n = 0; n < attempts; n += 1) keptBack?.();
    for (let n = 0; n < attempts; n += 1) capture(n);
    await Sentry.flush();
    shared().reporter?.flush();
    const sent = payloads.flatMap((payload) => payload.items ?? [payload]).length;
    // Each limit fills up again with time.
    expect(sent).toBeGreaterThanOrEqual(burst);
    expect(sent).toBeLessThan(burst * 1.1);
    const quantity = drops.reduce((sum, drop) => sum + drop.quantity, 0);
    expect(new Set(drops.map((drop) => drop.category))).toEqual(new Set([category]));
    expect(sent + quantity).toBe(attempts);
  });
}
