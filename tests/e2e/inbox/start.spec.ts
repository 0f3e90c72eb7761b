import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { APIRequestContext } from "playwright/test";
import { expect, test } from "../../support/app";
import { freePort } from "../../support/free-port.js";
import { type Program, spawnServer } from "../../support/server";
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

for (const variant of ["default", "shell"] as const) {
  test(`${variant === "shell" ? "the standalone server" : "next start"} shows the inbox with a token that opens it`, {
    tag: variant === "shell" ? "@only-shell" : [],
  }, async ({ request }) => {
    const env = { PORT: String(await freePort()), DATA_DIR: folder };
    const program = spawnServer(variant, env);
    await expect.poll(program.output).toMatch(/reports\?token=/);
    const inbox = /http:\S+token=\w+/.exec(program.output())?.[0] ?? "";
    expect(inbox).toContain(`:${env.PORT}${variants[variant].env.NEXT_PUBLIC_BASE_PATH}/reports`);
    await expectInbox(request, inbox, program);
  });
}

test("a short token of the operator's own is taken, with a warning", { tag: "@verify" }, async ({
  request,
}) => {
  const port = await freePort();
  const program = spawnServer("default", {
    PORT: String(port),
    DATA_DIR: folder,
    INBOX_TOKEN: "secret",
  });
  await expect.poll(program.output).toMatch(/^ {2}Inbox /m);
  expect(program.output()).toContain('"event":"inbox token is short"');
  expect(program.output(), "whoever chose the token knows it").not.toContain("secret");
  await expectInbox(request, `http://localhost:${port}/reports?token=secret`, program);
});
