import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appFolder, buildApp, type RunningApp, startApp } from "./support/next-app";

const require = createRequire(import.meta.url);
const dist = join(appFolder, ".next");
const dataPath = "/base/_next/data/contract-build";
const bareWords = "Internal Server Error";

beforeAll(buildApp, 300_000);

describe("what a build leaves behind", () => {
  test("the id in BUILD_ID", () => {
    expect(
      readFileSync(join(dist, "BUILD_ID"), "utf8").trim(),
      "Next no longer writes the build's id to .next/BUILD_ID: packages/sentry/src/shared/environment/build.ts (release, data URLs) reads it there.",
    ).toBe("contract-build");
  });

  test("the base path in routes-manifest.json", () => {
    expect(
      json("routes-manifest.json").basePath,
      "Next no longer writes basePath to .next/routes-manifest.json: lib/config.ts reads it there when a server starts.",
    ).toBe("/base");
  });

  test("each route's pattern in routes-manifest.json", () => {
    const { staticRoutes, dynamicRoutes } = json("routes-manifest.json");
    expect(
      [staticRoutes, dynamicRoutes],
      "Next no longer lists routes in .next/routes-manifest.json: packages/sentry/src/shared/environment/served-app.ts reads staticRoutes and dynamicRoutes there.",
    ).toMatchObject([
      expect.arrayContaining([expect.objectContaining({ page: "/" })]),
      expect.arrayContaining([expect.objectContaining({ page: "/[id]" })]),
    ]);
  });

  test("pages and API routes in server/pages-manifest.json, once they are compiled", () => {
    expect(
      Object.keys(json("compiled-pages.json")),
      "Next no longer lists pages by pattern in .next/server/pages-manifest.json when it calls runAfterProductionCompile: packages/sentry/src/config/with-sentry-config.ts no longer sees that the tunnel hides one.",
    ).toEqual(expect.arrayContaining(["/[id]", "/api/[name]"]));
  });

  test("the deployment id in required-server-files.json", () => {
    expect(
      json("required-server-files.json").config?.deploymentId,
      "Next no longer writes config.deploymentId to .next/required-server-files.json: lib/config.ts reads it there when a server starts.",
    ).toBe("contract-deployment");
  });

  test("words by which Next's listener to signals is known", () => {
    const file = require.resolve("next/dist/server/lib/start-server.js");
    expect(
      readFileSync(file, "utf8"),
      "Next's listener to SIGTERM and SIGINT has other words: packages/sentry/src/server/shutdown.ts no longer finds it, and the server ends without draining.",
    ).toMatch(
      /const cleanup = \(signal\)=>\{.*?'start-server process cleanup'.*?process\.on\('SIGTERM', cleanup\)/s,
    );
  });

  test("rewrites and middleware in its manifests", () => {
    expect(
      [
        json("routes-manifest.json").rewrites,
        json("server/functions-config-manifest.json").functions,
        json("server/middleware-manifest.json").middleware,
      ],
      "Next no longer lists rewrites by kind in routes-manifest.json, or a middleware in its manifests: lib/server/upgrades.ts tells from there whether a WebSocket may be handed to another server.",
    ).toEqual([
      {
        beforeFiles: [],
        afterFiles: [expect.objectContaining({ destination: "https://elsewhere.example/:path*" })],
        fallback: [],
      },
      {},
      {},
    ]);
  });

  test("the style sheets of a page in build-manifest.json", () => {
    expect(
      json("build-manifest.json").pages?.["/"],
      "Next no longer lists a page's files in .next/build-manifest.json: components/feedback/refused-feedback.tsx takes its style sheets from there, and the page would have none.",
    ).toContainEqual(expect.stringMatching(/^static\/.+\.css$/));
  });

  test("Next for the browser once, and as ES modules", () => {
    const sources = new Set(clientSources());
    const one = "next/dist/esm/shared/lib/router/router.js";
    const other = "next/dist/shared/lib/router/router.js";
    expect(
      [...sources].filter((source) => source.endsWith(`/${one}`)),
      "turbopack.resolveAlias no longer brings Next's ES modules to the browser: lib/navigation/next/modules.ts saves nothing, or names modules that Next does not use.",
    ).toHaveLength(1);
    expect(
      [...sources].filter((source) => source.endsWith(`/${other}`)),
      "The browser gets Next's router twice, so one of the two is never started: lib/navigation/next/modules.ts lacks a name by which Next imports itself.",
    ).toEqual([]);
  });

  test("a loader that names a chunk it can't have", () => {
    const chunks = clientFiles(".js").map((file) => readFileSync(file, "utf8"));
    const worded = chunks.some((code) => /Failed to load chunk \$\{\w+\} \$\{\w+\}/.test(code));
    expect(
      worded && chunks.some((code) => /`from module \$\{\w+\}`/.test(code)),
      "Turbopack words a lost chunk otherwise than `Failed to load chunk … from module …`: lib/navigation/router-internals.ts would not recognize it, and nothing would load the page anew.",
    ).toBe(true);
  });

  test("a list of chunks that hands back whether a page's files came", () => {
    const runtime = clientFiles(".js")
      .map((file) => readFileSync(file, "utf8"))
      .find((code) => /globalThis\.TURBOPACK=\{push:/.test(code));
    expect(
      runtime,
      "Turbopack no longer hands back the promise of what is pushed into TURBOPACK: lib/navigation/recovery.ts handles it there, and a page that is fetched ahead in vain would load the present one anew.",
    ).toMatch(/return \w+\.registerChunk\(void 0,/);
  });
});

describe("the server", () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp({});
  }, 60_000);
  afterAll(() => app?.stop());

  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(app.url + path, {
      redirect: "manual",
      headers: { connection: "close", ...headers },
    });
    return { response, body: await response.text(), seen: await app.observed(path) };
  }

  test("says its own address before `register` of instrumentation", async () => {
    expect(
      (await app.observed("register")).origin,
      "Next no longer sets __NEXT_PRIVATE_ORIGIN when it listens: servedOrigin in packages/sentry/src/shared/environment/runtime.ts reads it, and the addresses printed at the start would be of localhost, whatever -H says.",
    ).toBe(app.url);
    expect(
      (await app.observed("register")).port,
      "Next no longer has the port of its server in PORT then: servedPort in packages/sentry/src/shared/environment/runtime.ts tells by it which server of the process is Next's.",
    ).toBe(new URL(app.url).port);
  });

  test("has loaded instrumentation from the build by `require`", async () => {
    expect(
      (await app.observed("loaded")).notes,
      "Next no longer loads server/instrumentation.js by `require`: packages/sentry/src/shared/environment/served-app.ts finds the app's folder there, where the server was started in another one.",
    ).toContain(join(dist, "server/instrumentation.js"));
  });

  test("listens to `upgrade` by one function that is known by its words", async () => {
    const { seen } = await get("/base/served?upgrades=1");
    expect(
      seen.upgradeListeners,
      "Next's listener to upgrades has other words: lib/server/upgrades.ts no longer finds it, and each request for an upgrade leaves a socket open for ever.",
    ).toEqual([expect.stringContaining("upgradeHandler(")]);
  });

  test.each([
    ["a page", "/base/de/served", "/[id]"],
    ["page data", `${dataPath}/de/served.json?id=served`, "/[id]"],
    ["an incremental page", "/base/isr/named", "/isr/[slug]"],
    ["an API route", "/base/api/named", "/api/[name]"],
    ["what is not there", "/base/not/there", undefined],
  ])("keeps the pattern that answered %s with the request", async (_what, path, pattern) => {
    const { seen } = await get(path);
    expect(
      seen.invokeOutput,
      'Next no longer keeps the matched route as `invokeOutput` under Symbol.for("NextInternalRequestMeta"): packages/sentry/src/server/next-request.ts reads it, and server spans would have no name.',
    ).toBe(pattern);
  });

  test("marks files of the build as such", async () => {
    const file = json("build-manifest.json").pages["/"][0];
    const { seen } = await get(`/base/_next/${file}`);
    expect(
      seen.invokeOutput ?? "/_next/",
      "Next tells of a file as if it were a page: packages/sentry/src/server/next-request.ts would make spans of files.",
    ).toMatch(/^\/_next\//);
  });

  test("keeps the URL that was asked for with the request", async () => {
    const path = "/base/de/served?kept=1";
    const { seen } = await get(path);
    expect(
      seen.initURL,
      'Next no longer keeps the whole URL as `initURL` under Symbol.for("NextInternalRequestMeta"): packages/sentry/src/server/next-request.ts reads it, and the fallback error page (lib/server/fallback-error-page.ts) would not know its language.',
    ).toBe(app.url + path);
  });

  test("runs all that a request does in the async context of its listener", async () => {
    const sentence = (what: string) =>
      `Next no longer runs ${what} in the async context of the request's listener: packages/sentry/src/server/request-scopes.ts gives each request its scope there, so errors would lose their visitor, their trace and their reference.`;
    const { seen } = await get("/base/served?context=1");
    expect(seen.notes, sentence("getServerSideProps and _document")).toEqual([
      "getServerSideProps",
      "_document",
    ]);
    const failed = await get("/base/throws?context=1");
    expect(failed.seen.notes, sentence("onRequestError and _error")).toEqual([
      "getServerSideProps",
      "onRequestError /[id] /throws?context=1 Error: thrown by the page 500",
      "onRequestError is through",
      "_error Error: thrown by the page",
      "_document",
    ]);
    const api = await get("/base/api/context");
    expect(api.seen.notes, sentence("API routes")).toEqual(["api"]);
  });

  test("answers requests by listeners of the `request` event", async () => {
    const { seen } = await get("/base/served?listeners=1");
    expect(
      seen.listeners,
      "Next's HTTP server no longer answers by a listener of `request`: lib/server/requests.ts takes that listener's place, and the tunnel would cost as much as a page.",
    ).toBe(1);
  });

  test("answers a request that failed when `onRequestError` is through, and tells of a client's fault by an error with its status", async () => {
    const path = "/base/api/malformed";
    const headers = { connection: "close", "content-type": "application/json" };
    const { status } = await fetch(app.url + path, { method: "POST", headers, body: "{" });
    const { notes } = await app.observed(path);
    expect(
      [status, notes],
      "Next tells onRequestError otherwise of a body that is no JSON, or no longer waits for it: packages/sentry/src/server/request-errors.ts asks the answer of an error that carries a status, and would report clients' faults as the server's; and a kill would lose the reports of requests that were answered.",
    ).toEqual([
      400,
      [
        "onRequestError /api/[name] /api/malformed Error: Invalid JSON 400",
        "onRequestError is through",
      ],
    ]);
  });

  test("ends an API route's answer of 500 after `onRequestError`, whatever status its error carries", async () => {
    const path = "/base/api/upstream";
    const { response, seen } = await get(path);
    expect(
      [response.status, seen.notes, seen.calls?.at(-1)],
      "Next answers an error of the app's that carries a status otherwise than by `end` with 500, after onRequestError: packages/sentry/src/server/request-errors.ts waits for that, and would not report it.",
    ).toEqual([
      500,
      [
        "onRequestError /api/[name] /api/upstream Error: no such charge 404",
        "onRequestError is through",
      ],
      ["end", bareWords],
    ]);
  });

  test("goes on after an uncaught exception", async () => {
    const { seen } = await get("/base/served?crash=1");
    expect(
      seen.crashListeners,
      "Next no longer listens to uncaught exceptions: packages/sentry/src/server/request-errors.ts leaves it to Next to keep the server running, and one exception outside a request would end it.",
    ).toBeGreaterThan(0);
  });

  test("tells which page data is the same for everybody", async () => {
    const sentence = (what: string) =>
      `Next ${what}: isShared in lib/server/requests.ts goes by x-nextjs-cache and s-maxage, and either shared page data would be stale for a year, or a visitor's data would be kept.`;
    const rulesOf = async (path: string) => {
      const { headers } = (await get(`${dataPath}/en/${path}`)).response;
      return [headers.get("x-nextjs-cache"), headers.get("cache-control")];
    };
    expect(
      await rulesOf("isr/shared.json"),
      sentence("no longer marks page data of getStaticProps"),
    ).toEqual([expect.stringMatching(/^(MISS|HIT)$/), expect.stringMatching(/^s-maxage=60\b/)]);
    expect(
      await rulesOf("served.json?id=served&freshness=1"),
      sentence("no longer forbids storing page data of getServerSideProps"),
    ).toEqual([null, expect.stringContaining("no-store")]);
  });

  test("keeps incremental pages in memory alone", async () => {
    await get(`${dataPath}/en/isr/memory.json`);
    await get("/base/isr/memory");
    expect(
      readdirSync(dist, { recursive: true }).map(String),
      "experimental.isrFlushToDisk: false (next.config.js) has no effect any more: made-up slugs would fill the disk.",
    ).not.toContainEqual(expect.stringContaining("memory."));
  });

  test("answers a request for server components with the page", async () => {
    const page = await get("/base/served?rsc=1", { RSC: "1" });
    expect(
      [page.response.status, page.response.headers.get("content-type")],
      "experimental.validateRSCRequestHeaders: false (next.config.js) has no effect any more: requests with `RSC: 1` are not answered with the page.",
    ).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("puts the page's pattern and build into __NEXT_DATA__", async () => {
    const { body } = await get("/base/isr/data");
    const text = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/.exec(body)?.[1] ?? "{}";
    expect(
      JSON.parse(text),
      "__NEXT_DATA__ lacks page, buildId or gsp: packages/sentry/src/browser (first-load/app.ts, error-route.ts and without-sdk.ts, sdk/tracing.ts) and pages/_document.tsx read them.",
    ).toMatchObject({ page: "/isr/[slug]", buildId: "contract-build", gsp: true });
  });

  test("has all inline scripts of a page in the tree that Head.render gives", async () => {
    const { body } = await get("/base/served?scripts=1");
    const content = /<meta name="inline-scripts" content="(.*?)"\/>/.exec(body)?.[1] ?? "[]";
    const given = JSON.parse(content.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
    const inline = [
      ...body.matchAll(/<script(?![^>]*(?:src=|type="application\/json"))[^>]*>(.*?)<\/script>/gs),
    ];
    expect(
      given,
      "Head.render no longer gives the inline scripts that Next puts into a page: components/policy-head.tsx hashes them for the policy, and the browser would block them.",
    ).toEqual(inline.map(([, text]) => text));
    expect(
      given.length,
      "The page has no inline script, so this test shows nothing.",
    ).toBeGreaterThan(0);
  });

  test("answers in bare words where the error page fails as well", async () => {
    const sentence =
      "Next says it otherwise when its own error page fails: lib/server/fallback-error-page.ts knows that answer by status 500, text/plain, a length of 21 and writeHead(500) without headers, and visitors would get Next's bare words.";
    const { response, body, seen } = await get("/base/throws?document=throws");
    expect([response.status, body], sentence).toEqual([500, bareWords]);
    expect(response.headers.get("content-type"), sentence).toMatch(/^text\/plain/);
    expect(seen.calls[0], sentence).toEqual(["writeHead", 500, bareWords.length]);
  });
});

describe("a server whose error page can't be loaded", () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp({ BREAK_ERROR_PAGE: "1" });
  }, 60_000);
  afterAll(() => app?.stop());

  test("answers in bare words too, by end() alone", async () => {
    const path = "/base/throws";
    const response = await fetch(app.url + path, { headers: { connection: "close" } });
    const sentence =
      "Next says it otherwise when its error page can't be loaded: lib/server/fallback-error-page.ts waits for end(\"Internal Server Error\"), and visitors would get Next's bare words.";
    expect([response.status, await response.text()], sentence).toEqual([500, bareWords]);
    expect((await app.observed(path)).calls, sentence).toContainEqual(["end", bareWords]);
  });

  test("ends the process with the code of the signal, after its signal listener was called", async () => {
    app.end();
    expect(
      (await app.observed("exit")).notes,
      "Next's listener to SIGTERM no longer calls process.exit(143) once it has ended: packages/sentry/src/server/shutdown.ts waits for that call, and keeps it from ending the process.",
    ).toEqual([143]);
  });

  test("has its own signal listeners in place before `register` of instrumentation", async () => {
    expect(
      (await app.observed("register")).signalListeners,
      "Next installs its signal listeners later now: packages/sentry/src/server/shutdown.ts takes them away when instrumentation is registered, and `next start` would end without draining.",
    ).toBe(1);
  });
});

function json(file: string) {
  return JSON.parse(readFileSync(join(dist, file), "utf8"));
}

function clientFiles(end: string): string[] {
  return readdirSync(join(dist, "static"), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(end))
    .map((file) => join(dist, "static", file));
}

/** Paths of all modules that went into the browser's code. */
function clientSources(): string[] {
  return clientFiles(".js.map").flatMap((file) => {
    const map = JSON.parse(readFileSync(file, "utf8"));
    const parts = map.sections?.map(({ map }: { map: object }) => map) ?? [map];
    return parts.flatMap(({ sources }: { sources: string[] }) => sources);
  });
}
