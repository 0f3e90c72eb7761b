import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import { envelope, errorEvent, feedbackEvent, someEventId } from "../support/envelopes";
import type { App } from "../support/server";

type Items = Parameters<typeof envelope>[0];

/** Hands reports to the tunnel, as a browser does. */
async function report(app: App, items: Items): Promise<void> {
  const response = await fetch(app.url("/api/relay"), {
    method: "POST",
    body: Buffer.from(envelope(items)).toString(),
  });
  expect(response.status).toBe(200);
}

/** Reports an error that no other test reports, and gives its message and reference. */
async function reportError(app: App, over: Record<string, unknown> = {}) {
  const id = crypto.randomUUID().replaceAll("-", "");
  // In letters that no hexadecimal number has: ids in a message don't make another error of it.
  const message = `broken ${id.replace(/./g, (digit) => "ghijklmnopqrstuv".charAt(Number.parseInt(digit, 16)))}`;
  const event = errorEvent({ event_id: id, timestamp: Date.now() / 1000, ...over });
  const [exception] = (event.exception as { values: { value: string }[] }).values;
  if (exception) exception.value = message;
  await report(app, [["event", event]]);
  return { id, message };
}

async function open(page: Page, app: App, path = "/reports", locale = "en"): Promise<void> {
  const joint = path.includes("?") ? "&" : "?";
  await page.goto(app.url(`${path}${joint}token=${app.inboxToken}`, locale));
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
    const response = await fetch(app.url(path, "de"), { redirect: "manual" });
    expect([303, 307]).toContain(response.status);
    expect(response.headers.get("location")).toBe(app.path("/reports?view=feedback", "de"));
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Lax");
    expect(cookie).toContain(`Path=${app.basePath || "/"};`);
    expect(cookie).not.toContain("Secure");
    expect(cookie).not.toContain(app.inboxToken);

    const secure = await fetch(app.url(path), {
      redirect: "manual",
      headers: { "x-forwarded-proto": "https" },
    });
    expect(secure.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  test("with the cookie, the inbox opens by a link inside the app too", { tag: "@shell" }, async ({
    app,
    page,
  }) => {
    await open(page, app);
    expect(page.url()).toBe(app.url("/reports"));
    await page.goto(app.url("/"));
    await page.getByRole("main").getByRole("link", { name: "/reports" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Reports" })).toBeFocused();
  });

  test("with a service configured there is no inbox", async ({ launch }) => {
    const app = await launch({ SENTRY_DSN: "http://key@127.0.0.1:9/1" });
    for (const path of ["/reports", `/reports?token=${app.inboxToken}`]) {
      const response = await fetch(app.url(path), { redirect: "manual" });
      expect(response.status).toBe(404);
    }
  });
});

test("an error in a browser shows within 5 s in an inbox that is open, and disturbs nothing there", {
  tag: "@shell",
}, async ({ app, page, context, faults }) => {
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
  await visitor.getByRole("main").getByRole("button").click();
  await visitor.bringToFront();
  await page.bringToFront();
  await expect(page.locator("li", { hasText: "/failures/client-event" }).first()).toBeVisible({
    timeout: 5000,
  });
  expect(before).toBeGreaterThan(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(focused);
  expect(await page.evaluate(() => history.length)).toBe(entries);
  await expect(page.locator('[data-fact="navigation"]')).toHaveText("");
});

test("refreshing can be paused, and goes on when it is resumed", async ({ app, page }) => {
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

test("an inbox says when the server is gone, and when it may no longer be read", async ({
  launch,
  page,
  context,
  faults,
}) => {
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

test("the data of the inbox is kept by no cache, and is for those with the cookie only", {
  tag: "@shell",
}, async ({ app, page }) => {
  await open(page, app);
  const data = page.waitForResponse(/_next\/data/);
  const response = await data;
  expect(response.headers()["cache-control"]).toBe("private, no-store");
  const stranger = await fetch(response.url(), { headers: { "x-nextjs-data": "1" } });
  expect(stranger.status).toBe(404);
  expect(await stranger.text()).not.toContain("view");
});

test("a reference leads to its error, with stack, breadcrumbs, tags and what was written", {
  tag: "@shell",
}, async ({ app, page }) => {
  const { id, message } = await reportError(app, {
    tags: { tenant: "blue" },
    breadcrumbs: [{ timestamp: Date.now() / 1000, category: "ui.click", message: "button#pay" }],
  });
  await report(app, [
    ["feedback", { ...feedbackEvent(`about ${id}`, id), event_id: someEventId() }],
  ]);
  await open(page, app);
  await page.getByLabel("Find an error by its reference").fill(id);
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "TypeError" })).toBeVisible();
  const main = page.getByRole("main");
  for (const text of [message, `about ${id}`, "/button.tsx:12", "button#pay", "blue", "1.0.0"]) {
    await expect(main.getByText(text).first()).toBeVisible();
  }
  await expect(page.getByLabel("Facts", { exact: true }).getByText(id)).toBeVisible();
  await expect(page).toBeAccessible();
});

test("a reference that is not kept is answered where it was asked", async ({ app, page }) => {
  await open(page, app, "/reports?event=ffffffffffffffffffffffffffffffff");
  await expect(page.getByText("No error with this reference is kept here:")).toBeVisible();
  await page.getByLabel("Find an error by its reference").fill("what");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("This is not a reference")).toBeInViewport();
});

test("visits and requests show as performance of their route", async ({ app, page, context }) => {
  const visitor = await context.newPage();
  await visitor.goto(app.url("/dynamic/a-1"));
  await open(page, app, "/reports?view=performance");
  const route = page.locator("section", {
    has: page.getByRole("heading", { name: "/dynamic/[id]", exact: true }),
  });
  await expect(route.getByText("LCP")).toBeVisible({ timeout: 15_000 });
  await expect(route.getByText("TTFB")).toBeVisible();
  await expect(route.getByText("Requests")).toBeVisible({ timeout: 15_000 });
});

test("whatever a report holds, it stays text", async ({ app, page }) => {
  const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
  page.on("dialog", () => {
    throw new Error("A report's content was run");
  });
  const { id } = await reportError(app, {
    transaction: hostile,
    release: hostile,
    tags: { a: hostile },
  });
  await open(page, app, `/reports?event=${id}`);
  await expect(page.getByText(hostile).first()).toBeVisible();
  expect(await page.locator("main img").count()).toBe(0);
});

test("the inbox can be read by keyboard alone", async ({ app, page }) => {
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
  await expect(page.getByRole("heading", { level: 1, name: "TypeError" })).toBeFocused();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Reports" })).toBeVisible();
});

test("an inbox nobody has written to says in each view what to do next", { tag: "@shell" }, async ({
  launch,
  page,
}) => {
  const app = await launch({ SENTRY_TRACES_SAMPLE_RATE: "0", BROWSER_TRACES_SAMPLE_RATE: "0" });
  await open(page, app);
  await expect(page.getByRole("link", { name: "break something" })).toBeVisible();
  await page.getByRole("link", { name: /^Performance/ }).click();
  await expect(page.getByRole("link", { name: "look around, then come back" })).toBeVisible();
  await page.getByRole("link", { name: /^Feedback \d/ }).click();
  await page.getByRole("link", { name: "write one" }).click();
  await expect(page).toHaveURL(app.url("/feedback"));
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("all of the inbox can be reached and refreshed", { tag: "@shell" }, async ({
    app,
    page,
  }) => {
    const { message } = await reportError(app);
    await open(page, app);
    await page.getByRole("link", { name: /^Performance/ }).click();
    await page.getByRole("link", { name: /^Feedback \d/ }).click();
    await page.getByRole("link", { name: /^Errors/ }).click();
    await page.getByRole("link", { name: "Refresh", exact: true }).click();
    await page.getByRole("link", { name: message }).click();
    await expect(page.getByRole("heading", { level: 1, name: "TypeError" })).toBeVisible();
    await expect(page.getByText("/button.tsx:12").first()).toBeVisible();
  });
});

for (const [locale, colorScheme] of [
  ["en", "light"],
  ["de", "dark"],
  ["ar", "dark"],
] as const) {
  test.describe(`in ${locale}, ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("each view is accessible and fits a narrow screen", async ({ app, page }) => {
      const { id } = await reportError(app, { transaction: `/${"long/".repeat(30)}` });
      await report(app, [["feedback", feedbackEvent(`${"x".repeat(200)} ${id}`, id)]]);
      const measurements = { lcp: { value: 3000 }, cls: { value: 0.4 }, ttfb: { value: 100 } };
      await report(app, [["transaction", { transaction: "/server", measurements }]]);
      for (const path of [
        "/reports",
        "/reports?view=performance",
        "/reports?view=feedback",
        `/reports?event=${id}`,
      ]) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await open(page, app, path, locale);
        await expect(page).toBeAccessible();
        await page.setViewportSize({ width: 390, height: 844 });
        await expect(page).toBeAccessible();
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(over, `${path} scrolls sideways`).toBeLessThanOrEqual(0);
      }
    });
  });
}
