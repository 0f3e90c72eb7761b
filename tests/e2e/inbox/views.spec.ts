import type { Page } from "playwright/test";
import { expect, test } from "../../support/app";
import { envelope, errorEvent, feedbackEvent, someEventId } from "../../support/envelopes";
import { ready } from "../../support/navigation";
import type { App } from "../../support/server";

type Items = Parameters<typeof envelope>[0];

/** Hands reports to the tunnel, as a browser does. */
async function report(app: App, items: Items): Promise<void> {
  const response = await fetch(app.url("/api/relay"), {
    method: "POST",
    body: Buffer.from(envelope(items)).toString(),
  });
  expect(response.status).toBe(200);
}

/** In letters that no hexadecimal number has: ids in a message don't make another error of it. */
function someWord(): string {
  return crypto
    .randomUUID()
    .replace(/-/g, "")
    .replace(/./g, (digit) => "ghijklmnopqrstuv".charAt(Number.parseInt(digit, 16)));
}

/** Reports an error that no other test reports, or one with this message; gives its reference too. */
async function reportError(
  app: App,
  {
    message = `broken ${someWord()}`,
    ...over
  }: Record<string, unknown> & { message?: string } = {},
) {
  const id = crypto.randomUUID().replaceAll("-", "");
  const event = errorEvent({ event_id: id, timestamp: Date.now() / 1000, ...over });
  const [exception] = (event.exception as { values: { value: string }[] }).values;
  if (exception) exception.value = message;
  await report(app, [["event", event]]);
  return { id, message };
}

async function open(page: Page, app: App, path = "/reports"): Promise<void> {
  const joint = path.includes("?") ? "&" : "?";
  await page.goto(app.url(`${path}${joint}token=${app.inboxToken}`));
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

test.describe("who may see the inbox", () => {
  test("nobody without the token, and a wrong one is answered like none", {
    tag: "@shell",
  }, async ({ app }) => {
    const answers = await Promise.all(
      ["/reports", "/reports?token=wrong", "/reports?token=", "/reports?token=a&token=b"].map(
        async (path) => {
          const response = await fetch(app.url(path), { redirect: "manual" });
          return [
            response.status,
            response.headers.get("cache-control"),
            response.headers.get("set-cookie"),
          ];
        },
      ),
    );
    for (const answer of answers) expect(answer).toEqual([404, "private, no-store", null]);
  });

  test("the token goes from the URL into a cookie that doesn't hold it", { tag: "@shell" }, async ({
    app,
  }) => {
    const path = `/reports?view=feedback&token=${app.inboxToken}`;
    const response = await fetch(app.url(path), { redirect: "manual" });
    expect(response.status).toBe(307);
    expect(response.headers.get("location")).toBe(app.path("/reports?view=feedback"));
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Lax");
    expect(cookie).toContain(`Path=${app.basePath}/reports;`);
    expect(cookie).not.toContain("Secure");
    expect(cookie).not.toContain(app.inboxToken);

    const secure = await fetch(app.url(path), {
      redirect: "manual",
      headers: { "x-forwarded-proto": "https" },
    });
    expect(secure.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  test("with the cookie, the inbox opens without the token, and under no language's address", {
    tag: "@only-shell",
  }, async ({ app, page }) => {
    await open(page, app);
    expect(page.url()).toBe(app.url("/reports"));
    await page.goto(app.url("/"));
    await page.goto(app.url("/reports/"));
    await expect(page.getByRole("heading", { level: 1, name: "Reports" })).toBeVisible();
    expect((await fetch(app.url("/reports", "de"))).status).toBe(404);
  });
});

test("an error in a browser shows by itself in an inbox that is open, and disturbs nothing there", async ({
  app,
  page,
  context,
  faults,
}) => {
  faults.allow(/client-event|handler|uncaught/i);
  for (let i = 0; i < 12; i += 1) await reportError(app);
  await open(page, app);
  const scripted = page.getByText("Refreshes by itself");
  await expect(scripted).toBeVisible();
  const entries = await page.evaluate(() => history.length);
  const row = page.locator("ol a").nth(5);
  await row.focus();
  const focused = await row.textContent();
  const before = Number(
    await page
      .getByRole("link", { name: /^Errors/ })
      .locator("span")
      .textContent(),
  );

  const visitor = await context.newPage();
  await visitor.goto(app.url("/failures/client-event"));
  await ready(visitor);
  await visitor.getByRole("main").getByRole("button").click();
  await visitor.bringToFront();
  await page.bringToFront();
  await expect(page.locator("li", { hasText: "/failures/client-event" }).first()).toBeVisible();
  expect(before).toBeGreaterThan(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(focused);
  expect(await page.evaluate(() => history.length)).toBe(entries);
});

test("refreshing can be paused, and goes on when it is resumed", { tag: "@verify" }, async ({
  app,
  page,
}) => {
  await open(page, app);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Refreshing is paused")).toBeVisible();
  const { message } = await reportError(app);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("link", { name: message })).toBeVisible();
  expect(asked.length).toBeGreaterThan(0);
});

test("an inbox says when the server is gone, and when it may no longer be read", {
  tag: "@verify",
}, async ({ launch, page, context, faults }) => {
  faults.allow(/Failed to load resource/);
  const app = await launch();
  await open(page, app);
  await context.clearCookies();
  await expect(page.getByText("This page can't be refreshed any more.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Reload the page" })).toHaveAttribute(
    "href",
    app.path("/reports"),
  );
  await open(page, app);
  await app.stop();
  await expect(page.getByText("The server can't be reached. Trying again.")).toBeVisible();
});

test("pages of the inbox are kept by no cache, and run nothing but their own script", {
  tag: "@only-shell",
}, async ({ app, page }) => {
  await open(page, app);
  const response = await page.waitForResponse(app.url("/reports"));
  const headers = response.headers();
  expect(headers["cache-control"]).toBe("private, no-store");
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers["content-security-policy"]).not.toContain("unsafe");
  const html = await response.text();
  expect(html).not.toMatch(/<style|style=|<script(?! type="module" src=)/);
  for (const [, asset = ""] of html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
    const { status, headers: its } = await fetch(app.origin + asset);
    expect([status, its.get("cache-control")]).toEqual([200, expect.stringContaining("immutable")]);
  }
});

test("a search and filters find an error, stand in the URL, and stay while the list refreshes", {
  tag: "@verify",
}, async ({ app, page }) => {
  const release = `r-${someEventId()}`;
  const { message } = await reportError(app, { release, transaction: "/found/[id]" });
  const other = await reportError(app, { release });
  // A choice needs two releases.
  await reportError(app);
  await open(page, app);
  await page.getByRole("searchbox").fill("typeerror /found/");
  await page.getByText("Filters", { exact: true }).click();
  await page.getByLabel("Release", { exact: true }).selectOption(release);
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(/q=typeerror\+%2Ffound%2F.*release=r-/);
  await expect(page.getByRole("link", { name: message })).toBeVisible();
  await expect(page.getByRole("link", { name: other.message })).toHaveCount(0);

  await test.step("what is selected and typed stays, and nothing moves", async () => {
    const box = page.getByRole("checkbox");
    await box.check();
    await page.getByRole("searchbox").fill("something el");
    const before = await box.boundingBox();
    const second = await reportError(app, { release, transaction: "/found/[id]" });
    await expect(page.getByRole("link", { name: second.message })).toBeVisible();
    await expect(page.getByRole("searchbox")).toHaveValue("something el");
    const first = page.getByRole("listitem").filter({ hasText: message }).getByRole("checkbox");
    await expect(first).toBeChecked();
    const after = await page.getByRole("checkbox").first().boundingBox();
    expect(after).toEqual(before);
    await expect(page.getByLabel("Release", { exact: true })).toHaveValue(release);
  });

  await test.step("where nothing is found, a link clears search and filters", async () => {
    await page.getByRole("searchbox").fill("f".repeat(32));
    await page.getByRole("searchbox").press("Enter");
    await expect(page.getByText("No error with this reference is kept here.")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
    await page.getByRole("link", { name: "Clear them" }).click();
    await expect(page).toHaveURL(app.url("/reports"));
    await expect(page.getByRole("searchbox")).toHaveValue("");
  });
});

test("only a page of the inbox decides about errors", { tag: "@verify" }, async ({ app, page }) => {
  const { id } = await reportError(app);
  await open(page, app, `/reports?q=${id}`);
  const group = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const [cookie] = await page.context().cookies();
  const post = async (path: string, headers: Record<string, string>) => {
    const body = new URLSearchParams({ group, state: "ignored", seen: String(Date.now()) });
    const response = await fetch(app.url(path), {
      method: "POST",
      body,
      headers,
      redirect: "manual",
    });
    return response.status;
  };
  const allowed = { cookie: `${cookie?.name}=${cookie?.value}` };
  for (const path of ["/reports", `/reports/${group}`]) {
    expect(await post(path, {})).toBe(404);
    expect(await post(`${path}?token=wrong`, {})).toBe(404);
    expect(await post(path, { ...allowed, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await post(path, { ...allowed, origin: "https://other.example" })).toBe(403);
    await page.goto(`${app.url(path)}?state=ignored&group=${group}&seen=${Date.now()}`);
  }
  await page.goto(app.url(`/reports/${group}`));
  await expect(page.getByRole("button", { name: "Ignore" })).toBeVisible();
  expect(await post(`/reports/${group}`, allowed)).toBe(303);
  await page.reload();
  await expect(page.getByRole("button", { name: "Reopen" })).toBeVisible();
});

test.describe("one person's data", () => {
  test.use({ javaScriptEnabled: false });

  test("is found by the user's id, and removed after a question, without JavaScript", async ({
    app,
    page,
  }) => {
    const user = { id: `user ${someWord()}` };
    const { id, message } = await reportError(app, { user });
    const other = await reportError(app, { user: { id: someWord() } });
    await report(app, [["feedback", feedbackEvent(`broken ${id}`, id)]]);
    await open(page, app, `/reports?q=${id}`);
    await page.getByRole("link", { name: user.id }).click();
    // The error, and the message about it.
    await expect(page.getByRole("link", { name: message })).toHaveCount(2);
    await expect(page.getByRole("link", { name: other.message })).toHaveCount(0);
    await expect(page.getByText(`broken ${id}`)).toBeVisible();
    const button = page.getByRole("button", { name: `Remove everything of ${user.id}` });
    await expect(button).toBeHidden();
    await page.getByText("Remove everything of this user…").click();
    await button.click();
    await expect(page.getByRole("status")).toHaveText(
      "Removed for good: Errors 1 · Messages 1 · Whole reports 2",
    );
    await open(page, app, `/reports?q=${id}`);
    await expect(page.getByText("No error with this reference is kept here.")).toBeVisible();
    await open(page, app, `/reports?q=${other.id}`);
    await page.getByText("Remove…", { exact: true }).click();
    await page.getByRole("button", { name: "Remove this event" }).click();
    await expect(page.getByRole("status")).toContainText("Errors 1 · Messages 0");
  });
});

test("an error can be taken along: as text for an issue, and as the file that was reported", {
  tag: "@verify",
}, async ({ app, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id, message } = await reportError(app);
  await open(page, app, `/reports?q=${id}`);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(message);
  expect(copied).toContain("at onClick (/button.tsx:12)");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as JSON" }).click();
  expect((await download).suggestedFilename()).toBe(`error-${id}.json`);
  const stream = await (await download).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ event_id: id });
});

test("visits and requests show as performance of their route, whose slowest visit leads to its picture, and from there to its errors and back", {
  tag: "@verify",
}, async ({ app, page, context }) => {
  const visitor = await context.newPage();
  await visitor.goto(app.url("/dynamic/a-1"));
  const trace = await visitor.locator('meta[name="sentry-trace"]').getAttribute("content");
  const traceId = trace?.split("-")[0];
  const { message } = await reportError(app, { contexts: { trace: { trace_id: traceId } } });
  await open(page, app, "/reports?view=performance");
  const route = page.locator("section", {
    has: page.getByRole("heading", { name: "/dynamic/[id]", exact: true }),
  });
  await expect(route.getByText("LCP")).toBeVisible();
  await expect(route.getByText("TTFB")).toBeVisible();
  await expect(route.getByText("Server requests")).toBeVisible();
  await route.getByRole("link", { name: "/dynamic/[id]", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Slowest visits" })).toBeVisible();
  await page.locator(`main a[href$="/reports/${traceId}"]`).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("One visit /dynamic/[id]");
  // The server's part comes first, the browser's once the page has been left alone for a while.
  await expect(page.getByText("http.server")).toBeVisible();
  await expect(page.getByText("pageload", { exact: true })).toBeVisible();
  await expect(page).toBeAccessible();
  await page.getByRole("link", { name: message }).click();
  await expect(page.getByRole("heading", { level: 1, name: "TypeError" })).toBeVisible();
  await page.getByRole("link", { name: "Show the visit" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("One visit /dynamic/[id]");
});

test("the inbox can be read by keyboard alone", { tag: "@verify" }, async ({ app, page }) => {
  const { message } = await reportError(app);
  await open(page, app);
  await expect(page.getByText("Refreshes by itself")).toBeVisible();
  const row = page.getByRole("link", { name: message });
  await page.getByRole("link", { name: /^Feedback \d/ }).focus();
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press("Tab");
    if (await row.evaluate((link) => link === document.activeElement)) break;
  }
  await expect(row).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "TypeError" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Reports" })).toBeVisible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("errors can be found, resolved and ignored, and come back by themselves", {
    tag: "@only-shell",
  }, async ({ app, page }) => {
    const release = `r-${someEventId()}`;
    const { message } = await reportError(app, { release });
    const another = await reportError(app, { release });
    await open(page, app);
    await page.getByRole("searchbox").fill(message);
    await page.getByRole("searchbox").press("Enter");
    await page.getByRole("link", { name: message }).click();
    await page.getByRole("button", { name: "Resolve" }).click();
    await expect(page.locator("header strong")).toHaveText("resolved");
    expect(new URL(page.url()).pathname).toMatch(/\/reports\/b?[0-9a-f]{16}$/);
    await reportError(app, { release, message });
    await page.goto(app.url(`/reports?state=came-back&release=${release}`));
    await expect(page.getByRole("listitem").filter({ hasText: message })).toContainText(
      "came back",
    );

    const list = `/reports?release=${release}&state=open`;
    await page.goto(app.url(list));
    await page.getByRole("checkbox", { name: another.message }).check();
    await page.getByRole("button", { name: "Ignore" }).click();
    await expect(page).toHaveURL(app.url(list));
    await expect(page.getByRole("link", { name: another.message })).toHaveCount(0);
    await page.goto(app.url("/reports?state=ignored"));
    await expect(page.getByRole("link", { name: another.message })).toBeVisible();
    await page.goto(app.url(`/reports?release=${release}`));
    await expect(page.getByRole("link", { name: another.message })).toHaveCount(0);
    await expect(page.getByRole("link", { name: message })).toBeVisible();
    for (const view of [/^Performance/, /^Feedback \d/, /^Errors/, /^Refresh$/]) {
      await page.getByRole("link", { name: view }).click();
    }
    await expect(page.getByRole("link", { name: message })).toBeVisible();
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 } });

    test("each view is accessible on a narrow screen, and fits it", {
      tag: "@verify",
    }, async ({ app, page }) => {
      const traceId = crypto.randomUUID().replaceAll("-", "");
      const contexts = { trace: { trace_id: traceId, span_id: "1".repeat(16), op: "pageload" } };
      const { id } = await reportError(app, { transaction: `/${"long/".repeat(30)}`, contexts });
      await report(app, [["feedback", feedbackEvent(`${"x".repeat(200)} ${id}`, id)]]);
      const measurements = { lcp: { value: 3000 }, cls: { value: 0.4 }, ttfb: { value: 100 } };
      const timestamp = Date.now() / 1000;
      const times = { start_timestamp: timestamp - 3, timestamp };
      const spans = Array.from({ length: 30 }, (_, i) => ({
        op: "resource.script",
        description: `/${"long".repeat(i)}`,
        span_id: `${i}`.padStart(16, "0"),
        parent_span_id: i % 5 ? `${i - 1}`.padStart(16, "0") : "1".repeat(16),
        start_timestamp: timestamp - 3 + i / 20,
        timestamp: timestamp - 3 + i / 10,
      }));
      await report(app, [
        ["transaction", { transaction: "/server", measurements, contexts, spans, ...times }],
      ]);
      for (const path of [
        "/reports",
        "/reports?view=performance",
        "/reports?view=feedback",
        "/reports?view=performance&route=/server",
        "/reports?q=nothing+like+it&state=resolved",
        "/reports?q=user.id:77&removed=1-2-3",
        `/reports?q=${id}`,
        `/reports/${traceId}`,
      ]) {
        await open(page, app, path);
        await expect(page).toBeAccessible();
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(over, `${path} scrolls sideways`).toBeLessThanOrEqual(0);
      }
    });
  });
}
