import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import type { App } from "../support/server";

/** The lines of the log with this event. */
function linesOf(app: App, event: string): Record<string, unknown>[] {
  return app
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.event === event);
}

test("it is said at start what was understood, which variables have no effect and where reports go, but no key or token", async ({
  launch,
  service,
}) => {
  const app = await launch({
    SENTRY_DSN: service.dsn,
    SENTRY_DNS: service.dsn,
    NEXT_PUBLIC_TUNNEL: "post",
    TRUSTED_PROXIES: "10.0.0.1",
  });
  expect(linesOf(app, "started")).toEqual([
    expect.objectContaining({
      level: "info",
      reports: "service",
      service: new URL(service.dsn).host,
      outbox: "file",
      dataDir: app.dataDir,
      trustedProxies: "10.0.0.1",
      node: process.versions.node,
    }),
  ]);
  expect(linesOf(app, "check variable").map(({ level, name }) => [level, name])).toEqual([
    ["warn", "SENTRY_DNS"],
    ["warn", "NEXT_PUBLIC_TUNNEL"],
  ]);
  const { host, username } = new URL(service.dsn);
  await expect.poll(app.output).toContain(`${host}, project 42`);
  for (const secret of [username, app.inboxToken]) expect(app.output()).not.toContain(secret);
  // With a service there is no inbox.
  expect((await fetch(app.url(`/reports?token=${app.inboxToken}`))).status).toBe(404);
});

test("wrong variables are all told at once, without secrets, and nothing is served", async ({
  launch,
}) => {
  const wrong = {
    SENTRY_DSN: "https://key@sentry.example.com",
    RELAY_RATE: "0",
    METRICS_TOKEN: "too-short",
    KEEP_ALIVE_TIMEOUT: "65",
  };
  const fault = await launch(wrong).catch(String);
  expect(fault).toMatch(/The server ended with 1:/);
  for (const name of Object.keys(wrong)) expect(fault).toMatch(new RegExp(`^  ${name} `, "m"));
  expect(fault).not.toContain("too-short");
});

test("an outgoing proxy that is not there, named without a scheme, keeps no page away and is told of once", async ({
  launch,
}) => {
  const app = await launch({
    SENTRY_DSN: "https://key@sentry.invalid/1",
    HTTPS_PROXY: `localhost:${await freePort()}`,
  });
  expect((await fetch(app.url("/api/failure"))).status).toBe(500);
  expect((await fetch(app.url("/server"))).status).toBe(200);
  const ready = async () => (await fetch(app.url("/api/health/ready?reporting"))).json();
  await expect.poll(ready).toMatchObject({ status: "ready", delivery: "pausing", refused: null });
  expect(linesOf(app, "service can't be reached")).toMatchObject([
    { level: "warn", cause: expect.stringContaining("ECONNREFUSED") },
  ]);
});

test("a proxy that is not trusted is told of once, and what was refused as the server ends", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch({ RELAY_RATE: "2" });
  const headers = { "X-Forwarded-For": "203.0.113.7" };
  for (let n = 0; n < 5; n++) {
    await fetch(app.url("/api/relay"), { method: "POST", headers, body: "no envelope" });
  }
  expect(linesOf(app, "proxy not trusted")).toMatchObject([{ level: "warn", from: "loopback" }]);
  app.signal("SIGTERM");
  expect(await app.exited).toBe(0);
  expect(linesOf(app, "envelopes refused")).toMatchObject([
    { level: "warn", malformed: 2, rate_limited: 3 },
  ]);
});

/** How long the server says that it keeps a connection. */
async function keepAliveOf(app: App): Promise<string | string[] | undefined> {
  const agent = new Agent({ keepAlive: true });
  const asking = request(app.url("/api/health/live"), { agent });
  asking.end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  agent.destroy();
  return answer.headers["keep-alive"];
}

test("idle connections are kept for 65 s, or as KEEP_ALIVE_TIMEOUT says", {
  tag: ["@shell", "@verify"],
}, async ({ app, launch }) => {
  expect(await keepAliveOf(app)).toBe("timeout=65");
  expect(await keepAliveOf(await launch({ KEEP_ALIVE_TIMEOUT: "7000" }))).toBe("timeout=7");
});

test("metrics are for who has the token, and count requests by the pattern of their route", {
  tag: "@shell",
}, async ({ launch }) => {
  const token = "token-of-prometheus";
  const app = await launch({ METRICS_TOKEN: token });
  const metrics = (authorization: string) =>
    fetch(app.url("/api/metrics"), { headers: { authorization } });
  for (const wrong of ["", `Basic ${token}`, `Bearer ${token}s`]) {
    expect((await metrics(wrong)).status, wrong).toBe(401);
  }
  for (const path of ["/dynamic/a-1", "/de/dynamic/b-2", "/dynamic/!", "/nowhere", "/static"]) {
    await (await fetch(app.url(path))).text();
  }
  await fetch(app.url("/api/relay"), { method: "POST", body: "no envelope" });
  const answer = await metrics(`Bearer ${token}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/openmetrics-text;/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const lines = (await answer.text()).split("\n");
  const count = (route: string, status: string) =>
    `signpost_http_request_duration_seconds_count{route="${route}",status="${status}"}`;
  expect(lines).toContain(`${count("/dynamic/[id]", "2xx")} 2`);
  expect(lines).toContain(`${count("/static", "2xx")} 1`);
  expect(lines).toContain(`${count("/api/[tunnel]", "4xx")} 1`);
  expect(lines).toContain(`${count("/api/metrics", "4xx")} 3`);
  expect(lines).toContain('signpost_refused_total{kind="envelopes",reason="malformed"} 1');
  expect(lines).toContain("signpost_outbox_writable 1");
  expect(lines.filter((line) => line.includes("nowhere"))).toEqual([]);
});
