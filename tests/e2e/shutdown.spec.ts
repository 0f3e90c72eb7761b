import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "../support/app";
import type { App } from "../support/server";

/** Begins a request, and resolves once the server has it in hand: it says "100 Continue" then. */
async function inFlight(url: string): Promise<{ status: Promise<number>; body: Promise<string> }> {
  const asking = request(url, { headers: { Expect: "100-continue" }, agent: false });
  const answered = once(asking, "response").then(([answer]) => answer as IncomingMessage);
  asking.end();
  await once(asking, "continue");
  const status = answered.then(({ statusCode = 0 }) => statusCode);
  return { status, body: answered.then(text) };
}

/** Asks until the answer has the status: what a load balancer does. */
async function readyAnswers(app: App, status: number): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await fetch(app.url("/api/health/ready"));
    const body = await answer.json();
    if (answer.status === status) return body;
  }
}

test("a key that the service refuses is told as the server starts", async ({ launch, service }) => {
  await service.behave({ answers: [{ status: 403, body: '{"detail":"wrong key"}' }] });
  const app = await launch({ SENTRY_DSN: service.dsn });
  const refused = { status: 403, reason: "wrong key" };
  const ready = async () => (await fetch(app.url("/api/health/ready"))).json();
  await expect.poll(ready).toMatchObject({ status: "ready", reportsWaiting: 0, refused });
  expect(app.output()).toMatch(/"level":"error","event":"service refuses reports","status":403/);
});

test("a running server is ready, and says how its reports fare", async ({ launch, service }) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_RELEASE: "1.2.3" });
  const answer = await fetch(app.url("/api/health/ready"));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.json()).toEqual({
    status: "ready",
    version: "1.2.3",
    outboxWritable: true,
    reportsWaiting: 0,
    errorsWaiting: 0,
    othersWaiting: 0,
    oldestAgeMs: null,
    oldestErrorAgeMs: null,
    lastDelivery: null,
    reason: null,
    reportsSetAside: 0,
    refused: null,
  });
  await service.behave("refuse");
  await fetch(app.url("/api/failure"));
  const waiting = await (await fetch(app.url("/api/health/ready"))).json();
  expect(waiting.reportsWaiting).toBeGreaterThan(0);
  expect(waiting.oldestAgeMs).toBeGreaterThanOrEqual(0);
  expect(waiting.errorsWaiting).toBeGreaterThan(0);
  expect(waiting.oldestErrorAgeMs).toBeGreaterThanOrEqual(0);
});

test("SIGTERM turns ready to 503, then requests in flight are answered, then the process ends with 0", {
  tag: "@shell",
}, async ({ launch }) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=2500"));
  app.signal("SIGTERM");
  expect(await readyAnswers(app, 503)).toMatchObject({ status: "stopping" });
  expect(await slow.status).toBe(200);
  expect(await slow.body).toContain("</html>");
  expect(await app.exited).toBe(0);
});

test("a request that comes in after SIGTERM, while the balancer still sends some, is answered too", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch();
  app.signal("SIGTERM");
  await readyAnswers(app, 503);
  const slow = await inFlight(app.url("/slow?ms=2000"));
  expect(await slow.status).toBe(200);
  expect(await slow.body).toContain("</html>");
  expect(await app.exited).toBe(0);
});

test("on the way out, what was accepted is delivered", async ({ launch, service }) => {
  const app = await launch({ SENTRY_DSN: service.dsn });
  const body = await (await fetch(app.url("/api/failure"))).json();
  app.signal("SIGTERM");
  expect(await app.exited).toBe(0);
  const ids = service.eventIds();
  expect(ids).toEqual([body.reference]);
});

test("a service that hangs does not keep the process from ending with 0", {
  tag: "@verify",
}, async ({ launch, service }) => {
  await service.behave("hang");
  const app = await launch({ SENTRY_DSN: service.dsn });
  await fetch(app.url("/api/failure"));
  await service.waitFor(({ attempts }) => attempts[0]);
  app.signal("SIGTERM");
  expect(await app.exited).toBe(0);
});

test("a second signal ends the process at once", { tag: "@verify" }, async ({ launch }) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=5000"));
  const broken = expect(slow.status).rejects.toThrow();
  slow.body.catch(() => {});
  app.signal("SIGTERM");
  await readyAnswers(app, 503);
  // One that follows at once is npm's echo of the first, and counts for nothing.
  const repeated = setInterval(() => app.signal("SIGTERM"), 50);
  await broken;
  clearInterval(repeated);
  expect(await app.exited).toBe(143);
});

test("a signal that comes twice at once, by way of npm too, ends the process in good order", async ({
  launch,
}) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=500"));
  app.signal("SIGTERM");
  // At once, as npm does it: a request in between takes longer on a busy machine.
  setImmediate(() => app.signal("SIGTERM"));
  await readyAnswers(app, 503);
  expect(await slow.status).toBe(200);
  await slow.body;
  expect(await app.exited).toBe(0);
});
