import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright/test";
import { variants } from "../../scripts/variants.js";
import { expect, test } from "../support/app";
import { open } from "../support/navigation";
import type { App, Variant } from "../support/server";
import { type Service, startService } from "../support/service";

interface Frame {
  filename: string;
  lineno: number;
  function: string;
  in_app: boolean;
  pre_context?: string[];
  context_line?: string;
}

interface ErrorEvent {
  exception: { values: { value: string; stacktrace: { frames: Frame[] } }[] };
}

interface Failure {
  path: string;
  file: string;
  /** Of the function that throws. */
  name: string;
  inBrowser: boolean;
}

const failures: Failure[] = [
  { path: "/failures/client-event", name: "failInHandler", inBrowser: true },
  { path: "/failures/client-promise", name: "rejectUnhandled", inBrowser: true },
  { path: "/failures/client-render", name: "ClientRender", inBrowser: true },
  { path: "/failures/server-data", name: "getServerSideProps", inBrowser: false },
  { path: "/failures/server-render", name: "ServerRender", inBrowser: false },
]
  .map((failure) => ({ ...failure, file: `pages${failure.path}.tsx` }))
  .concat({ path: "/api/failure", name: "fail", inBrowser: false, file: "pages/api/failure.ts" });

/** The line of a failing page that throws, from 1, and the message of its error. */
function thrown({ file }: Failure): { line: number; code: string; message: string } {
  const lines = readFileSync(`tests/fixtures/${file}`, "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes("throw new Error"));
  const code = lines[index] ?? "";
  return { line: index + 1, code, message: /"(.+)"/.exec(code)?.[1] ?? "" };
}

/** Makes a page fail, in the browser or for a client that wants nothing else. */
async function fail(page: Page, app: App, { path, inBrowser }: Failure): Promise<void> {
  if (!inBrowser) {
    await fetch(app.url(path));
    return;
  }
  await open(page, app.url(path));
  await page.locator("main button").click();
}

/** The frame in which an error was thrown, as the service last got it. */
function topFrame(service: Service, message: string): Promise<Frame> {
  return service.waitFor(({ items }) =>
    items("event")
      .map(({ payload }) => (payload as ErrorEvent).exception.values.at(-1))
      .findLast((exception) => exception?.value === message)
      ?.stacktrace.frames.at(-1),
  );
}

function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

function buildOf(variant: Variant): string {
  return readFileSync(join(dist(variant), "BUILD_ID"), "utf8");
}

test("maps are kept, and neither they nor their addresses are served", async ({ app, variant }) => {
  const chunks = readdirSync(join(dist(variant), "static/chunks"));
  const kept = readdirSync(join(dist(variant), "source-maps", buildOf(variant), "static/chunks"));
  expect(kept.length).toBeGreaterThan(10);
  const scripts = chunks.filter((name) => name.endsWith(".js"));
  for (const name of scripts) {
    const url = `${app.origin}${app.basePath}/_next/static/chunks/${name}`;
    const text = await (await fetch(url)).text();
    expect(text, name).not.toContain("sourceMappingURL");
    // Shorter ones only list other scripts.
    if (text.length > 1000) expect(kept).toContain(`${name}.map.gz`);
    expect((await fetch(`${url}.map`)).status, name).toBe(404);
  }
  for (const path of ["source-maps", "../source-maps", "%2e%2e/source-maps"]) {
    const url = `${app.origin}${app.basePath}/_next/static/${path}/build.json`;
    expect((await fetch(url)).status, path).toBe(404);
  }
});

test("the page of each error shows the line that threw it", { tag: "@only-shell" }, async ({
  launch,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  // One that no other test has left errors or feedback in.
  const app = await launch();
  for (const failure of failures) await fail(page, app, failure);
  await page.goto(app.url(`/reports?token=${app.inboxToken}`));
  for (const failure of failures) {
    await test.step(failure.path, async () => {
      const { line, code, message } = thrown(failure);
      await page.getByRole("link", { name: message }).click();
      await expect(page.getByText(message).first()).toBeVisible();
      const call = page.getByRole("main").locator("ol > li").first();
      await expect(call).toContainText(`${failure.name} ${failure.file}:${line}:`);
      const block = call.locator("pre").first();
      await expect(block.locator("mark")).toHaveText(`> ${line}${code}`);
      await expect(block.locator("span", { hasText: String(line - 1) }).first()).toBeVisible();
      await block.focus();
      await expect(block).toBeFocused();
      await expect(page).toBeAccessible();
      await page.goto(app.url("/reports"));
    });
  }
});

test("the service gets the line that threw an error, without an upload", async ({
  launch,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  const service = await startService();
  try {
    const app = await launch({ SENTRY_DSN: service.dsn });
    for (const failure of failures) {
      const { line, code, message } = thrown(failure);
      // An error does not wait for a map that a busy machine takes long to read. The next one of
      // its kind finds it read.
      await expect(async () => {
        service.envelopes.length = 0;
        await fail(page, app, failure);
        expect(await topFrame(service, message), failure.path).toMatchObject({
          filename: failure.file,
          lineno: line,
          function: failure.name,
          in_app: true,
          context_line: code,
        });
      }).toPass();
    }
  } finally {
    await service.close();
  }
});

test("the service gets errors as they are where resolving is off", async ({ launch, page }) => {
  const service = await startService();
  try {
    const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_RESOLVE_STACKS: "off" });
    for (const failure of failures.filter(({ inBrowser }) => !inBrowser)) {
      await fail(page, app, failure);
      const frame = await topFrame(service, thrown(failure).message);
      expect(frame.filename, failure.path).toMatch(/\.next\/server\/.+\.js$/);
    }
  } finally {
    await service.close();
  }
});
