import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import { expectStages, linkTo, open, push } from "../support/navigation";
import { copyProject } from "../support/project-copy.js";
import { fact, pages } from "../support/routes";
import { signalGroup, spawnNext, spawnNpm } from "../support/server";
import { startService } from "../support/service";
import { failures, thrown } from "../support/thrown-lines";
import { variants } from "../support/variants.ts";

interface SeenEvent {
  user?: { id?: string };
  tags?: { visitor?: string };
  request?: { url?: string; query_string?: string };
  exception?: { values?: { value?: string; stacktrace?: { frames?: object[] } }[] };
}

/** Has each document from now on count the listeners that it has, by their kind. */
async function countListeners(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const listeners: Record<string, number> = {};
    Object.assign(window, { listeners });
    for (const target of [window, document]) {
      const { addEventListener: add, removeEventListener: remove } = target;
      const known = new Set<unknown>();
      Object.assign(target, {
        addEventListener: (type: string, listener: () => void, options?: boolean) => {
          if (!known.has(listener)) listeners[type] = (listeners[type] ?? 0) + 1;
          known.add(listener);
          add.call(target, type, listener, options);
        },
        removeEventListener: (type: string, listener: () => void, options?: boolean) => {
          if (known.delete(listener)) listeners[type] = (listeners[type] ?? 0) - 1;
          remove.call(target, type, listener, options);
        },
      });
    }
  });
}

/** How many listeners the page has of each kind that Signpost listens to. */
function listeners(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const counted = (window as unknown as { listeners: Record<string, number> }).listeners;
    const kinds = ["beforeunload", "pagehide", "pageshow", "popstate", "unhandledrejection"];
    return kinds.map((kind) => counted[kind] ?? 0);
  });
}

// One after another: Next lets one development server run in a folder.
test.describe.configure({ mode: "default" });

for (const basePath of ["", "/shell"]) {
  test(`npm run dev works where nothing was built, ${basePath ? "under a" : "without a"} base path`, {
    tag: "@verify",
  }, async ({ page, faults }) => {
    // Compiles each page when it is first asked for.
    test.setTimeout(1_800_000);
    // Next's own, where its messages come before its router is there.
    faults.allow(/\[HMR\] Invalid message/);
    const folder = ".next-variants/development";
    copyProject(folder);
    for (const made of [".next", "data"])
      rmSync(join(folder, made), { recursive: true, force: true });
    const port = await freePort();
    // Without the SDK, which comes when it likes and listens, too.
    const rates = { BROWSER_TRACES_SAMPLE_RATE: "0" };
    const env = { PORT: String(port), NEXT_PUBLIC_BASE_PATH: basePath, ...rates };
    const program = spawnNpm("dev", env, folder);
    const url = (path: string) => `http://localhost:${port}${basePath}${path}`;
    try {
      const inbox = /http:\S+\/reports\?token=\S+/;
      await expect.poll(program.output, { timeout: 120_000 }).toMatch(inbox);
      const [address = ""] = program.output().match(inbox) ?? [];
      expect(address).toContain(url("/reports?token="));
      await test.step("a thrown error is in the inbox, at the printed address", async () => {
        expect((await fetch(url("/failures/server-data"))).status).toBe(500);
        await page.goto(address);
        await expect(page.getByText("Failed on purpose in getServerSideProps")).toBeVisible({
          timeout: 60_000,
        });
      });
      await test.step("it shows the line of the source that threw, as one of the browser does", async () => {
        faults.allow(/Failed on purpose/);
        await open(page, url("/failures/client-event"));
        await page.locator("main button").click();
        for (const [message, call] of [
          [/in getServerSideProps/, "getServerSideProps pages/failures/server-data.tsx:"],
          [/in an event handler/, "failInHandler pages/failures/client-event.tsx:"],
        ] as const) {
          await page.goto(url("/reports"));
          await page.getByRole("link", { name: message }).click({ timeout: 60_000 });
          const shown = page.getByRole("main").locator("ol > li").first();
          await expect(shown).toContainText(call);
          await expect(shown.locator("pre mark")).toContainText("throw new Error");
        }
      });
      await test.step("an edited component is on the page without a reload", async () => {
        const connected = page.waitForEvent("console", (message) =>
          message.text().includes("[HMR] connected"),
        );
        await page.goto(url("/static"));
        await connected;
        await page.evaluate(() => document.body.setAttribute("data-kept", ""));
        const component = join(folder, "components/route-facts.tsx");
        const text = readFileSync(component, "utf8");
        let edits = 0;
        // Next sends no change that is older than the page's subscription to its files.
        await expect(async () => {
          writeFileSync(component, text.replace("<dl>", `<dl data-edited="${++edits}">`));
          const edited = page.locator(`body[data-kept] dl[data-edited="${edits}"]`);
          await expect(edited).toBeVisible({ timeout: 10_000 });
        }).toPass({ timeout: 60_000 });
      });
      // A base path changes nothing of it.
      if (!basePath)
        await test.step("page, _app and instrumentation-client.ts are edited, and one listener of each kind is left", async () => {
          // Next says so of a file outside of React's tree, as instrumentation-client.ts is.
          faults.allow(/\[Fast Refresh\] performing full reload/);
          await countListeners(page);
          await open(page, url("/static"));
          const before = await listeners(page);
          expect(before).not.toContain(0);
          for (const file of ["pages/static.tsx", "pages/_app.tsx", "instrumentation-client.ts"]) {
            const path = join(folder, file);
            const text = readFileSync(path, "utf8");
            let edited = 0;
            await expect(async () => {
              const mark = `edit${++edited}`;
              const code = `Object.assign(globalThis, { edited: "${mark}" });`;
              writeFileSync(path, `${text}\n${code}\n`);
              await page.waitForFunction(
                (wanted) => "edited" in window && window.edited === wanted,
                mark,
                { timeout: 10_000 },
              );
            }).toPass({ timeout: 60_000 });
            // Next may reload the page once more, for an edit that came before.
            await expect(async () => expect(await listeners(page)).toEqual(before)).toPass({
              timeout: 30_000,
            });
          }
        });
      // Next may be reloading it, which would interrupt a navigation.
      await page.close();
      await test.step("Ctrl-C ends all processes", async () => {
        signalGroup(program.child, "SIGINT");
        await program.exited;
        await expect.poll(() => signalGroup(program.child, 0)).toBe(false);
      });
    } finally {
      signalGroup(program.child, "SIGKILL");
    }
  });
}

test("npm run dev refuses a wrong variable by name", { tag: "@verify" }, async () => {
  const env = { PORT: String(await freePort()), SENTRY_DSN: "nonsense" };
  const program = spawnNpm("dev", env, variants.default.source);
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain('SENTRY_DSN is "nonsense"');
});

test("npm run dev serves pages that break no policy, and leads from one to another", {
  tag: "@verify",
}, async ({ page, faults }) => {
  // Compiles each page when it is first asked for.
  test.setTimeout(1_800_000);
  // Next's own, where its messages come before its router is there.
  faults.allow(/\[HMR\] Invalid message/);
  const folder = mkdtempSync(join(tmpdir(), "signpost-dev-"));
  const port = await freePort();
  const { source } = variants.default;
  const program = spawnNext("dev", { DATA_DIR: folder }, source, ["-p", String(port)]);
  try {
    await expect.poll(program.output, { timeout: 60_000 }).toContain("Ready in");
    const connected = page.waitForEvent("console", (message) =>
      message.text().includes("[HMR] connected"),
    );
    await page.goto(`http://localhost:${port}/`);
    await connected;
    await test.step("the one address of the inbox that is printed opens it", async () => {
      const inbox = /http:\S+\/reports\?token=\S+/g;
      await expect.poll(() => program.output().match(inbox)).toHaveLength(1);
      const [address = ""] = program.output().match(inbox) ?? [];
      const answer = await fetch(address, { redirect: "manual" });
      expect(answer.status).toBe(307);
      expect(program.output().match(/\/reports\?token=/g)).toHaveLength(1);
    });
    await page.getByRole("main").getByRole("link", { name: "/server", exact: true }).click();
    await expect(fact(page, "pattern")).toHaveText("/server");
    await expect(fact(page, "navigation")).toHaveText("start history complete");
    await test.step("effects, which run twice here, and each way to another page leave no fault", async () => {
      const origin = `http://localhost:${port}`;
      for (const { path, pattern } of pages) {
        await page.goto(origin + path);
        await expect(fact(page, "pattern")).toHaveText(pattern);
      }
      await page.goto(`${origin}/static`);
      await page.getByRole("link", { name: "Skip to content" }).focus();
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(`${origin}/static#main`);
      await page.reload();
      await expect(fact(page, "pattern")).toHaveText("/static");
      for (const path of [
        "/server",
        "/incremental/alpha",
        "/optional",
        "/de/optional",
        "/de/server",
      ]) {
        await linkTo(page, path).click();
        await expect(page).toHaveURL(origin + path);
        await expectStages(page, "start history complete");
      }
      await page.goBack();
      await expect(fact(page, "pattern")).toHaveText("/optional/[[...path]]");
      await page.goForward();
      await expect(fact(page, "pattern")).toHaveText("/server");
      await push(page, "#main");
      await expect(page).toHaveURL(`${origin}/de/server#main`);
      faults.allow(/Failed on purpose|The above error occurred/);
      await page.goto(`${origin}/failures/client-render`);
      await page.getByRole("button", { name: "Fail" }).click();
      await expect(page.getByRole("heading", { name: "Application error" })).toBeVisible();
      await page.goto(`${origin}/static`);
      await expect(fact(page, "pattern")).toHaveText("/static");
    });
    await test.step("what production blocks is blocked too, and the console says so", async () => {
      faults.allow(/Content Security Policy|policy violation/);
      const blocked: string[] = [];
      page.on("console", (message) => blocked.push(message.text()));
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'ran'";
        const image = document.createElement("img");
        image.src = "https://images.example/image.svg";
        document.body.append(script, image);
      });
      await expect.poll(() => blocked.join()).toContain("violation: script-src-elem inline");
      await expect
        .poll(() => blocked.join())
        .toContain("violation: img-src https://images.example");
      await expect(page).not.toHaveTitle("ran");
    });
    await page.goto("about:blank");
  } finally {
    program.child.kill("SIGTERM");
    await program.exited;
    rmSync(folder, { recursive: true, force: true });
  }
});

test("npm run dev sends a service each error with its source, visitor, tag and URL", {
  tag: "@verify",
}, async ({ page, faults }) => {
  test.setTimeout(1_800_000);
  // The first is Next's own, where its messages come before its router is there.
  faults.allow(/\[HMR\] Invalid message|Failed on purpose|The above error occurred/);
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), "signpost-dev-"));
  const port = await freePort();
  const { source } = variants.default;
  const env = { DATA_DIR: folder, SENTRY_DSN: service.dsn };
  const program = spawnNext("dev", env, source, ["-p", String(port)]);
  try {
    await expect.poll(program.output, { timeout: 60_000 }).toContain("Ready in");
    const url = (path: string) => `http://localhost:${port}${path}`;
    const paths = ["/api/visitor/caught", "/api/visitor/timer", "/failures/server-data"];
    // Compiled before, so that the requests do overlap.
    for (const path of paths) await (await fetch(url(path))).text();
    const visitors = Array.from({ length: 30 }, (_, n) => `v${n}`);
    const pathOf = (n: number) => paths[n % paths.length] as string;
    await Promise.all(
      visitors.map(async (visitor, n) =>
        (await fetch(url(`${pathOf(n)}?visitor=${visitor}`))).text(),
      ),
    );
    const seen = () =>
      service
        .payloads<SeenEvent>("event")
        .filter(({ request }) => request?.query_string)
        .map(({ user, tags, request }) => [user?.id, tags?.visitor, request?.url])
        .sort();
    const expected = visitors.map((visitor, n) => [visitor, visitor, url(pathOf(n))]).sort();
    await expect.poll(seen).toEqual(expected);
    for (const failure of failures) {
      const { line, code, message } = thrown(failure);
      if (!failure.inBrowser) await fetch(url(failure.path));
      else {
        await open(page, url(failure.path));
        await page.locator("main button").click();
      }
      const last = await service.waitFor(() =>
        service
          .payloads<SeenEvent>("event")
          // The one thrown last: what React has caught has a cause with its components.
          .flatMap(({ exception }) => exception?.values?.slice(-1) ?? [])
          .find(({ value }) => value === message),
      );
      expect(last.stacktrace?.frames?.at(-1), failure.path).toMatchObject({
        function: failure.name,
        filename: failure.file,
        lineno: line,
        context_line: code,
        in_app: true,
      });
    }
    await page.goto("about:blank");
  } finally {
    program.child.kill("SIGTERM");
    await program.exited;
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
