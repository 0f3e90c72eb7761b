import http from "node:http";
import type { Page } from "playwright/test";
import { allowedSources } from "@/lib/policy/policy";
import { test as base, expect } from "../support/app";
import { pages } from "../support/routes";
import { type Stranger, startStranger } from "../support/stranger";

interface Fixtures {
  stranger: Stranger;
  /** Directives that have stopped something in the page so far. */
  violated: Set<string>;
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of a pattern.
  stranger: async ({}, use) => {
    const stranger = await startStranger();
    await use(stranger);
    await stranger.stop();
  },
  violated: async ({ page }, use) => {
    const violated = new Set<string>();
    page.on("console", (message) => {
      const directive = /^policy violation: (\S+)/.exec(message.text())?.[1];
      if (directive) violated.add(directive);
    });
    await use(violated);
  },
});

/** What the browser says when it stops something: wanted in these tests. */
const stopped = /Content Security Policy|policy violation|X-Frame-Options|frame-ancestors/;

const errorPages: [path: string, status: number][] = [
  ["/no-such-page", 404],
  ["/missing", 404],
  ["/failures/server-data", 500],
  ["/failures/server-render", 500],
];

/** The policies in a page's HTML, and whether one comes before all scripts. */
function policiesOf(html: string): string[] {
  const before = html.slice(0, html.indexOf("<script"));
  return [...before.matchAll(/http-equiv="Content-Security-Policy" content="([^"]*)"/gi)].map(
    ([, policy = ""]) => policy.replaceAll("&#x27;", "'"),
  );
}

/** Has the page's next load arrive with this put into its body, as if a hole let it through. */
async function inject(page: Page, url: string, markup: string): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace("</body>", `${markup}</body>`);
    await route.fulfill({ response, body });
  });
}

/** A directive as it would be if the app allowed no sources of its own. */
function withoutOwnSources(directive: string): string {
  const own: string[] = Object.values(allowedSources).flat();
  return directive
    .split(" ")
    .filter((source) => !own.includes(source))
    .join(" ");
}

test("each page says before its first script that only scripts of this app run", async ({
  app,
}) => {
  const every: [string, number][] = [
    ...pages.map(({ path }): [string, number] => [path, 200]),
    ...errorPages,
  ];
  for (const [path, status] of every) {
    const response = await fetch(app.url(path, "de"));
    expect(response.status, path).toBe(status);
    const policies = policiesOf(await response.text());
    expect(policies, path).toHaveLength(1);
    const directives = (policies[0]?.split("; ") ?? []).map(withoutOwnSources);
    const [styleAttributes, others] = [
      directives.filter((text) => text.startsWith("style-src-attr")),
      directives.filter((text) => !text.startsWith("style-src-attr")),
    ];
    expect(styleAttributes).toEqual(["style-src-attr 'unsafe-inline'"]);
    expect(others.join("; ")).not.toMatch(/unsafe-|\*|https?:/);
    expect(directives).toContain("default-src 'self'");
    expect(directives).toContain("object-src 'none'");
    expect(directives.find((text) => text.startsWith("script-src"))).toMatch(
      /^script-src 'self'( 'sha256-[\w+/]{43}=')+$/,
    );
  }
});

test("inline scripts, handlers, javascript: links, foreign scripts and eval don't run, style attributes apply", async ({
  app,
  page,
  faults,
  stranger,
  violated,
}) => {
  faults.allow(stopped);
  faults.allow(/EvalError/);
  const url = app.url("/server");
  await inject(
    page,
    url,
    `<script>window.harmed = "inline"</script>
     <img src="data:," onerror="window.harmed = 'by a handler'">
     <p id="styled" style="color: rgb(1, 2, 3)">styled</p>
     <a id="link" href="javascript:window.harmed='by a link'">link</a>
     <script src="${stranger.origin}/script.js"></script>
     <script src="data:text/javascript,window.harmed='by data'"></script>
     <object data="${stranger.origin}/object"></object>
     <iframe src="${stranger.origin}/framed"></iframe>
     <style>body { display: none }</style>`,
  );
  // In a listener, as a page's own script would: what the debugger itself evaluates is exempt.
  await page.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () => {
      // biome-ignore lint/security/noGlobalEval: what must not work here
      for (const evaluate of [eval, (text: string) => new Function(text)()]) {
        try {
          evaluate("window.harmed = 'by eval'");
        } catch {
          Object.assign(window, { refused: true });
        }
      }
    });
  });
  await page.goto(url);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("#styled")).toHaveCSS("color", "rgb(1, 2, 3)");
  await page.locator("#link").click();
  await expect
    .poll(() => [...violated].sort())
    .toEqual([
      "frame-src",
      "object-src",
      "script-src",
      "script-src-attr",
      "script-src-elem",
      "style-src-elem",
    ]);
  expect(await page.evaluate(() => Reflect.get(window, "refused"))).toBe(true);
  expect(await page.evaluate(() => Reflect.get(window, "harmed"))).toBeUndefined();
  expect(stranger.asked).toEqual([]);
});

test("a base tag moves nothing, and a form goes to no other site", async ({
  app,
  page,
  faults,
  stranger,
  violated,
}) => {
  faults.allow(stopped);
  const url = app.url("/static");
  await inject(
    page,
    url,
    `<base href="${stranger.origin}/">
     <form action="${stranger.origin}/form" method="post"><button id="send">Send</button></form>`,
  );
  await page.goto(url);
  expect(await page.evaluate(() => document.baseURI)).toBe(url);
  await page.locator("#send").click({ noWaitAfter: true });
  await expect.poll(() => [...violated].sort()).toEqual(["base-uri", "form-action"]);
  expect(page.url()).toBe(url);
  expect(stranger.asked).toEqual([]);
});

test("another site can't frame a page", { tag: "@only-shell" }, async ({
  app,
  page,
  faults,
  stranger,
}) => {
  faults.allow(stopped);
  faults.allow(/status of 40[04] .*chrome-error/);
  for (const path of ["/static", "/server", "/no-such-page", "/%"]) {
    await page.goto(`${stranger.origin}/frame?${encodeURIComponent(app.url(path))}`);
    await expect
      .poll(() => page.frames().map((frame) => frame.url()), { message: path })
      .toContain("chrome-error://chromewebdata/");
  }
});

test("every answer has the headers that protect it, and none tells what made it", {
  tag: "@shell",
}, async ({ app }) => {
  const html = await (await fetch(app.url("/static"))).text();
  const asset = / src="([^"]+\/_next\/static\/[^"]+)"| src="(\/_next\/static\/[^"]+)"/.exec(html);
  const { buildId } = JSON.parse(/id="__NEXT_DATA__"[^>]*>([^<]+)</.exec(html)?.[1] ?? "{}");
  const asks: [status: number, path: string, init?: RequestInit][] = [
    ...pages.map(({ path }): [number, string] => [200, app.path(path)]),
    ...errorPages.map(([path, status]): [number, string] => [status, app.path(path)]),
    [307, app.path("/moved", "de")],
    [404, app.path("/reports")],
    [400, app.path("/dynamic/%E0%A4%A")],
    [200, app.path(`/_next/data/${buildId}/en/static.json`)],
    [200, app.path(`/_next/data/${buildId}/en/server.json`)],
    [404, app.path(`/_next/data/${buildId}/en/missing.json`)],
    [404, app.path("/_next/data/another-build/en/static.json")],
    [200, asset?.[1] ?? asset?.[2] ?? ""],
    [404, app.path("/_next/static/nothing.js")],
    [200, app.path("/icon.svg")],
    [200, app.path("/api/health/live")],
    [200, app.path("/api/relay/settings")],
    [404, app.path("/api/nothing")],
    [500, app.path("/api/failure")],
    [405, app.path("/api/relay")],
    [400, app.path("/api/relay"), { method: "POST", body: "nonsense" }],
    [415, app.path("/api/relay"), { method: "POST", headers: { "Content-Encoding": "zstd" } }],
  ];
  for (const [status, path, init] of asks) {
    await test.step(path, async () => {
      const { headers, status: got } = await fetch(app.origin + path, {
        redirect: "manual",
        ...init,
      });
      expect(got, path).toBe(status);
      expect.soft(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      expect.soft(headers.get("x-frame-options"), path).toBe("DENY");
      expect.soft(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect.soft(headers.get("referrer-policy"), path).toBe("strict-origin-when-cross-origin");
      expect.soft(headers.get("permissions-policy"), path).toContain("camera=()");
      expect.soft(headers.get("cross-origin-opener-policy"), path).toBe("same-origin");
      expect.soft(headers.get("strict-transport-security"), path).toBe("max-age=63072000");
      // The router would keep it as long as the tab is open.
      if (status === 404 && path.includes("/_next/data/")) {
        expect.soft(headers.get("cache-control"), path).toContain("no-store");
      }
      expect.soft(headers.get("x-powered-by"), path).toBeNull();
      expect.soft(headers.get("server"), path).toBeNull();
    });
  }
});

test("what is asked for is nowhere in the answer as markup", { tag: "@shell" }, async ({ app }) => {
  const markup = "<script>harm()</script>";
  for (const path of [
    `/${encodeURIComponent(markup)}`,
    `/optional/${encodeURIComponent(markup)}?${markup}`,
    `/server?x=${encodeURIComponent(markup)}`,
    `/feedback?reference=${encodeURIComponent(`"><${markup}`)}`,
    `/reports?token=${encodeURIComponent(markup)}`,
    `/api/echo/${encodeURIComponent(markup)}`,
  ]) {
    const response = await fetch(app.url(path));
    const isPage = response.headers.get("content-type")?.startsWith("text/html");
    if (isPage) expect(await response.text(), path).not.toContain(markup);
    else expect(response.headers.get("content-type"), path).toMatch(/^application\/json/);
  }
});

test("no address leads to another site", { tag: "@shell" }, async ({ app }) => {
  const token = `token=${app.inboxToken}`;
  for (const path of [
    "//elsewhere.example",
    "///elsewhere.example/",
    "/\\elsewhere.example",
    "/%5Celsewhere.example/",
    "/de//elsewhere.example",
    "/de/%2F%2Felsewhere.example/",
    "/.//elsewhere.example/",
    "//elsewhere.example/%2e%2e",
    "/static//elsewhere.example/..//",
    "/moved?next=//elsewhere.example",
    "/de/api//elsewhere.example",
    "/de/api/%2F%2Felsewhere.example",
    `/reports?${token}&next=//elsewhere.example`,
    `/reports/%2F%2Felsewhere.example?${token}`,
    `/reports/%5C%5Celsewhere.example?${token}`,
    `/reports/%0d%0aX-Harm:1?${token}`,
  ]) {
    const location = await locationOf(app.origin, app.basePath + path);
    // A slash or a backslash behind the first one would name another host.
    expect(location ?? "/", path).toMatch(/^\/(?![/\\])[^\r\n]*$/);
  }
});

/** Asks for the path as it stands, which `fetch` would tidy up first. */
function locationOf(origin: string, path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(origin, { path }, (response) => {
      response.resume();
      resolve(response.headers.location);
    });
    request.on("error", reject);
  });
}

test("headers that speak for a proxy or for Next itself change no page that others are given", {
  tag: "@shell",
}, async ({ app }) => {
  const plain = await (await fetch(app.url("/static"))).text();
  for (const name of [
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-prefix",
    "x-matched-path",
    "x-invoke-path",
    "x-invoke-output",
    "x-invoke-status",
    "x-invoke-query",
    "x-now-route-matches",
    "x-nextjs-data",
    "x-nextjs-rewritten-path",
    "x-middleware-rewrite",
    "x-middleware-subrequest",
    "x-middleware-prefetch",
    "x-prerender-revalidate",
    "x-original-url",
    "x-rewrite-url",
  ]) {
    const headers = { [name]: "//elsewhere.example/reports" };
    const kept = await fetch(app.url("/static"), { headers });
    expect([kept.status, await kept.text()], name).toEqual([200, plain]);
    const made = await fetch(app.url("/server"), { headers });
    expect(await made.text(), name).not.toContain("elsewhere.example");
    expect(made.headers.get("cache-control"), name).toContain("no-store");
  }
  expect(await (await fetch(app.url("/static"))).text()).toBe(plain);
});
