import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { expect, test } from "../support/app";
import { readiness } from "../support/handed-in";
import { runSql, startPostgres } from "../support/postgres.js";
import type { App, Environment } from "../support/server";

const preload = pathToFileURL(join(import.meta.dirname, "../support/crash-on-signal.mjs")).href;

for (const [what, signal, message, level] of [
  ["what a process dies of is on disk before it ends", "SIGUSR2", "Nobody catches this", "fatal"],
  [
    "what nobody awaits is on disk, and the process goes on",
    "SIGHUP",
    "Nobody awaits this",
    "error",
  ],
] as const) {
  test(what, {
    tag: level === "fatal" ? [] : "@only-shell",
  }, async ({ launch, service }) => {
    await service.behave("refuse");
    const env = { SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" };
    const app = await launch({ ...env, NODE_OPTIONS: `--import=${preload}` });
    await storeIsOpen(app);
    app.signal(signal);
    if (level === "error") {
      await expect.poll(() => readiness(app)).toMatchObject({ body: { errorsWaiting: 1 } });
      app.signal("SIGKILL");
    }
    await app.exited;
    await service.behave("ok");
    const next = await launch({ ...env, DATA_DIR: app.dataDir });
    const { payload } = await service.waitFor(({ items }) => items("event")[0]);
    expect(payload).toMatchObject({
      level,
      tags: { side: "server" },
      exception: { values: [{ value: message, mechanism: { handled: false } }] },
    });
    await next.stop();
    expect(service.items("event")).toHaveLength(1);
  });
}

/** An answer and a crash wait for the store for some seconds. On a busy machine it takes longer to open. */
async function storeIsOpen(app: App): Promise<void> {
  await expect.poll(() => readiness(app)).toMatchObject({ body: { outboxWritable: true } });
}

const failing = ["/failures/server-data", "/failures/server-render", "/api/failure"];

/** Has errors from several sides, until the server is killed so long after its first answer. */
async function killWhileFailing(app: App, afterMs: number): Promise<string[]> {
  await storeIsOpen(app);
  const references: string[] = [];
  let isDying = false;
  const visitor = async (first: number) => {
    for (let at = first; ; at++) {
      const answer = await fetch(app.url(failing[at % failing.length] ?? "")).catch(
        () => undefined,
      );
      const told = await answer?.text().catch(() => undefined);
      if (told === undefined) return;
      references.push(/reference"[^0-9a-f]+([0-9a-f]{32})/.exec(told)?.[1] ?? told);
      if (!isDying) setTimeout(() => app.signal("SIGKILL"), afterMs);
      isDying = true;
    }
  };
  await Promise.all([0, 1, 2, 3].map(visitor));
  await app.exited;
  return references;
}

interface Kills {
  runs: number;
  env: Environment;
  launch: (env: Environment) => Promise<App>;
}

/** Kills one server after another. @returns the references that their answers have named */
async function killInTurn({ runs, env, launch }: Kills): Promise<string[]> {
  const told: string[] = [];
  for (let run = 0; run < runs; run++) {
    told.push(...(await killWhileFailing(await launch(env), (run * 100) / runs)));
  }
  expect(told.length).toBeGreaterThan(runs);
  return told;
}

/** All that is stored: what waits, and what the inbox has. The schema's name is for Postgres. */
const storedReports = (schema = "") =>
  ["outbox", ...("@signpost/inbox" in manifest.dependencies ? ["kept_reports"] : [])]
    .map((table) => `select envelope from ${schema}signpost_${table}`)
    .join(" union all ");

function expectStored(told: string[], reports: { envelope: Uint8Array }[]): void {
  const stored = new Set(reports.map(({ envelope }) => envelopeId(envelope)));
  const lost = told.filter((reference) => !stored.has(reference));
  expect(lost, `of ${told.length}`).toEqual([]);
}

function envelopeId(envelope: Uint8Array): unknown {
  const [header = ""] = Buffer.from(envelope).toString().split("\n", 1);
  return (JSON.parse(header) as { event_id?: string }).event_id;
}

/** When answers did not wait for the store, each third kill lost a report: ten find that 98 times of 100. */
for (const tracing of ["requests", "full"]) {
  test(
    `what the answers of 10 killed processes have named is not lost, on disk, tracing ${tracing}`,
    { tag: "@verify" },
    async ({ launch }, info) => {
      test.setTimeout(1_800_000);
      const dataDir = info.outputPath("data");
      const env = { DATA_DIR: dataDir, SENTRY_SERVER_TRACING: tracing };
      const told = await killInTurn({ runs: 10, env, launch });
      const db = new DatabaseSync(join(dataDir, "outbox.db"));
      expectStored(told, db.prepare(storedReports()).all() as { envelope: Uint8Array }[]);
      db.close();
    },
  );
}

test("what the answers of 10 killed processes have named is not lost, in Postgres", {
  tag: "@verify",
}, async ({ launch }) => {
  test.setTimeout(1_800_000);
  const postgres = await startPostgres();
  const told = await killInTurn({ runs: 10, env: { DATABASE_URL: postgres.url }, launch });
  expectStored(told, await runSql(postgres.url, storedReports("signpost.")));
  await postgres.stop();
});
