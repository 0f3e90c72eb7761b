import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { Page } from "playwright/test";
import { documentTitle, productName } from "@/lib/messages/product-name";
import { expect, test } from "../support/app";
import { errorEventsSent, untilReportingRuns } from "../support/browser-reports";
import { askByWebSocket, startElsewhere } from "../support/elsewhere";
import {
  documents,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  push,
  ready,
} from "../support/navigation";
import { fact } from "../support/routes";
import { startStranger } from "../support/stranger";
import { variants } from "../support/variants.ts";

const tag = "@verify";

/** Every title and description that the document has. */
function headOf(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => [
    ...[...document.head.querySelectorAll("title")].map((title) => title.textContent),
    ...[...document.head.querySelectorAll("meta[name=description]")].map((meta) =>
      meta.getAttribute("content"),
    ),
  ]);
}

const own = ["Companions", "What a team brings"];

test("next/script, next/image, next/dynamic and a package's next/head work, without a violation", {
  tag,
}, async ({ app, page }) => {
  await open(page, app.url("/companions"));
  await expect(page.locator("html")).toHaveAttribute("data-companion", "ran");
  await expect(page.getByText("The part is here")).toBeVisible();
  await expect(page.locator('meta[name="badge"]')).toHaveAttribute("content", "/companions");
  const image = page.getByRole("img", { name: "Signpost" });
  await expect
    .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0);
});

test("where a proxy runs, what a client gives up is no error of the app's", { tag }, async ({
  launch,
  service,
}) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  for (let n = 0; n < 3; n += 1) {
    const gone = new AbortController();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("begun")),
      pull: () => void setTimeout(() => gone.abort(), 200),
    });
    const init = { method: "POST", body, duplex: "half", signal: gone.signal } as RequestInit;
    await expect(fetch(app.url("/companions"), init)).rejects.toThrow();
  }
  await expect.poll(() => app.output()).toContain("aborted");
  await app.stop();
  expect(service.payloads("event")).toEqual([]);
});

/** What the page may do, and a word for what it may not. */
function attempts(page: Page) {
  return page.evaluate(async () => {
    const refused = () => "refused";
    const wasm = WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    const answer = new Promise((resolve, reject) => {
      const source = URL.createObjectURL(new Blob(["postMessage('worked')"]));
      const worker = new Worker(source);
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    return Promise.all([wasm.then(() => "compiled").catch(refused), answer.catch(refused)]);
  });
}

test("WebAssembly and a worker from a blob run where the policy allows them, and only there", {
  tag,
}, async ({ app, launch, page, faults }) => {
  await open(page, app.url("/companions"));
  expect(await attempts(page)).toEqual(["compiled", "worked"]);
  faults.allow(/Content Security Policy|policy violation/);
  const strict = await launch({}, variants.default.folder);
  await open(page, strict.url("/static"));
  expect(await attempts(page)).toEqual(["refused", "refused"]);
});

test("a replay is compressed in a worker, where the policy allows it", { tag }, async ({
  launch,
  page,
  service,
}) => {
  const app = await launch({ SENTRY_DSN: service.dsn });
  await open(page, app.url("/server?replay"));
  const recordings = () => service.items("replay_recording");
  await expect.poll(() => recordings().length).toBeGreaterThan(0);
  const [recording = Buffer.of()] = recordings().map(({ bytes }) => bytes);
  const events = inflateSync(recording.subarray(recording.indexOf(10) + 1)).toString();
  expect(JSON.parse(events)).not.toEqual([]);
});

test("a CSS Module and a style attribute of a component apply, from the server and over a navigation", {
  tag,
}, async ({ app, page }) => {
  const expectLook = async () => {
    await expect(page.locator("#look")).toHaveCSS("margin-top", "7px");
    await expect(page.locator("#look")).toHaveCSS("margin-bottom", "9px");
  };
  await open(page, app.url("/companions"));
  await expectLook();
  await open(page, app.url("/static"));
  await push(page, "/companions");
  await expectLook();
  expect(await isSameDocument(page)).toBe(true);
});

test("a proxy may change a page's headers, and redirect a hard and a soft navigation", {
  tag,
}, async ({ app, page, request }) => {
  const response = await request.get(app.url("/companions"));
  expect(response.headers()["x-companion"]).toBe("proxied");
  expect(response.headers()["x-frame-options"]).toBe("DENY");
  await page.goto(app.url("/guarded/deep"));
  await expect(page).toHaveURL(app.url("/static"));
  await open(page, app.url("/companions"));
  await page.getByRole("link", { name: "Guarded" }).click();
  await expect(page).toHaveURL(app.url("/static"));
  expect(await isSameDocument(page)).toBe(true);
  await page.goBack();
  await expect(page).toHaveURL(app.url("/companions"));
});

test("a proxy may lead a request to another server, and a WebSocket", { tag }, async ({
  launch,
}) => {
  const app = await launch();
  const elsewhere = await startElsewhere();
  try {
    const url = app.url(`/elsewhere/${elsewhere.port}`);
    expect(await (await fetch(url)).text()).toBe("GET /rewritten ");
    expect(await askByWebSocket(url)).toBe("WebSocket /rewritten");
    await app.stop();
    expect(app.output()).not.toContain("MaxListeners");
  } finally {
    elsewhere.stop();
  }
});

test("links can opt out: of prefetching, and of the router", { tag }, async ({ front, page }) => {
  const data = /_next\/data\/.*static\.json/;
  await open(page, front.url("/companions"));
  // The link beside it is fetched ahead.
  await expect.poll(() => front.seen(/_next\/data\/.*alpha\.json/).length).toBe(1);
  expect(front.seen(data)).toEqual([]);
  await page.getByRole("link", { name: "Not ahead" }).click();
  await expect(page).toHaveURL(front.url("/static"));
  expect(await isSameDocument(page)).toBe(true);
  await page.goBack();
  await page.getByRole("link", { name: "Without the router" }).click();
  await expect(page).toHaveTitle(documentTitle("Static page"));
  expect(await isSameDocument(page)).toBe(false);
});

test("a page's own next/head replaces title and description, in the HTML and over a change of language", {
  tag,
}, async ({ app, page, request }) => {
  const html = await (await request.get(app.url("/companions"))).text();
  expect(html.match(/<title\b[^>]*>[^<]*/g)?.map((title) => title.replace(/.*>/, ""))).toEqual([
    "Companions",
  ]);
  expect(html.match(/<meta name="description" content="[^"]*/g)).toEqual([
    '<meta name="description" content="What a team brings',
  ]);
  await open(page, app.url("/companions"));
  expect(await headOf(page)).toEqual(own);
  await linkTo(page, app.path("/companions", "de")).click();
  await expect(page.getByRole("link", { name: "Zum Inhalt" })).toBeAttached();
  expect(await headOf(page)).toEqual(own);
  await linkTo(page, app.path("/static", "de")).click();
  await expect(page).toHaveTitle(documentTitle("Statische Seite"));
  expect(await headOf(page)).toHaveLength(2);
  await page.goBack();
  await expect(page).toHaveTitle("Companions");
  expect(await headOf(page)).toEqual(own);
  expect(await isSameDocument(page)).toBe(true);
});

test("a page without texts is named by its pattern", { tag }, async ({ app, page }) => {
  await open(page, app.url("/parts"));
  expect(await headOf(page)).toEqual([documentTitle("/parts"), `A page of ${productName}.`]);
  await open(page, app.url("/companions"));
  await page.getByRole("link", { name: "Without texts" }).click();
  await expect(page).toHaveTitle(documentTitle("/parts"));
  expect(await headOf(page)).toHaveLength(2);
  expect(await isSameDocument(page)).toBe(true);
});

test("a package that imports next/router.js has the app's one router", { tag }, async ({
  app,
  page,
}) => {
  await open(page, app.url("/companions"));
  const badge = page.getByRole("button");
  await expect(badge).toHaveText("/companions /companions 0");
  await page.getByRole("link", { name: "The second" }).click();
  await expect(badge).toHaveText("/companions?second=yes /companions?second=yes 1");
  await badge.click();
  await expect(page).toHaveURL(app.url("/static"));
  await expect(page).toHaveTitle(documentTitle("Static page"));
  expect(await isSameDocument(page)).toBe(true);

  const chunks = join(variants.companions.folder, ".next/static/chunks");
  const withRouter = readdirSync(chunks)
    .filter((name) => name.endsWith(".js"))
    .filter((name) =>
      readFileSync(join(chunks, name), "utf8").includes("No router instance found"),
    );
  expect(withRouter).toHaveLength(1);
});

test("a plain link to a hash is the browser's own, and fetches nothing, nor does the way back", {
  tag,
}, async ({ front, page }) => {
  await open(page, front.url("/companions"));
  await page.getByRole("link", { name: "To the end" }).click();
  await expect(page).toHaveURL(front.url("/companions#end"));
  await expect(page.locator("#end:target")).toBeInViewport();
  await page.goBack();
  await expect(page).toHaveURL(front.url("/companions"));
  await expect(page.locator("h1")).toBeInViewport();
  expect(await isSameDocument(page)).toBe(true);
  // With a proxy, a link to the same page with another query is fetched ahead.
  const fetched = front.seen(/_next\/data\/.*companions/);
  expect(fetched.filter(({ headers }) => headers.purpose !== "prefetch")).toEqual([]);
});

test("each example of docs/security.md lets a page use another origin, without a violation", {
  tag,
}, async ({ app, page, faults }) => {
  // The font is none: that it is asked for is enough.
  faults.allow(/Failed to decode downloaded font|OTS parsing error/);
  const stranger = await startStranger();
  try {
    await open(page, app.url(`/strangers?port=${new URL(stranger.origin).port}`));
    await expect(page.getByText("answered 200")).toBeVisible();
    await expect(page.getByText("compiled, worked")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-inline", "ran");
    await expect
      .poll(() => [...new Set(stranger.asked)].sort())
      .toEqual([
        "GET /answer",
        "GET /early.js",
        "GET /font.css",
        "GET /font.woff2",
        "GET /image.svg",
        "GET /late.js",
        "GET /lazy.js",
        "GET /video",
      ]);
    await page.getByRole("button", { name: "Pay" }).click();
    await expect.poll(() => stranger.asked).toContain("GET /pay");
  } finally {
    await stranger.stop();
  }
});

test("utility classes in a layer, as Tailwind's are, win over the base styles", { tag }, async ({
  app,
  page,
}) => {
  await open(page, app.url("/companions"));
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "@layer theme, base, components, utilities; @layer utilities { .mt-7 { margin-top: 7px } }",
    );
    document.adoptedStyleSheets = [sheet];
    document.querySelector("h1")?.classList.add("mt-7");
  });
  await expect(page.getByRole("heading", { level: 1 })).toHaveCSS("margin-top", "7px");
});

test("a page of a build that is gone goes on with the one that answers, by one hard navigation and a report", {
  tag,
}, async ({ front, launch, page, faults }) => {
  faults.allow(/404|MIME type/);
  const newer = await launch({}, variants.default.folder);
  await open(page, front.url("/failures"));
  await untilReportingRuns(front);
  front.pointAt(newer.origin);
  await linkTo(page, "/static").click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await ready(page);
  await linkTo(page, "/server").click();
  await expectStages(page, "start history complete");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, "/static")).toHaveLength(1);
  await expect.poll(() => errorEventsSent(front).length).toBe(1);
  expect(errorEventsSent(front)[0]).toMatchObject({ transaction: "/static" });
});

test("an image that nothing converts is refused as the build renders its page, with what to do", {
  tag,
}, async ({ app, request }) => {
  const html = await (await request.get(app.url("/photo"))).text();
  expect(html).toMatch(
    /next\/image can.{1,6}t convert \/photo\.jpg: .*Give the image the attribute/,
  );
});
