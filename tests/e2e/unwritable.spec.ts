import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "../support/app";
import { readiness, report } from "../support/handed-in";

const ready = { status: 200, body: { status: "ready", outboxWritable: true } };
const unwritable = { status: 503, body: { status: "outbox_unwritable", outboxWritable: false } };

test("while the outbox can't be written, reports and who asks for reporting get 503, balancers 200 and visitors their pages; then all goes on, and nothing is lost", {
  tag: "@verify",
}, async ({ launch, service }) => {
  await service.behave("refuse");
  const app = await launch({ SENTRY_DSN: service.dsn });
  const before = await report(app);
  expect(before.status).toBe(200);

  const aside = `${app.dataDir}-aside`;
  renameSync(app.dataDir, aside);
  writeFileSync(app.dataDir, "in the way");
  const refused = await report(app);
  expect(refused).toMatchObject({ status: 503, body: { error: "unavailable" } });
  expect(refused.retryAfter).toBeGreaterThan(0);
  expect(await readiness(app)).toMatchObject(unwritable);
  for (const path of ["/api/health/live", "/api/health/ready"]) {
    expect((await fetch(app.url(path))).status, path).toBe(200);
  }
  expect((await fetch(app.url("/server"))).status).toBe(200);
  expect(app.output()).toContain('"event":"outbox can\'t be written"');

  rmSync(app.dataDir);
  renameSync(aside, app.dataDir);
  await expect.poll(() => readiness(app)).toMatchObject(ready);
  const after = await report(app);
  expect(after.status).toBe(200);
  await service.behave("ok");
  const arrived = () => service.eventIds();
  await service.waitFor(() => arrived().includes(before.id) && arrived().includes(after.id));
  expect(arrived()).not.toContain(refused.id);
});

test("a data folder that can't be made keeps no page away; an error of before waits, and is stored once it can be made", async ({
  launch,
  service,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "signpost-no-folder-"));
  try {
    const inTheWay = join(folder, "file");
    writeFileSync(inTheWay, "");
    const app = await launch({ SENTRY_DSN: service.dsn, DATA_DIR: join(inTheWay, "data") });
    expect((await fetch(app.url("/api/failure"))).status).toBe(500);
    expect((await fetch(app.url("/server"))).status).toBe(200);
    expect(await report(app)).toMatchObject({ status: 503, body: { error: "unavailable" } });
    const reason =
      "The data folder (DATA_DIR, or `store.folder` of createRelay) must be one that the server's user may write.";
    expect(await readiness(app)).toMatchObject({
      ...unwritable,
      body: { ...unwritable.body, reason },
    });
    const balancer = await fetch(app.url("/api/health/ready"));
    expect(balancer.status).toBe(200);
    expect(await balancer.json()).toMatchObject({ outboxWritable: false, reason });
    const lines = app.output().split("\n");
    expect(
      lines.filter((line) => line.includes('"level":"error"') && !line.includes("/api/failure")),
    ).toEqual([expect.stringMatching(/outbox can't be written.+DATA_DIR.+ must be .+ENOTDIR/)]);
    rmSync(inTheWay);
    await expect.poll(() => readiness(app)).toMatchObject(ready);
    await service.waitFor(() => service.eventIds()[0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("while another process holds the outbox for too long, reports and who asks for reporting get 503, until it lets go", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch();
  expect((await report(app)).status).toBe(200);
  const other = new DatabaseSync(join(app.dataDir, "outbox.db"), { timeout: 10_000 });
  try {
    other.exec("BEGIN IMMEDIATE");
    const refused = await report(app);
    expect(refused).toMatchObject({ status: 503, body: { error: "unavailable" } });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(await readiness(app)).toMatchObject(unwritable);
  } finally {
    other.close();
  }
  await expect.poll(() => readiness(app)).toMatchObject(ready);
  expect((await report(app)).status).toBe(200);
});

test("where a newer build has changed the tables, a server stores nothing and says why, and visitors get their pages", {
  tag: "@verify",
}, async ({ launch }) => {
  const first = await launch();
  expect((await report(first)).status).toBe(200);
  const file = new DatabaseSync(join(first.dataDir, "outbox.db"), { timeout: 10_000 });
  file.exec(`update signpost_versions set version = 99 where name = 'outbox';
    alter table signpost_outbox rename to signpost_waiting`);
  file.close();
  // One that runs, and one that starts.
  for (const app of [first, await launch({ DATA_DIR: first.dataDir })]) {
    expect(await report(app)).toMatchObject({ status: 503, body: { error: "unavailable" } });
    const reason = expect.stringContaining("The tables of the outbox are of version 99");
    expect(await readiness(app)).toMatchObject({ ...unwritable, body: { reason } });
    expect((await fetch(app.url("/server"))).status).toBe(200);
    expect(app.output()).toContain("The tables of the outbox are of version 99");
  }
});
