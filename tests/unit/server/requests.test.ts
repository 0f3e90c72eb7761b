import http from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { neededExamples } from "@/lib/config";
import {
  decideFreshness,
  maxTargetLength,
  refuseMalformed,
  rejectDotSegments,
  requestSteps,
  setHeaders,
  toOriginForm,
} from "@/lib/server/requests";
import {
  onEachRequest,
  type RequestStep,
  serveDirectly,
} from "@/packages/sentry/src/server/request-steps";
import { listen } from "@/tests/support/listening";

/** Steps stay for as long as the process lives, so each test's server takes part in all of them. */
async function startServer(
  listener: http.RequestListener = (_request, response) => response.end("by the app"),
): Promise<string> {
  return (await listen(listener)).origin;
}

async function post(url: string): Promise<string> {
  return (await fetch(url, { method: "POST" })).text();
}

test("steps run in their order, before the server's own listener and around it", async () => {
  const order: string[] = [];
  const steps = ["first", "second"].map(
    (name): RequestStep =>
      ({ url }, _response, next) => {
        if (url === "/order") order.push(name);
        next();
        if (url === "/order") order.push(`${name} is over`);
      },
  );
  onEachRequest(() => steps);
  const origin = await startServer((request, response) => {
    if (request.url === "/order") order.push("listener");
    response.end();
  });
  await post(`${origin}/order`);
  expect(order).toEqual(["first", "second", "listener", "second is over", "first is over"]);
});

test("what happens to a request happens in one order: what reads or refuses comes before what it is for", () => {
  vi.stubEnv("METRICS_TOKEN", "0123456789abcdef");
  for (const [name, value] of Object.entries(neededExamples())) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const step = (name: string): RequestStep =>
    Object.defineProperty(() => {}, "name", { value: name });
  const reporting = {
    countInFlight: step("countInFlight"),
    tunnel: [step("tunnel")],
    pages: [step("refuse"), step("scope")],
  };
  const names = (production: boolean) =>
    requestSteps(reporting, production).map(({ name }) => name);
  expect(names(true)).toEqual([
    "toOriginForm",
    "countInFlight",
    "measureRequest",
    "setHeaders",
    "refusePipelined",
    "refuseMalformed",
    "tunnel",
    "closeFragmented",
    "decideFreshness",
    "shedLoad",
    "refuse",
    "scope",
    "rejectDotSegments",
  ]);
  expect(names(false)).toEqual(["countInFlight", "tunnel", "refuse", "scope", "rejectDotSegments"]);
});

test("a step that throws is logged once, and the others still run", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  onEachRequest(() => [
    function broken({ url }, _response, next) {
      if (url === "/broken") throw new Error("no such thing");
      next();
    },
    setHeaders,
  ]);
  const origin = await startServer();
  for (let n = 0; n < 3; n += 1) {
    const answer = await fetch(`${origin}/broken`);
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
  }
  expect(written).toHaveBeenCalledTimes(1);
  expect(String(written.mock.calls[0]?.[0])).toContain("request step failed");
});

test("the tunnel's requests are served directly, from the first on and on any server, and no others", async () => {
  onEachRequest(() => [
    serveDirectly("/shell/api/relay", async (_request, response) => {
      response.end("by the tunnel");
    }),
  ]);
  for (const origin of [await startServer(), await startServer()]) {
    for (const path of ["/shell/api/relay", "/shell/api/relay?x=1", "/shell/api/relay/?x=1"]) {
      expect(await post(origin + path)).toBe("by the tunnel");
    }
    for (const path of ["/", "/api/relay", "/shell/api/relays", "/shell/api/relay/x", "/shell"]) {
      expect(await post(origin + path)).toBe("by the app");
    }
    expect(await post(`${origin}/shell/api/relay`)).toBe("by the tunnel");
  }
});

const ownRule = "private, max-age=30";
const shared = "private, max-age=30, stale-while-revalidate=270";
const forOne = "private, no-cache, no-store, max-age=0, must-revalidate";
const missing = "private, no-store";
const data = "/_next/data/b/en/a.json";

interface Answer {
  status?: number;
  /** Next's word on its own cache. */
  cache?: string;
  rule: string;
}

test.each<[string, string, Answer, string]>([
  ["shared data", `/shell${data}?x=1`, { cache: "HIT", rule: "s-maxage=60" }, shared],
  ["the same unchanged", data, { status: 304, cache: "STALE", rule: "s-maxage=60" }, shared],
  ["the same missing", data, { status: 404, cache: "MISS", rule: "s-maxage=60" }, missing],
  ["the same in draft mode", data, { cache: "MISS", rule: forOne }, forOne],
  ["data for one visitor", data, { rule: forOne }, forOne],
  ["a page's own rule for data", data, { rule: ownRule }, ownRule],
  ["data that is missing", data, { status: 404, rule: ownRule }, missing],
  ["data that fails", data, { status: 500, rule: ownRule }, missing],
  ["a page that is missing", "/elsewhere", { status: 404, rule: ownRule }, ownRule],
  ["a page that is told of data", `/x?from=${data}`, { status: 404, rule: ownRule }, ownRule],
  ["a prerendered page", "/static", { cache: "HIT", rule: "s-maxage=60" }, "s-maxage=60"],
])("%s has its freshness", async (_name, path, { status = 200, cache, rule }, expected) => {
  onEachRequest(() => [setHeaders, decideFreshness]);
  // As Next does: the status is left to the first write.
  const origin = await startServer((_request, response) => {
    if (cache) response.setHeader("x-nextjs-cache", cache);
    response.setHeader("Cache-Control", rule);
    response.statusCode = status;
    response.end();
  });
  const answer = await fetch(origin + path);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, expected]);
  const keptFromRouter = expected === shared || expected === missing;
  expect(answer.headers.get("x-middleware-cache")).toBe(keptFromRouter ? "no-cache" : null);
});

test("what an editor sees in draft mode is kept by no cache, a redirect neither", async () => {
  onEachRequest(() => [setHeaders, decideFreshness]);
  const origin = await startServer((_request, response) => {
    response.setHeader("x-nextjs-cache", "MISS");
    response.setHeader("Cache-Control", "s-maxage=60");
    response.end();
  });
  const answer = await fetch(origin + data, { headers: { cookie: "a=b; __prerender_bypass=1" } });
  expect(answer.headers.get("cache-control")).toBe(missing);
  expect(answer.headers.get("x-middleware-cache")).toBe("no-cache");
});

test("what a team's proxy keeps from the router's cache goes out as Next has made it: a browser asks again", async () => {
  onEachRequest(() => [setHeaders, decideFreshness]);
  const origin = await startServer((_request, response) => {
    response.setHeader("x-middleware-cache", "no-cache");
    response.setHeader("x-nextjs-cache", "HIT");
    response.setHeader("Cache-Control", "s-maxage=31536000");
    response.end();
  });
  const { headers } = await fetch(origin + data);
  expect(headers.get("cache-control")).toBe("s-maxage=31536000");
  expect(headers.get("x-middleware-cache")).toBe("no-cache");
});

test.each([
  ["s-maxage=31536000", "private, no-cache"],
  ["public, max-age=60", "private, no-cache"],
  [undefined, "private, no-cache"],
  ["private, max-age=60", "private, max-age=60"],
  ["no-store", "no-store"],
])(
  "a response with a cookie and the rule %j is kept by no shared cache",
  async (rule, expected) => {
    onEachRequest(() => [setHeaders, decideFreshness]);
    const origin = await startServer((_request, response) => {
      response.appendHeader(
        "Set-Cookie",
        "__prerender_bypass=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      );
      if (rule) response.setHeader("Cache-Control", rule);
      response.end();
    });
    const { headers } = await fetch(`${origin}/static`);
    expect(headers.get("cache-control")).toBe(expected);
  },
);

async function answerFor(origin: string, target: string): Promise<http.IncomingMessage> {
  const { hostname, port } = new URL(origin);
  const request = http.request({ hostname, port, path: target, agent: false });
  request.end();
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", reject);
  });
}

test.each([
  ["*", 400],
  ["http://[", 400],
  ["ftp://elsewhere.example/", 400],
  [`/${"x".repeat(maxTargetLength)}`, 414],
  [`/static?next=${"/".repeat(maxTargetLength)}`, 414],
  ["//", 200],
  ["/%", 200],
  ["http://own.example/static", 200],
  [`/${"x".repeat(maxTargetLength - 1)}`, 200],
])("a request for %.40s is answered %i", async (target, status) => {
  let seen = 0;
  onEachRequest(() => [setHeaders, refuseMalformed]);
  const origin = await startServer((_request, response) => {
    seen += 1;
    response.end();
  });
  const answer = await answerFor(origin, target);
  expect([answer.statusCode, seen]).toEqual([status, status === 200 ? 1 : 0]);
  expect(answer.headers["x-frame-options"]).toBe("DENY");
  if (status === 200) {
    answer.resume();
    return;
  }
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(JSON.parse(String(await answer.toArray()))).toEqual({
    error: expect.stringMatching(/^[a-z_]+$/),
    detail: expect.any(String),
  });
});

test("an address made of many folders costs next to nothing", () => {
  const request = { url: "/_next/data/".repeat(20_000) } as http.IncomingMessage;
  const before = process.cpuUsage();
  rejectDotSegments(request, {} as http.ServerResponse, () => {});
  // Quadratic, it took seconds.
  expect(process.cpuUsage(before).user).toBeLessThan(500_000);
});

test.each([
  ["/_next/data/b/en/...json", "/_next/data/nothing"],
  ["/_next/data/b/en/%2E%2e.json?x=1", "/_next/data/nothing"],
  ["/_next/data/b/en/..json", "/_next/data/nothing"],
  ["/_NEXT/data/...json", "/_NEXT/data/...json"],
  ["/shell/_next/DATA//...json?a=/b", "/_next/data/nothing"],
  ["/_next/data/b/en/a..json", "/_next/data/b/en/a..json"],
  ["/_next/data/b/en/catch-all/....json", "/_next/data/b/en/catch-all/....json"],
  ["/page?next=/_next/data/b/...json", "/page?next=/_next/data/b/...json"],
])("a request for %s is one for %s", (url, expected) => {
  const request = { url } as http.IncomingMessage;
  rejectDotSegments(request, {} as http.ServerResponse, () => {});
  expect(request.url).toBe(expected);
});

test.each([
  ["http://evil.example/static?a=1", "/static?a=1"],
  ["HTTPS://evil.example", "/"],
  ["http://evil.example//x/", "//x/"],
  ["/static?to=http://evil.example/", "/static?to=http://evil.example/"],
  ["*", "*"],
])("the target %s is read as %s", (target, expected) => {
  const request = { url: target } as http.IncomingMessage;
  toOriginForm(request, {} as http.ServerResponse, () => {});
  expect(request.url).toBe(expected);
});
