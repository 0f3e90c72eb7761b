import type { Browser, BrowserContext, Page } from "playwright";
import {
  blockLateScripts,
  leave,
  newContext,
  open,
  openWithSdk,
  planted,
  push,
  urlOf,
} from "./browser.ts";

/** What is thrown or rejected in a page, by the last segment of the page's path. */
export const thrownThings = [
  "error",
  "text",
  "object",
  "null",
  "rejected-error",
  "rejected-text",
  "rejected-object",
  "rejected-null",
] as const;

/** How an error's report leaves the browser: by the SDK, or without it. */
export const modes = ["sdk", "blocked"] as const;

/** The page on which something is thrown. */
export function pageOf(mode: (typeof modes)[number], thing: string): string {
  return `/services/throwing/${mode}/${thing}`;
}

export const feedback = {
  script: "It broke, says someone with JavaScript",
  plain: "It broke, says someone without JavaScript",
};

/** What the visitor was shown. */
export interface Shown {
  /** The references on error pages and in answers, by path. */
  references: Record<string, string>;
}

/**
 * Makes the app report everything that it can report, each thing in a known number. Its tabs stay
 * open until their reports have arrived.
 */
export async function drive(browser: Browser, origin: string): Promise<Shown> {
  const references: Shown["references"] = {};
  const inContext = async (
    use: (context: BrowserContext) => Promise<unknown>,
    javaScript = true,
  ) => {
    const context = await newContext(browser, origin, javaScript);
    await use(context);
  };
  // First of all, since the first error of a process is one of its own kind.
  await inContext((context) => failOnServer(context, origin, references));
  await inContext((context) => failInPages(context, origin, references));
  for (const mode of modes) await inContext((context) => throwEverything(context, origin, mode));
  await inContext((context) => visit(context, origin));
  await inContext((context) => sendFeedback(context, origin, "script"));
  await inContext((context) => sendFeedback(context, origin, "plain"), false);
  return { references };
}

async function failOnServer(
  context: BrowserContext,
  origin: string,
  references: Shown["references"],
): Promise<void> {
  const paths = ["/failures/server-data", "/failures/server-render"];
  for (const path of [
    ...paths,
    ...["text", "object", "null"].map((what) => `/services/thrown/${what}`),
  ]) {
    const page = await context.newPage();
    await page.goto(urlOf(origin, path));
    references[path] = (await page.locator('[data-fact="reference"]').textContent()) ?? "";
    await leave(page);
  }
  const { request } = context;
  await request.get(urlOf(origin, "/api/failure"));
  const caught = await request.get(urlOf(origin, "/api/services/caught"));
  references["/api/services/caught"] = (await caught.json()).reference;
  // Others at the same time, whose routes are not the rejection's.
  const others = ["/server", "/api/services/rejected", "/catch-all/beside"];
  await Promise.all(others.map((path) => request.get(urlOf(origin, path))));
}

async function failInPages(
  context: BrowserContext,
  origin: string,
  references: Shown["references"],
): Promise<void> {
  const press = (page: Page) => page.locator("main button, article button").first().click();
  for (const path of ["client-event", "client-promise"]) {
    const page = await open(context, origin, `/failures/${path}`);
    await press(page);
    // Before the SDK can be there.
    await leave(page);
  }
  for (const path of ["/failures/client-render", "/services/caught"]) {
    const page = await open(context, origin, path);
    await press(page);
    const shown = page.locator('[data-fact="reference"], output').filter({ hasText: /\w/ });
    references[path] = (await shown.textContent()) ?? "";
    await leave(page);
  }
  const page = await open(context, origin, "/failures");
  await push(page, "/services/clicked").catch(() => {});
  await page.locator('[data-fact="reference"]').waitFor();
  await leave(page);
}

async function throwEverything(
  context: BrowserContext,
  origin: string,
  mode: (typeof modes)[number],
): Promise<void> {
  const first = pageOf(mode, "first");
  if (mode === "blocked") await blockLateScripts(context, origin, first);
  const page = await (mode === "sdk" ? openWithSdk : open)(context, origin, first);
  for (const thing of thrownThings) {
    await push(page, pageOf(mode, thing));
    await fail(page);
  }
  await push(page, pageOf(mode, "policy"));
  await page.evaluate(addForeignImage);
  await push(page, pageOf(mode, "noise"));
  await page.evaluate(makeNoise);
  // Its query is a breadcrumb of what follows.
  await page.evaluate((email) => fetch(`/api/echo/a?email=${email}`), planted.email);
  await push(page, pageOf(mode, "after-all/error"));
  await fail(page);
  // Playwright would hold the last report back, and lose it with the page.
  await context.unrouteAll();
  await leave(page);
}

/** Has the page throw or reject, and waits until the browser has noticed. */
async function fail(page: Page): Promise<void> {
  const noticed = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        for (const type of ["error", "unhandledrejection"])
          addEventListener(type, () => resolve(), { once: true });
      }),
  );
  await page.getByRole("button", { name: "Fail" }).click();
  await noticed;
}

/** Runs in the page. */
function addForeignImage(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener("securitypolicyviolation", () => resolve(), { once: true });
    const image = document.createElement("img");
    image.src = "https://blocked.example/private.png";
    document.body.append(image);
  });
}

/** Runs in the page. What says nothing about the app. */
function makeNoise(): Promise<void> {
  for (const message of [
    "Script error.",
    "ResizeObserver loop completed with undelivered notifications.",
  ])
    dispatchEvent(new ErrorEvent("error", { message }));
  return new Promise((resolve) => {
    addEventListener("unhandledrejection", () => resolve(), { once: true });
    const controller = new AbortController();
    void fetch("/api/echo/aborted", { signal: controller.signal });
    controller.abort();
  });
}

/** Visits that are measured: a short one, one that is left at once, and one with the SDK. */
async function visit(context: BrowserContext, origin: string): Promise<void> {
  await leave(await open(context, origin, "/incremental/alpha"));
  const atOnce = await context.newPage();
  await atOnce.goto(urlOf(origin, "/dynamic/left-at-once"), { waitUntil: "commit" });
  await atOnce.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint").length > 0,
  );
  await leave(atOnce);
  const page = await openWithSdk(context, origin, "/optional/one");
  await clickSlowly(page);
  await push(page, "/dynamic/navigated");
  await clickSlowly(page);
  await leave(page);
}

/** Clicks, and waits until the browser has measured how long the answer took. */
async function clickSlowly(page: Page): Promise<void> {
  await page.evaluate(() => {
    const answer = () => {
      const end = performance.now() + 200;
      while (performance.now() < end);
    };
    addEventListener("click", answer, { once: true });
  });
  await page.locator("h1").click();
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        new PerformanceObserver(() => resolve()).observe({ type: "first-input", buffered: true });
      }),
  );
}

async function sendFeedback(
  context: BrowserContext,
  origin: string,
  how: keyof typeof feedback,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/feedback`);
  await page.locator("[name=message]").fill(feedback[how]);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you for your message.").waitFor();
  await page.close();
}
