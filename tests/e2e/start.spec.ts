import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import { inFlight } from "../support/in-flight";
import { copyProject } from "../support/project-copy.js";
import { type Environment, signalGroup, spawnNpm, spawnServer } from "../support/server";
import { variants } from "../support/variants";

let folder: string;

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signpost-start-"));
  writeFileSync(join(folder, "file"), "not a folder");
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (env: Environment, ...args: string[]) =>
  spawnNpm("start", env, variants.default.folder, args);

for (const [what, spawn] of [
  ["npm start", start],
  ["the standalone server", (env: Environment) => spawnServer("shell", env)],
] as const) {
  test(`${what} refuses a wrong SENTRY_DSN by name before it answers anything`, {
    tag: what === "npm start" ? [] : "@only-shell",
  }, async () => {
    const port = await freePort();
    const program = spawn({ PORT: String(port), SENTRY_DSN: "nonsense", DATA_DIR: folder });
    let running = true;
    program.exited.then(() => {
      running = false;
    });
    let answers = 0;
    while (running) {
      const path = what === "npm start" ? "" : "/shell";
      const answer = await fetch(`http://localhost:${port}${path}/`).catch(() => undefined);
      if (answer) answers += 1;
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await program.exited).toBe(1);
    expect(program.output()).toMatch(/SENTRY_DSN is "nonsense": .+SENTRY_DSN=http/);
    expect(program.output(), "a message, not a stack").not.toMatch(/^\s+at /m);
    expect(answers).toBe(0);
  });
}

test("npm run up builds, serves, shows where the app and its inbox are, and Ctrl-C stops it cleanly", {
  tag: "@verify",
}, async ({ request }) => {
  // It builds.
  test.setTimeout(1_800_000);
  const project = ".next-variants/up";
  copyProject(project);
  const port = String(await freePort());
  const args = ["-H", "127.0.0.1"];
  const program = spawnNpm("up", { PORT: port, DATA_DIR: folder }, project, args);
  try {
    const address = `http://127.0.0.1:${port}/`;
    await expect.poll(program.output, { timeout: 1_500_000 }).toContain(`App      ${address}`);
    expect(program.output()).not.toMatch(/warn|deprecated/i);
    expect((await request.get(address)).status()).toBe(200);
    const inbox = /http:\S+\/reports\?token=\w+/.exec(program.output())?.[0] ?? "";
    expect(await (await request.get(inbox)).text()).toContain('href="/reports');
    const slow = await inFlight(`${address}slow?ms=2000`);
    signalGroup(program.child, "SIGINT");
    expect(await slow.status).toBe(200);
    await slow.body;
    await program.exited;
    expect(program.output()).toMatch(/"event":"stopped".*"answered":true,"settled":true/);
    await expect.poll(() => signalGroup(program.child, 0), "no process is left").toBe(false);
    await expect(fetch(address)).rejects.toThrow();
  } finally {
    signalGroup(program.child, "SIGKILL");
  }
});

test("a port in use is told by Next", async ({ app }) => {
  const { port } = new URL(app.origin);
  const program = start({ PORT: port, DATA_DIR: folder });
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain("EADDRINUSE");
});
