import type { Browser, BrowserContext, Page } from "playwright";
import { until } from "./processes.ts";

/** What no envelope may hold, and where a visitor brings it along. */
export const planted = {
  cookie: "planted-in-a-cookie",
  query: "planted-in-a-query",
  email: "planted@example.org",
};

const query = new URLSearchParams({ token: planted.query, email: planted.email }).toString();

/** A URL of the app with what must not be reported. */
export function urlOf(origin: string, path: string): string {
  return `${origin}${path}?${query}`;
}

export async function newContext(browser: Browser, origin: string, javaScript = true) {
  const context = await browser.newContext({ javaScriptEnabled: javaScript });
  await context.addCookies([{ name: "session", value: planted.cookie, url: origin }]);
  return context;
}

/** Opens a page, and waits until its links and buttons work. */
export async function open(context: BrowserContext, origin: string, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(urlOf(origin, path));
  await page.waitForFunction(() => {
    const { next } = window as { next?: { router?: { isReady: boolean } } };
    return next?.router?.isReady;
  });
  return page;
}

/** Goes to another page by Next's router. */
export async function push(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const { next } = window as unknown as {
      next: { router: { push(url: string): Promise<boolean> } };
    };
    return next.router.push(to);
  }, `${path}?${query}`);
}

/**
 * Leaves a page as a visitor does that goes elsewhere, so that it sends what it has. The tab stays
 * open: Playwright would end what is on its way with it.
 */
export async function leave(page: Page): Promise<void> {
  await page.goto("about:blank");
}

/** The paths of all scripts that a page's HTML names. The SDK's are not among them. */
async function namedScripts(origin: string, path: string): Promise<string> {
  return (await fetch(`${origin}${path}`)).text();
}

/** Has every script fail that a page loads late, as a content blocker would. */
export async function blockLateScripts(context: BrowserContext, origin: string, path: string) {
  const html = await namedScripts(origin, path);
  await context.route(/\/_next\/static\/chunks\/.*\.js/, (route) => {
    const { pathname } = new URL(route.request().url());
    return html.includes(pathname) ? route.continue() : route.abort();
  });
}

/** Opens a page and waits until the SDK has started there: it reports the page load then. */
export async function openWithSdk(
  context: BrowserContext,
  origin: string,
  path: string,
): Promise<Page> {
  let sent = false;
  context.on("request", (request) => {
    if (request.method() === "POST" && /"sdk":/.test(request.postData() ?? "")) sent = true;
  });
  const page = await open(context, origin, path);
  await until(`the SDK starts on ${path}`, () => sent);
  return page;
}
