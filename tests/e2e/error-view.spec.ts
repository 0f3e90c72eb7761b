import type { Page } from "playwright/test";
import { documentTitle } from "@/lib/messages/product-name";
import { expect, test } from "../support/app";
import type { BrowserEvent } from "../support/browser-reports";
import { open } from "../support/navigation";
import { fact, withAndWithoutPrefix } from "../support/routes";
import type { App } from "../support/server";
import type { Service } from "../support/service";
import { textsOf } from "../support/texts";

let service: Service;

test.beforeEach(({ service: ofTheTest }) => {
  service = ofTheTest;
});

function events(): { event_id: string; contexts: { trace?: { trace_id: string } } }[] {
  return service.payloads<never>("event");
}

/** Ends the app once the page is left and has sent what it still had to send. */
async function leave(page: Page, app: App): Promise<void> {
  await page.goto("about:blank");
  await app.stop();
}

/** The reference a page shows, once it shows one. */
async function referenceOn(page: Page): Promise<string> {
  await expect(fact(page, "reference")).toHaveText(/^[\da-f]{32}$/);
  return (await fact(page, "reference").textContent()) ?? "";
}

/** Waits until these very events have arrived, in any order. */
async function arrived(...ids: string[]): Promise<void> {
  await expect
    .poll(() =>
      events()
        .map((event) => event.event_id)
        .sort(),
    )
    .toEqual(ids.sort());
}

for (const [locale, tag] of withAndWithoutPrefix) {
  test(`an error in a browser's render shows the reference of its one event in ${locale}`, {
    tag,
  }, async ({ launch, page, faults }) => {
    faults.allow(/Failed on purpose/);
    const app = await launch({ SENTRY_DSN: service.dsn });
    await open(page, app.url("/failures/client-render", locale));
    await page.locator("article button").click();
    const heading = page.getByRole("heading", {
      level: 1,
      name: textsOf(locale).errors.applicationError,
    });
    await expect(heading).toBeFocused();
    await expect(page.getByText(textsOf(locale).errors.browser)).toBeVisible();
    await expect(page).toHaveTitle(documentTitle(textsOf(locale).errors.applicationError));
    await expect(page).toBeAccessible();
    await arrived(await referenceOn(page));
    expect(events()[0]?.contexts.trace?.trace_id).toMatch(/^[\da-f]{32}$/);

    await page.getByRole("button", { name: textsOf(locale).errors.tryAgain }).click();
    await expect(fact(page, "pattern")).toHaveText("/failures/client-render");
    await leave(page, app);
    expect(events()).toHaveLength(1);
  });
}

test("a page that has failed is tried again in another language", { tag: "@verify" }, async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  await open(page, app.url("/failures/client-render"));
  await page.locator("article button").click();
  await referenceOn(page);
  await page.getByRole("link", { name: "Deutsch" }).click();
  await expect(fact(page, "locale")).toHaveText("de");
});

test("a page that fails whenever it is mounted is loaded in full on the second try", {
  tag: "@verify",
}, async ({ launch, page, faults }) => {
  faults.allow(/Failed on purpose|status of 500|^answer 500 to /);
  const app = await launch({ SENTRY_DSN: service.dsn });
  await open(page, app.url("/failures"));
  await page.locator(`main a[href="${app.path("/failures/server-render")}"]`).click();
  await expect(page.getByText("Something failed in your browser")).toBeVisible();
  const first = await referenceOn(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("Something failed on the server")).toBeVisible();
  const last = await referenceOn(page);
  expect(last).not.toBe(first);
  await expect.poll(() => events().map((event) => event.event_id)).toContain(last);
  await leave(page, app);
  // The visitor's first, that of mounting again, and the server's.
  expect(events()).toHaveLength(3);
  expect(events().map((event) => event.event_id)).toEqual(expect.arrayContaining([first, last]));
});

test("a page whose data fails is one event by its address; by a link, one each time it ran", {
  tag: "@verify",
}, async ({ launch, page, faults }) => {
  faults.allow(/status of 500|^answer 500 to /);
  const app = await launch({ SENTRY_DSN: service.dsn });
  await page.goto(app.url("/failures/server-data"));
  const first = await referenceOn(page);
  await open(page, app.url("/failures"));
  await arrived(first);
  // Without the SDK a report goes by the page that it was sent from.
  const loads = () =>
    service
      .payloads<BrowserEvent>("transaction")
      .filter(({ contexts }) => contexts.trace.op === "pageload")
      .map(({ transaction }) => transaction);
  await expect.poll(loads).toContain("/failures");
  await page.locator(`main a[href="${app.path("/failures/server-data")}"]`).click();
  await expect(page).toHaveURL(app.url("/failures/server-data"));
  const last = await referenceOn(page);
  await expect.poll(() => events().length).toBe(3);
  await leave(page, app);
  expect(events()).toHaveLength(3);
  const told = service.payloads<BrowserEvent>("event");
  expect(told.map(({ transaction }) => transaction)).toEqual(
    Array(3).fill("GET /failures/server-data"),
  );
  expect(told.map(({ event_id }) => event_id)).toContain(last);
  const words = told.map(({ exception }) => exception.values.at(-1)?.value);
  expect(words.sort()).toEqual([
    "Failed on purpose in getServerSideProps",
    "Failed on purpose in getServerSideProps",
    "Failed on purpose in getServerSideProps",
  ]);
});

test("the error is gone from the next page, and from the way back", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  await open(page, app.url("/failures/client-render"));
  await page.locator("article button").click();
  await referenceOn(page);
  await page.getByRole("button", { name: "Copy" }).focus();
  await page
    .locator(`header a[href="${app.path("/")}"]`)
    .first()
    .click();
  await expect(fact(page, "pattern")).toHaveText("/");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/failures/client-render");
  await expect(fact(page, "reference")).toHaveCount(0);
});

test("the reference can be copied, and the page says so", { tag: "@verify" }, async ({
  app,
  page,
  context,
  faults,
}) => {
  faults.allow(/status of 500|^answer 500 to /);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, app.url("/failures/server-data"));
  await page.getByRole("button", { name: "Copy" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Reference copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await referenceOn(page));
});

test("trying again after a server error asks for the very address, query and all", {
  tag: "@only-shell",
}, async ({ app, page, faults }) => {
  faults.allow(/status of 500|^answer 500 to /);
  await open(page, app.url("/failures/server-data?a=1&b=x%20y"));
  const first = await referenceOn(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(fact(page, "reference")).not.toHaveText(first);
  expect(new URL(page.url()).searchParams.get("b")).toBe("x y");
});

test("the error view is accessible on a phone, in light and dark", { tag: "@verify" }, async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/status of 500|^answer 500 to /);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(app.url("/failures/server-data", "ar"));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page).toBeAccessible();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    const controls = page.locator("main :is(button, input, textarea, a):visible");
    for (const control of await controls.and(page.locator(":not([aria-hidden] *)")).all()) {
      expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  }
});

test("with letters of twice the size, the error view fits the smallest phone", {
  tag: "@verify",
}, async ({ app, page, faults }) => {
  faults.allow(/status of 500|^answer 500 to /);
  await page.setViewportSize({ width: 320, height: 640 });
  for (const locale of ["en", "de", "ar"]) {
    await open(page, app.url("/failures/server-data", locale));
    const width = await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
      return document.documentElement.scrollWidth;
    });
    expect(width, locale).toBeLessThanOrEqual(320);
  }
});

test("an error page is printed with its reference, and without what only a screen can do", {
  tag: "@verify",
}, async ({ app, page, faults }) => {
  faults.allow(/status of 500|^answer 500 to /);
  await open(page, app.url("/failures/server-data"));
  await page.getByRole("button", { name: "Copy" }).click();
  const told = page.getByRole("status").filter({ hasText: /./ });
  await expect(told).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByText("Reference", { exact: true })).toBeVisible();
  await expect(fact(page, "reference")).toBeVisible();
  await expect(told).toBeHidden();
  const controls = page.locator("nav, button, input, textarea");
  expect(await controls.filter({ visible: true }).count()).toBe(0);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("what is not there is named, without its query", async ({ app, page, faults }) => {
    faults.allow(/status of 404/);
    for (const path of ["/missing", "/no/such-page"]) {
      const answer = await page.goto(app.url(`${path}?token=1`, "de"));
      expect(answer?.status()).toBe(404);
      await expect(page.getByRole("main")).toContainText(app.path(path, "de"));
      await expect(page.getByRole("main")).not.toContainText("token");
    }
  });
});
