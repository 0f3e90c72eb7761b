import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { APIRequestContext } from "playwright/test";
import { expect, test } from "../../support/app";
import { freePort } from "../../support/free-port.js";
import { type Program, spawnNode, spawnNpm, spawnScript } from "../../support/server";
import { variants } from "../../support/variants.ts";

let folder: string;

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signpost-inbox-"));
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the inbox, then ends the server. */
async function expectInbox(request: APIRequestContext, url: string, program: Program) {
  expect((await request.get(url)).status()).toBe(200);
  program.child.kill("SIGTERM");
  await program.exited;
}

test("npm run up shows the inbox with a token that opens it", async ({ request }) => {
  const program = spawnNpm("up", { PORT: String(await freePort()), DATA_DIR: folder });
  await expect.poll(program.output, { timeout: 20_000 }).toMatch(/reports\?token=/);
  const inbox = /http:\S+token=\S+/.exec(program.output())?.[0] ?? "";
  await expectInbox(request, inbox, program);
});

test("the standalone server tells a random token in its log, which opens the inbox", {
  tag: "@only-shell",
}, async ({ request }) => {
  const port = await freePort();
  const env = { PORT: String(port), DATA_DIR: folder };
  const program = spawnNode("server.js", env, variants.shell.folder);
  await expect.poll(program.output, { timeout: 20_000 }).toContain('"event":"inbox open"');
  const path = /"path":"([^"]+)"/.exec(program.output())?.[1];
  await expectInbox(request, `http://localhost:${port}${path}`, program);
});

test("a short token of the operator's own is taken, with a warning", async ({ request }) => {
  const port = await freePort();
  const program = spawnScript("start", {
    PORT: String(port),
    DATA_DIR: folder,
    INBOX_TOKEN: "secret",
  });
  await expect.poll(program.output, { timeout: 20_000 }).toMatch(/reports\?token=secret/);
  expect(program.output()).toContain('"event":"inbox token is short"');
  await expectInbox(request, `http://localhost:${port}/reports?token=secret`, program);
});
