import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  anyError,
  countIn,
  errorOf,
  filerOf,
  sourcesOf,
} from "@/packages/inbox/tests/support/inbox";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { freePort } from "@/tests/support/free-port.js";
import {
  claimAll,
  openOutbox,
  openPostgresOutbox,
  statsOf,
  temporaryFolder,
} from "@/tests/support/outboxes";
import { runSql } from "@/tests/support/postgres.js";

// The commands of docs/deployment.md, while the server runs.

const run = promisify(execFile);

/** An inbox with three errors of one group, and two more that wait. */
async function fill(outbox: Outbox): Promise<void> {
  for (let n = 0; n < 3; n++)
    await outbox.append(errorOf("filed", { user: { id: "77" } }), "browser");
  await filerOf(outbox).file();
  for (let n = 0; n < 2; n++) await outbox.append(errorOf("waiting"), "browser");
}

async function expectFilled(outbox: Outbox, waiting = 2): Promise<void> {
  const { groups } = await sourcesOf(outbox).groups.page(anyError);
  expect(groups).toMatchObject([{ message: "filed", count: 3 }]);
  expect(await countIn(outbox, "kept_reports")).toBe(3);
  expect(await claimAll(outbox)).toHaveLength(waiting);
  // What comes in next has an id that no other has.
  await outbox.append(errorOf("new"), "browser");
  await filerOf(outbox).file();
  expect(await countIn(outbox)).toBe(4);
}

const vacuum = `const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync(process.argv[1]).prepare("vacuum into ?").run(process.argv[2])`;

const commands: [name: string, ...command: [string, (file: string, copy: string) => string[]]][] = [
  ["Node", process.execPath, (file, copy) => ["-e", vacuum, file, copy]],
  ["the sqlite3 command", "sqlite3", (file, copy) => [file, `vacuum into '${copy}'`]],
];

test.for(commands)(
  "a copy of a running outbox by %s is whole when it is put back",
  async ([, command, args], { skip }) => {
    if (command === "sqlite3") {
      const there = await run(command, ["--version"]).catch(() => undefined);
      if (!there) skip("sqlite3 is not installed: apt-get install sqlite3");
    }
    const { outbox, file } = openOutbox();
    await fill(outbox);
    const copy = join(temporaryFolder(), "copy.db");
    await run(command, args(file, copy));
    await outbox.append(errorOf("later"), "browser");
    const restored = join(temporaryFolder(), "outbox.db");
    copyFileSync(copy, restored);
    await expectFilled(openOutbox({ file: restored }).outbox);
  },
);

/** Programs of one version: pg_dump takes no server that is newer. */
const programs = globSync("/usr/{lib/postgresql/*,pgsql-*,local/pgsql}/bin").find((folder) =>
  ["initdb", "pg_ctl", "postgres", "pg_dump", "pg_restore"].every((name) =>
    existsSync(join(folder, name)),
  ),
);

/** A Postgres of the system, since the one of the other tests has no pg_dump. */
async function startSystemPostgres(folder: string) {
  const root = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"]));
  const user = root ? { uid: id("-u"), gid: id("-g") } : {};
  const data = mkdtempSync(join(tmpdir(), "signpost-postgres-"));
  if (root) execFileSync("chown", ["postgres", data]);
  const port = await freePort();
  const program = (name: string, ...args: string[]) =>
    execFileSync(join(folder, name), args, { ...user, cwd: "/", stdio: "ignore" });
  program("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8");
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  program("pg_ctl", "-D", data, "-w", "-l", join(data, "log"), "-o", options, "start");
  onTestFinished(() => {
    program("pg_ctl", "-D", data, "-m", "immediate", "stop");
    rmSync(data, { recursive: true, force: true });
  });
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

test("a dump of a running outbox's schema is whole when it is put back", async ({ skip }) => {
  if (!programs) return skip("Postgres with pg_dump is not installed: apt-get install postgresql");
  const url = await startSystemPostgres(programs);
  const { outbox } = openPostgresOutbox({ url, schema: "signpost" });
  await fill(outbox);
  const dump = join(temporaryFolder(), "signpost.dump");
  await run(join(programs, "pg_dump"), ["-n", "signpost", "-Fc", "-f", dump, url]);
  await outbox.append(errorOf("later"), "browser");
  await outbox.close();
  await runSql(url, "drop schema signpost cascade");
  await run(join(programs, "pg_restore"), ["-d", url, dump]);
  await expectFilled(openPostgresOutbox({ url, schema: "signpost" }).outbox);
});

test("what is in DATA_DIR moves to Postgres, once, and not to tables of another version", async () => {
  const { outbox, file } = openOutbox();
  await fill(outbox);
  // More than one statement may hold.
  for (let n = 0; n < 6; n++) await outbox.append(errorOf("large".repeat(200_000)), "browser");
  await outbox.close();
  const { outbox: moved, schema } = openPostgresOutbox();
  expect(await statsOf(moved)).toMatchObject({ writable: true });
  const script = resolve("deploy/move-to-postgres.js");
  const move = () => run(process.execPath, [script, file, inject("postgresUrl"), schema]);
  expect((await move()).stdout).toMatch(/^signpost_errors: 3$/m);
  await expect(move()).rejects.toThrow(/signpost_error_groups has rows already/);
  await expectFilled(moved, 8);
  await runSql(inject("postgresUrl"), `update "${schema}".signpost_versions set version = 0`);
  await expect(move()).rejects.toThrow(/other versions/);
});
