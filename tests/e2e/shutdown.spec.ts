import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import { inFlight } from "../support/in-flight";
import { type App, signalGroup, spawnNpm, spawnServer } from "../support/server";
import { variants } from "../support/variants";

/** Asks until the answer has the status: what a load balancer does. */
async function readyAnswers(app: App, status: number): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await fetch(app.url("/api/health/ready"));
    const body = await answer.json();
    if (answer.status === status) return body;
  }
}

test("a key that the service refuses is told as the server starts", { tag: "@verify" }, async ({
  launch,
  service,
}) => {
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
    delivery: "delivering",
    reportsWaiting: 0,
    errorsWaiting: 0,
    othersWaiting: 0,
    oldestAgeMs: null,
    oldestErrorAgeMs: null,
    lastDelivery: null,
    reason: null,
    reportsSetAside: 0,
    damagedFiles: 0,
    refused: null,
    limited: null,
  });
  await service.behave("refuse");
  await fetch(app.url("/api/failure"));
  const waiting = await (await fetch(app.url("/api/health/ready?reporting"))).json();
  expect(waiting.reportsWaiting).toBeGreaterThan(0);
  expect(waiting.oldestAgeMs).toBeGreaterThanOrEqual(0);
  expect(waiting.errorsWaiting).toBeGreaterThan(0);
  expect(waiting.oldestErrorAgeMs).toBeGreaterThanOrEqual(0);
  const dispatcher = async () =>
    (await (await fetch(app.url("/api/health/ready?reporting"))).json()).delivery;
  await expect.poll(dispatcher).toBe("pausing");
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

test("a page that is being renewed in the background as SIGTERM comes is renewed to its end", {
  tag: "@shell",
}, async ({ launch }) => {
  const app = await launch({ SHUTDOWN_NOTICE_SECONDS: "0" });
  const cached = async () => (await fetch(app.url("/renewed"))).headers.get("x-nextjs-cache");
  await expect.poll(cached).toBe("STALE");
  app.signal("SIGTERM");
  expect(await app.exited).toBe(0);
  expect(app.output()).toMatch(/"event":"stopping".*\/renewed is renewed.*"event":"stopped"/s);
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

test("a proxy that has connected before the server closes, and asks just after, has an answer", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch({ SHUTDOWN_NOTICE_SECONDS: "0" });
  const { port, host } = new URL(app.origin);
  const connection = connect(Number(port), "127.0.0.1");
  await once(connection, "connect");
  app.signal("SIGTERM");
  const isRefused = () =>
    fetch(app.url("/static"))
      .then(() => false)
      .catch(() => true);
  await expect.poll(isRefused, { intervals: [20] }).toBe(true);
  connection.write(`GET ${new URL(app.url("/static")).pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  expect(await text(connection)).toMatch(/^HTTP\/1\.1 200.*<\/html>/s);
  expect(await app.exited).toBe(0);
});

test("slow requests that never pause: each that has begun is answered, and after the notice no more begin", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch();
  const statuses: Promise<number | string | undefined>[] = [];
  /** On a connection of its own. */
  const ask = async () => {
    const begun = await inFlight(app.url("/slow?ms=1000")).catch(({ code }) => code);
    // Refused, or in the kernel's hands as the server stopped listening.
    if (/^ECONN(REFUSED|RESET)$/.test(begun)) return "has not begun";
    return begun.status.catch(String);
  };
  const asking = setInterval(() => statuses.push(ask()), 50);
  await expect.poll(() => statuses.length).toBeGreaterThan(5);
  app.signal("SIGTERM");
  expect(await app.exited).toBe(0);
  clearInterval(asking);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200, "has not begun"]));
  expect(app.output()).toContain('"event":"stopped","answered":true');
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

test("a second Ctrl-C ends the process at once", { tag: "@verify" }, async ({ launch }) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=5000"));
  const broken = expect(slow.status).rejects.toThrow();
  app.signal("SIGINT");
  // Those that follow within a second may be npm's echoes of the first, and count for nothing.
  const repeated = setInterval(() => app.signal("SIGINT"), 50);
  await broken;
  clearInterval(repeated);
  expect(await app.exited).toBe(130);
});

test("SIGTERM again and again, however late, ends the process in good order", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=2500"));
  const repeated = setInterval(() => app.signal("SIGTERM"), 50);
  expect(await slow.status).toBe(200);
  expect(await slow.body).toContain("</html>");
  expect(await app.exited).toBe(0);
  clearInterval(repeated);
});

for (const [what, start] of [
  ["npm start", (env: Record<string, string>) => spawnNpm("start", env, variants.default.folder)],
  ["the standalone server", (env: Record<string, string>) => spawnServer("shell", env)],
] as const) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} to the process group of ${what} cuts no request, and leaves nothing behind`, {
      tag: what !== "npm start" ? "@only-shell" : signal === "SIGTERM" ? [] : "@verify",
    }, async () => {
      const folder = mkdtempSync(join(tmpdir(), "signpost-shutdown-"));
      const port = await freePort();
      const program = start({ PORT: String(port), DATA_DIR: folder });
      try {
        const line = /^ {2}App +(\S+)$/m;
        await expect.poll(program.output, { timeout: 60_000 }).toMatch(line);
        const app = line.exec(program.output())?.[1];
        const slow = await Promise.all(
          Array.from({ length: 5 }, () => inFlight(`${app}slow?ms=2500`)),
        );
        signalGroup(program.child, signal);
        for (const { status, body } of slow) {
          expect(await status).toBe(200);
          expect(await body).toContain("</html>");
        }
        const code = await program.exited;
        // npm itself ends by the signal, as the shell does that it has started.
        if (what !== "npm start") expect(code).toBe(0);
        expect(program.output()).toMatch(/"event":"stopped","answered":true,"settled":true/);
        await expect.poll(() => signalGroup(program.child, 0)).toBe(false);
      } finally {
        signalGroup(program.child, "SIGKILL");
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
}

test("a Ctrl-C that comes twice at once ends the process in good order", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch();
  const slow = await inFlight(app.url("/slow?ms=500"));
  app.signal("SIGINT");
  // As npm does it.
  setImmediate(() => app.signal("SIGINT"));
  expect(await slow.status).toBe(200);
  await slow.body;
  expect(await app.exited).toBe(0);
});
