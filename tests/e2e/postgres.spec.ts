import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../support/app";
import { readiness, report } from "../support/handed-in";
import { type Postgres, startPostgres } from "../support/postgres.js";

test.describe("with Postgres", { tag: "@verify" }, () => {
  let postgres: Postgres;
  test.beforeAll(async () => {
    postgres = await startPostgres();
  });
  test.afterAll(() => postgres.stop());

  test("pages are served and ready gives the reason while the database is away; then nothing is missing", async ({
    launch,
    service,
  }) => {
    await postgres.stopServer();
    const app = await launch({
      SENTRY_DSN: service.dsn,
      DATABASE_URL: postgres.url,
      SENTRY_TRACES_SAMPLE_RATE: "0",
    });
    const refused = await report(app);
    expect(refused.status).toBe(503);
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect((await fetch(app.url("/server"))).status).toBe(200);
    expect((await fetch(app.url("/failures/server-data"))).status).toBe(500);
    expect(await readiness(app)).toMatchObject({
      status: 503,
      body: { outboxWritable: false, reason: "The database can't be reached." },
    });

    await postgres.startServer();
    await expect
      .poll(() => readiness(app))
      .toMatchObject({
        status: 200,
        body: { status: "ready", outboxWritable: true, reason: null },
      });
    const accepted = await report(app);
    expect(accepted.status).toBe(200);
    const arrived = () => service.payloads<{ event_id: string; tags?: object }>("event");
    // The server's own report of the failed page has waited in memory.
    await service.waitFor(() => arrived().some(({ tags }) => tags && "side" in tags));
    await service.waitFor(() => arrived().some(({ event_id }) => event_id === accepted.id));
    expect(existsSync(join(app.dataDir, "outbox.db"))).toBe(false);
    expect(app.output()).not.toContain("superuser");
    expect(await app.stop()).toBe(0);
  });

  test("a crash is stored before the process ends, and delivered by another server", async ({
    launch,
    service,
  }) => {
    const env = {
      SENTRY_DSN: service.dsn,
      DATABASE_URL: postgres.url,
      DATABASE_SCHEMA: "crash",
      SENTRY_TRACES_SAMPLE_RATE: "0",
    };
    await service.behave("refuse");
    const preload = join(import.meta.dirname, "crash-alone.mjs");
    const app = await launch({ ...env, NODE_OPTIONS: `--import=${preload}` });
    // On a busy machine the tables take longer than a crash may.
    await expect.poll(() => readiness(app)).toMatchObject({ body: { outboxWritable: true } });
    app.signal("SIGUSR2");
    expect(await app.exited).toBe(1);
    expect(app.output()).toContain("Nobody catches this");
    await service.behave("ok");
    await launch(env);
    const { payload } = await service.waitFor(({ items }) => items("event")[0]);
    expect(payload).toMatchObject({
      level: "fatal",
      exception: { values: [{ value: "Nobody catches this" }] },
    });
  });
});

test("a cron job delivers with its token, and is told what is left", {
  tag: "@verify",
}, async ({ launch, service }) => {
  const token = "token-of-a-cron-job";
  await service.behave({ answers: [500] });
  const app = await launch({
    SENTRY_DSN: service.dsn,
    DELIVER_TOKEN: token,
    SENTRY_TRACES_SAMPLE_RATE: "0",
  });
  const deliver = (authorization: string, method = "POST") =>
    fetch(app.url("/api/deliver"), { method, headers: { authorization } });
  for (const wrong of ["", "Bearer", `Basic ${token}`, `Bearer ${token}s`]) {
    const answer = await deliver(wrong);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: "wrong_token" });
  }
  expect((await deliver(`Bearer ${token}`, "GET")).status).toBe(405);
  for (let n = 0; n < 3; n++) expect((await report(app)).status).toBe(200);
  const failed = await deliver(`Bearer ${token}`);
  expect(failed.status).toBe(200);
  expect(await failed.json()).toMatchObject({ reportsWaiting: 3, errorsWaiting: 3 });
  await service.behave("ok");
  // A report that failed has a back-off of its own.
  await expect
    .poll(async () => (await deliver(`Bearer ${token}`)).json())
    .toMatchObject({ reportsWaiting: 0, oldestAgeMs: null });
  expect(service.items("event")).toHaveLength(3);
});
