import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "../support/app";
import { convertsImages } from "../support/images";
import { locales, pages } from "../support/routes";
import { variants } from "../support/variants.ts";

/** Sends the bytes as they are. @returns all that comes back until the connection ends */
function sendRaw(origin: string, text: string): Promise<string> {
  const { port } = new URL(origin);
  const client = connect(Number(port), "localhost");
  let answer = "";
  client.on("data", (bytes) => {
    answer += bytes;
    // A request for an upgrade is answered on a connection that stays.
    if (text.includes("Upgrade") && answer.includes("\r\n\r\n")) client.destroy();
  });
  return new Promise((resolve) => {
    client.on("error", () => resolve(answer));
    client.on("close", () => resolve(answer));
    client.write(text);
  });
}

const serverComponentHeaders: Record<string, string>[] = [
  { RSC: "1" },
  { RSC: "1", "Next-Router-State-Tree": "%5B%22%22%5D", "Next-Router-Prefetch": "1" },
];

test("headers of server components get the page's plain HTML", { tag: "@only-shell" }, async ({
  app,
  request,
}) => {
  for (const headers of serverComponentHeaders) {
    for (const page of pages) {
      const response = await request.get(app.url(page.path), { headers, maxRedirects: 0 });
      expect(response.status(), page.path).toBe(200);
      expect(response.headers()["content-type"], page.path).toMatch(/^text\/html/);
      expect(await response.text(), page.path).toContain("<!DOCTYPE html>");
    }
  }
});

test("a path of no page answers 404", { tag: "@shell" }, async ({ app, request }) => {
  for (const path of [
    "/nowhere",
    "/static/deeper",
    "/dynamic",
    "/dynamic/a.b",
    "/reports",
    "/xx/static",
    "/_next/x",
  ]) {
    expect((await request.get(app.url(path))).status(), path).toBe(404);
  }
});

test("/moved redirects to /server, in the base path and in the locale", { tag: "@shell" }, async ({
  app,
  request,
}) => {
  for (const locale of locales) {
    const response = await request.get(app.url("/moved", locale), { maxRedirects: 0 });
    expect([302, 307, 303]).toContain(response.status());
    expect(response.headers().location).toBe(app.path("/server", locale));
  }
});

test("incremental pages that anybody can make up leave nothing on disk, and are kept all the same", {
  tag: "@shell",
}, async ({ app }) => {
  const slug = `made-up-${crypto.randomUUID()}`;
  const html = await (await fetch(app.url("/static"))).text();
  const { buildId } = JSON.parse(/id="__NEXT_DATA__"[^>]*>([^<]+)</.exec(html)?.[1] ?? "{}");
  const data = app.path(`/_next/data/${buildId}/en/incremental/${slug}.json`);
  expect((await fetch(app.origin + data)).status).toBe(200);
  const kept = await fetch(app.url(`/incremental/${slug}`));
  expect(kept.headers.get("x-nextjs-cache")).toBe("HIT");
  expect(await kept.text()).toContain(slug);
  const built = `${variants[app.variant].folder}/.next`;
  const files = readdirSync(built, { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => file.includes(slug))).toEqual([]);
});

test("the pattern of an incremental page is no address, and breaks none of its pages: not even as a server's first request", async ({
  launch,
}) => {
  const app = await launch();
  for (const path of ["/incremental/[slug]", "/de/incremental/%5Bslug%5D"]) {
    expect((await fetch(app.url(path))).status, path).toBe(404);
  }
  expect((await fetch(app.url("/incremental/never-asked-for"))).status).toBe(200);
});

test("page data of a page named by dots alone does not exist", { tag: "@shell" }, async ({
  app,
}) => {
  const html = await (await fetch(app.url("/static"))).text();
  const { buildId } = JSON.parse(/id="__NEXT_DATA__"[^>]*>([^<]+)</.exec(html)?.[1] ?? "{}");
  for (const name of [".", "..", "%2e", "%2E%2e", ".%2e", "..?slug=x"]) {
    const [slug, query] = name.split("?");
    const data = app.path(`/_next/data/${buildId}/en/incremental/${slug}.json?${query ?? ""}`);
    expect((await fetch(app.origin + data)).status, name).toBe(404);
  }
});

test("nobody has images of other origins fetched, nor any converted where the app has none", {
  tag: "@shell",
}, async ({ app }) => {
  const converts = convertsImages(app.variant);
  const own = ["/favicon.ico", "/slow?ms=5000"];
  for (const url of [...(converts ? [] : own), "http://127.0.0.1:1/x.png"]) {
    const asked = `/_next/image?url=${encodeURIComponent(url)}&w=64&q=75`;
    expect((await fetch(app.url(asked))).status, url).toBe(converts ? 400 : 404);
  }
});

test("an API that is not there answers 404 as JSON, as do metrics and deliver without their tokens", {
  tag: "@shell",
}, async ({ app, request }) => {
  const nothing = [
    "/api/nothing",
    "/api/nothing/deeper",
    "/api",
    "/api/health",
    "/api/echo",
    "/api/settings",
  ];
  for (const path of [...nothing, "/api/metrics", "/api/deliver"]) {
    for (const method of ["GET", "POST"]) {
      const response = await request.fetch(app.url(path), { method });
      expect(response.status(), `${method} ${path}`).toBe(404);
      expect(response.headers()["content-type"]).toMatch(/^application\/json/);
      expect(await response.json()).toMatchObject({
        error: expect.any(String),
        detail: expect.any(String),
      });
    }
  }
});

test("{tunnel}/settings tells the browser what was configured, cacheable for five minutes", async ({
  launch,
  request,
}) => {
  const app = await launch({
    SENTRY_RELEASE: "7.0",
    SENTRY_ENVIRONMENT: "staging",
    BROWSER_TRACES_SAMPLE_RATE: "0.25",
  });
  const response = await request.get(app.url("/api/relay/settings"));
  expect(response.status()).toBe(200);
  expect(await response.json()).toEqual({
    release: "7.0",
    environment: "staging",
    tracesSampleRate: 0.25,
  });
  expect(response.headers()["cache-control"]).toContain("max-age=300");
  const html = await (await request.get(app.url("/"))).text();
  const [, build] = /"buildId":"([^"]+)"/.exec(html) ?? [];
  const own = await request.get(app.url(`/api/relay/settings?build=${build}`));
  expect(await own.json()).toMatchObject({ release: "7.0" });
  expect(own.headers()["cache-control"]).toContain("max-age=300");
  // Its page takes the id of its build, and asks again: another server may know.
  const other = await request.get(app.url("/api/relay/settings?build=another"));
  expect(await other.json()).toEqual({ environment: "staging", tracesSampleRate: 0.25 });
  expect(other.headers()["cache-control"]).toBe("no-store");
});

test("requests for an upgrade are answered as plain ones, and a tunnel is refused", {
  tag: "@shell",
}, async ({ app }) => {
  const ask = async (path: string) => {
    const plain = await fetch(app.origin + path);
    const answer = await sendRaw(
      app.origin,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(answer.split("\r\n")[0], path).toContain(`HTTP/1.1 ${plain.status} `);
    expect(answer.toLowerCase(), path).toContain("x-frame-options: deny");
  };
  await Promise.all([app.path("/static"), app.path("/nowhere"), "/elsewhere"].map(ask));
  expect(await sendRaw(app.origin, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("");
});

test("a target that is no path answers 400, a far too long one 414, and none is a report", {
  tag: "@only-shell",
}, async ({ launch }) => {
  const app = await launch();
  for (const [method, target, status] of [
    ["OPTIONS", "*", 400],
    ["GET", "*", 400],
    ["GET", "http://[", 400],
    ["GET", `/${"x".repeat(9000)}`, 414],
  ] as const) {
    const answer = await sendRaw(
      app.origin,
      `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer, target.slice(0, 20)).toContain(`HTTP/1.1 ${status} `);
    expect(answer.toLowerCase()).toContain("x-frame-options: deny");
    expect(answer).toContain('{"error":');
  }
  expect(app.output()).not.toContain("request failed");
});
