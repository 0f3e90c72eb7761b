import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import {
  type Environment,
  type Program,
  signalGroup,
  spawnInTerminal,
  spawnScript,
  spawnServer,
} from "../support/server";

let folder: string;

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signpost-start-"));
  writeFileSync(join(folder, "file"), "not a folder");
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "localhost");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}

const refusals: [string, Environment, RegExp][] = [
  ["SENTRY_DSN", { SENTRY_DSN: "nonsense" }, /SENTRY_DSN is "nonsense": .+SENTRY_DSN=http/],
  ["DATA_DIR", { DATA_DIR: "file/below" }, /DATA_DIR is ".+file\/below": can't be written/],
  ["PORT", { PORT: "http" }, /PORT is "http": /],
];

for (const script of ["start", "up"]) {
  // Both start by the same code.
  for (const [name, env, message] of script === "up" ? refusals.slice(0, 1) : refusals) {
    test(`npm run ${script} refuses a wrong ${name} by name before it listens`, async () => {
      const port = await freePort();
      const dataDir = join(folder, env.DATA_DIR ?? "data");
      const program = spawnScript(script, { PORT: String(port), ...env, DATA_DIR: dataDir });
      let listened = false;
      let running = true;
      program.exited.then(() => {
        running = false;
      });
      while (running) {
        listened ||= await accepts(port);
        await wait(20);
      }
      expect(await program.exited).toBe(1);
      expect(program.output()).toMatch(message);
      expect(program.output(), "a message, not a stack").not.toMatch(/^\s+at /m);
      expect(listened).toBe(false);
    });
  }
}

test("the standalone server refuses a wrong variable by name too", async () => {
  const env = { PORT: String(await freePort()), DATA_DIR: folder, SENTRY_DSN: "nonsense" };
  const program = spawnServer("shell", env);
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain('SENTRY_DSN is "nonsense"');
});

/** Where the shell stays between npm and the app, npm ends first. The output ends with the app. */
for (const [what, stop] of [
  ["Ctrl-C", ({ child }: Program) => signalGroup(child, "SIGINT")],
  ["SIGTERM to npm", ({ child }: Program) => child.kill("SIGTERM")],
] as const) {
  test(`npm run up shows where the app is, and ${what} stops it cleanly`, {
    tag: what === "Ctrl-C" ? [] : "@verify",
  }, async ({ request }) => {
    const port = await freePort();
    const program = spawnInTerminal("up", { PORT: String(port), DATA_DIR: folder }, ".");
    const address = `http://localhost:${port}/`;
    await expect.poll(program.output, { timeout: 20_000 }).toContain(`${address}\n`);
    expect((await request.get(address)).status()).toBe(200);
    stop(program);
    await program.exited;
    expect(program.output()).toMatch(/"event":"stopped".*"answered":true,"settled":true/);
    await expect.poll(() => signalGroup(program.child, 0), "no process is left").toBe(false);
    expect(await accepts(port)).toBe(false);
  });
}

test("with a service, npm run up says where reports go, and shows no token", async ({
  request,
}) => {
  const port = await freePort();
  const program = spawnScript("up", {
    PORT: String(port),
    DATA_DIR: folder,
    SENTRY_DSN: "http://publickey@127.0.0.1:9/42",
    INBOX_TOKEN: "the-token-of-an-inbox",
  });
  await expect.poll(program.output, { timeout: 20_000 }).toMatch(/127\.0\.0\.1:9, project 42/);
  expect(program.output()).not.toMatch(/token|publickey/);
  const inbox = `http://localhost:${port}/reports?token=the-token-of-an-inbox`;
  expect((await request.get(inbox)).status()).toBe(404);
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(0);
});

test("a port in use is told by name", async ({ app }) => {
  const { port } = new URL(app.origin);
  const program = spawnScript("up", { PORT: port, DATA_DIR: folder });
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain(`PORT is ${port}: another program listens there`);
});

test("HOST is honoured", { tag: "@verify" }, async ({ request }) => {
  const port = await freePort();
  const env = { PORT: String(port), HOST: "127.0.0.1", DATA_DIR: folder };
  const program = spawnScript("start", env);
  await expect.poll(program.output, { timeout: 20_000 }).toContain(`http://127.0.0.1:${port}/`);
  expect((await request.get(`http://127.0.0.1:${port}/`)).status()).toBe(200);
  program.child.kill("SIGTERM");
  await program.exited;
});
