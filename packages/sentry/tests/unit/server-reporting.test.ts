import {
  createServer,
  get,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import {
  captureCheckIn,
  captureEvent,
  captureFeedback,
  captureMessage,
  flush,
  getClient,
  getCurrentScope,
  logger,
  metrics,
  captureException as sdksCaptureException,
  startSpan,
  withScope,
} from "@sentry/nextjs";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Drops } from "@/packages/relay/src/envelope/client-report";
import { isServerEventId } from "@/packages/relay/src/envelope/server-ids";
import { readMachine } from "@/packages/sentry/src/server/machine";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { currentTraceMeta, shared } from "@/packages/sentry/src/server/reporting-state";
import { startSessions } from "@/packages/sentry/src/server/sessions";
import { startReporting } from "@/packages/sentry/src/server/start-sdk";
import { readRuntimeConfig } from "@/packages/sentry/src/shared/environment/runtime";

interface Item {
  type: string;
  payload: {
    event_id: string;
    transaction?: string;
    contexts: {
      trace: {
        trace_id: string;
        parent_span_id?: string;
        span_id: string;
        status?: string;
        op?: string;
      };
    };
    [key: string]: unknown;
  };
}

const config = readRuntimeConfig({
  NODE_ENV: "production",
  SENTRY_DSN: "https://realkey@errors.example.com/7",
  SENTRY_RELEASE: "1.2.3",
  SENTRY_ENVIRONMENT: "staging",
  SENTRY_TRACES_SAMPLE_RATE: "1",
});

const items: Item[] = [];
const drops: Drops[] = [];
let server: Server;
const data = `/shell/_next/data/${config.build}`;
let origin: string;
let handle: (req: IncomingMessage, res: ServerResponse) => void;

/** Where Next puts the route that it found. */
function routed(req: IncomingMessage, route: string): void {
  Object.assign(req, { [Symbol.for("NextInternalRequestMeta")]: { invokeOutput: route } });
}

beforeAll(async () => {
  // Before the SDK wraps it.
  vi.spyOn(console, "warn").mockReturnValue();
  const scopes = startReporting({
    options: { excludeFromTracing: ["/live", "/posts/[id]", "/api/health"] },
    config,
    basePath: "/shell",
    tunnelPath: "/shell/api/relay",
    distDir: "/srv/app/dist/next",
    store: {
      async append(envelope) {
        const lines = Buffer.from(envelope).toString().trimEnd().split("\n").slice(1);
        for (let at = 0; at < lines.length; at += 2) {
          const { type } = JSON.parse(lines[at] as string);
          items.push({ type, payload: JSON.parse(lines[at + 1] as string) });
        }
      },
      async countDrops(counted) {
        drops.push(...counted);
      },
    },
  });
  await readMachine();
  server = createServer((req, res) => {
    scopes.serve(req, res, () => handle(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await getClient()?.close();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  items.length = 0;
});

/** Asks, and waits until the server is done with the request and has handed over its reports. */
async function ask(path: string, init?: RequestInit): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    const inner = handle;
    handle = (req, res) => {
      res.once("close", () => setImmediate(resolve));
      inner(req, res);
    };
  });
  await fetch(origin + path, init).then(
    (answer) => answer.text(),
    () => undefined,
  );
  await answered;
  shared().reporter?.flush();
}

test("a file of the build has the name that Sentry's set-up gives it, whatever Next's folder is called", async () => {
  const names = [
    "/srv/app/dist/next/server/chunks/a.js",
    "/srv/app/dist/next/dev/server/pages/[id].js",
    "/srv/app/dist/next-door/server/a.js",
    "/srv/app/node_modules/next/dist/next/server/a.js",
    "node:internal/process/task_queues",
  ];
  const stacktrace = { frames: names.map((filename) => ({ filename })) };
  captureEvent({ exception: { values: [{ type: "Error", value: "failed", stacktrace }] } });
  await flush();
  const frames = [
    { filename: "app:///_next/server/chunks/a.js" },
    { filename: "app:///_next/dev/server/pages/[id].js" },
    ...names.slice(2).map((filename) => ({ filename })),
  ];
  expect(items[0]?.payload.exception).toMatchObject({ values: [{ stacktrace: { frames } }] });
});

test("a request is a transaction named by its route, with status and operation, without private data", async () => {
  handle = (req, res) => {
    routed(req, "/dynamic/[id]");
    res.writeHead(404).end();
  };
  await ask("/dynamic/a?token=secret", {
    headers: { cookie: "secret=1", "x-forwarded-for": "6.6.6.6", referer: "http://a/?b=secret" },
  });
  expect(items.map(({ type }) => type)).toEqual(["transaction"]);
  const { payload } = items[0] as Item;
  expect(payload).toMatchObject({
    transaction: "GET /dynamic/[id]",
    transaction_info: { source: "route" },
    release: "1.2.3",
    environment: "staging",
    contexts: {
      trace: {
        op: "http.server",
        status: "not_found",
        origin: "auto",
        data: {
          "http.method": "GET",
          "http.target": "/dynamic/a",
          "http.route": "/dynamic/[id]",
          "http.status_code": 404,
          "http.response.status_code": 404,
        },
      },
      response: { status_code: 404 },
    },
  });
  expect(JSON.stringify(payload)).not.toMatch(/secret|6\.6\.6\.6|realkey/);
});

test.each([
  ["what no route answered", "/shell/nothing", undefined],
  ["a script", "/shell/_next/static/chunks/a.js", "/server"],
  ["an envelope in the tunnel", "/shell/api/relay", "/api/[[...unknown]]"],
  ["the settings of browsers", "/shell/api/relay/settings", "/api/[[...unknown]]"],
  ["the settings with trailingSlash", "/shell/api/relay/settings/", "/api/[[...unknown]]"],
  ["an API route that is named", "/shell/api/health/ready", "/api/health/ready"],
  ["the data of a page that is named", `${data}/live.json?a=1`, "/live"],
  ["the data of a page below it", `${data}/live/one.json`, "/live/[id]"],
  ["the data of a page that is named by its pattern", `${data}/posts/1.json`, "/posts/[id]"],
])("%s makes no transaction", async (_name, path, route) => {
  handle = (req, res) => {
    if (route) routed(req, route);
    res.end();
  };
  await ask(path);
  expect(items).toEqual([]);
});

test.each([
  ["the metrics of another app", "/shell/api/metrics", "/api/metrics"],
  ["an app's own settings", "/shell/api/settings", "/api/settings"],
  ["the page above one that is named", `${data}/posts.json`, "/posts"],
  ["a page whose name begins alike", `${data}/lively.json`, "/lively"],
])("%s makes a transaction", async (_name, path, route) => {
  handle = (req, res) => {
    routed(req, route);
    res.end();
  };
  await ask(path);
  expect(items.map(({ type }) => type)).toContain("transaction");
});

test("a request that fails says so in Sentry's attribute for it, and what machine has served it", async () => {
  handle = (req, res) => {
    routed(req, "/server");
    res.writeHead(503).end();
  };
  await ask("/server");
  expect(items[0]?.payload.contexts).toMatchObject({
    trace: { data: { "error.type": "503" } },
    os: { name: expect.any(String) },
    device: { arch: process.arch },
  });
});

test("an error has what its own request has written to the console, as breadcrumbs without private data", async () => {
  for (const name of ["first", "second"]) {
    handle = (_req, res) => {
      console.warn(`${name} looks odd`, "/server?token=secret");
      sdksCaptureException(new Error(name));
      res.end();
    };
    await ask("/api/odd");
  }
  expect(items.map(({ payload }) => payload.breadcrumbs)).toEqual(
    ["first", "second"].map((name) => [
      expect.objectContaining({
        category: "console",
        level: "warning",
        message: `${name} looks odd /server?token=[Filtered]`,
      }),
    ]),
  );
  expect(JSON.stringify(items)).not.toContain("secret");
});

test("a request whose client went away is cancelled", async () => {
  const gone = new AbortController();
  handle = (req) => {
    routed(req, "/slow");
    gone.abort();
  };
  await ask("/slow", { signal: gone.signal });
  expect(items[0]?.payload.contexts.trace.status).toBe("cancelled");
});

test("the page is handed the very span of its request, and neither key nor transaction name", async () => {
  let meta: ReturnType<typeof currentTraceMeta>;
  handle = (req, res) => {
    routed(req, "/server");
    meta = currentTraceMeta();
    res.end();
  };
  await ask("/server");
  const { trace_id, span_id } = (items[0] as Item).payload.contexts.trace;
  expect(meta?.sentryTrace).toBe(`${trace_id}-${span_id}-1`);
  expect(meta?.baggage).toContain(`sentry-trace_id=${trace_id}`);
  expect(meta?.baggage).not.toMatch(/realkey|sentry-transaction/);
});

test("a page that shared caches may keep has no trace: it would be everybody's", async () => {
  const traces = new Map<string, boolean>();
  handle = (req, res) => {
    routed(req, "/server");
    for (const header of [
      "public, s-maxage=60",
      "max-age=60",
      "private, max-age=60",
      "no-store",
      "private, no-cache, no-store, max-age=0, must-revalidate",
      // As in development.
      "no-cache, must-revalidate",
      // These bind one header each, and the page itself may be kept.
      'max-age=60, no-cache="Set-Cookie"',
      'public, private="X-User"',
    ]) {
      res.setHeader("Cache-Control", header);
      traces.set(header, currentTraceMeta(res.getHeaders()) !== undefined);
    }
    res.setHeader("Cache-Control", "no-store");
    for (const name of ["CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Surrogate-Control"]) {
      for (const value of ["max-age=60", "no-store"]) {
        res.setHeader(name, value);
        traces.set(`${name}: ${value}`, currentTraceMeta(res.getHeaders()) !== undefined);
      }
    }
    res.end();
  };
  await ask("/server");
  expect([...traces.values()]).toEqual([
    ...[false, false, true, true, true, true, false, false],
    ...[false, true, false, true, false, true],
  ]);
});

test("a request that comes with a trace goes on with it, as sampled as it is there", async () => {
  const traceId = "0123456789abcdef0123456789abcdef";
  handle = (req, res) => {
    routed(req, "/server");
    res.end(currentTraceMeta()?.sentryTrace);
  };
  await ask("/server", { headers: { "sentry-trace": `${traceId}-0123456789abcdef-1` } });
  expect(items[0]?.payload.contexts.trace).toMatchObject({
    trace_id: traceId,
    parent_span_id: "0123456789abcdef",
  });
  items.length = 0;
  let sentryTrace: string | undefined;
  handle = (req, res) => {
    routed(req, "/server");
    sentryTrace = currentTraceMeta()?.sentryTrace;
    res.end();
  };
  await ask("/server", { headers: { "sentry-trace": `${traceId}-0123456789abcdef-0` } });
  expect(items).toEqual([]);
  expect(sentryTrace).toMatch(new RegExp(`^${traceId}-[0-9a-f]{16}-0$`));
});

test("an exception is an event under its reference, in the trace of its request", async () => {
  let reference = "";
  handle = (req, res) => {
    routed(req, "/server");
    reference = captureFailure(new Error("failed at https://a.example/?token=secret"), {
      route: "/server",
      mechanism: "test",
    });
    res.writeHead(500).end();
  };
  await ask("/server?token=secret", { method: "POST" });
  const [event, transaction] = items as [Item, Item];
  expect(items).toHaveLength(2);
  expect(event.payload).toMatchObject({
    event_id: reference,
    transaction: "POST /server",
    tags: { route: "/server", side: "server", method: "POST" },
    request: { method: "POST", url: `${origin}/server`, query_string: "token=[Filtered]" },
    exception: { values: [{ type: "Error", mechanism: { handled: false, type: "test" } }] },
  });
  expect(event.payload.exception).not.toHaveProperty("values.0.mechanism.data");
  expect(event.payload.contexts.trace.trace_id).toBe(transaction.payload.contexts.trace.trace_id);
  expect(event.payload.contexts.trace.span_id).toBe(transaction.payload.contexts.trace.span_id);
  expect(JSON.stringify(items)).not.toContain("secret");
});

test("whatever the server captures has an id that no browser's event can have, or the one it names", async () => {
  const named = "0123456789abcdef0123456789abcdef";
  const ids = [
    captureFailure(new Error("of a request"), { mechanism: "test" }),
    sdksCaptureException(new Error("by the app")),
    captureMessage("by the app"),
    captureEvent({ message: "by the app, as an event" }),
    captureFeedback({ message: "by the app" }),
    getCurrentScope().captureMessage("by a scope", "info"),
  ];
  expect(captureEvent({ event_id: named, message: "under its own id" })).toBe(named);
  expect(sdksCaptureException(new Error("under its id"), { event_id: named })).toBe(named);
  await flush();
  expect(ids.map(isServerEventId)).toEqual(ids.map(() => true));
  expect(new Set(ids).size).toBe(ids.length);
  const sent = items.map(({ payload }) => payload.event_id);
  expect(sent.sort()).toEqual([...ids, named, named].sort());
});

test("nothing private of the app's own data goes into the outbox, whatever kind it is", async () => {
  const secret = "PLANTED-secret";
  withScope((scope) => {
    scope.setUser({ id: "u1", email: `${secret}@example.com`, username: secret });
    sdksCaptureException(new Error("own"), { extra: { password: secret, kept: "visible" } });
    logger.info("own", { "cart.email": secret, url: `/a?token=${secret}` });
    metrics.count("own", 1, { attributes: { authToken: secret } });
    captureFeedback({ message: "own", url: `/a?q=${secret}` });
    captureCheckIn({ monitorSlug: "own", status: "ok" });
    startSpan({ name: "own", forceTransaction: true, attributes: { password: secret } }, () => {});
  });
  await flush();
  const kinds = ["event", "log", "trace_metric", "feedback", "check_in", "transaction"];
  expect(new Set(items.map(({ type }) => type))).toEqual(new Set(kinds));
  const all = JSON.stringify(items);
  expect(all).not.toContain("PLANTED");
  expect(all).toContain("[Filtered]");
  expect(all).toContain("visible");
});

test("an error object fails several requests, and each has an event; captured by the team before, too", async () => {
  const error = new Error("could not connect");
  const references: string[] = [];
  for (const isCaptured of [false, true, false, true]) {
    handle = (req, res) => {
      routed(req, "/server");
      if (isCaptured) sdksCaptureException(error);
      references.push(captureFailure(error, { mechanism: "test" }));
      expect(captureFailure(error, { mechanism: "test" })).toBe(references.at(-1));
      res.writeHead(500).end();
    };
    await ask("/server");
  }
  const events = items.filter(({ type }) => type === "event");
  expect(events.map(({ payload }) => payload.event_id)).toEqual(references);
  expect(new Set(references).size).toBe(4);
});

/** Errors that are hard to read or to change. */
const odd: [string, () => unknown][] = [
  ["is frozen", () => Object.freeze(new Error("odd"))],
  [
    "is its own cause",
    () => {
      const error = new Error("odd");
      error.cause = error;
      return error;
    },
  ],
  ["throws as its message is read", () => throwing(new Error("odd"), "message")],
  ["throws as its stack is read", () => throwing(new Error("odd"), "stack")],
  [
    "has a cause that throws",
    () => new Error("odd", { cause: throwing(new Error("inner"), "message") }),
  ],
  [
    "has parts that throw",
    () => new AggregateError([throwing(new Error("one"), "message")], "odd"),
  ],
  ["is an object that throws", () => throwing({ code: 1 }, "message")],
  [
    "is a proxy that throws",
    () =>
      new Proxy(new Error("odd"), {
        get: () => {
          throw new Error("no");
        },
      }),
  ],
];

function throwing(thrown: object, part: string): object {
  const get = () => {
    throw new Error("unreadable");
  };
  return Object.defineProperty(thrown, part, { get, enumerable: true });
}

test.each(odd)("what %s is an event in each request that it fails", async (_what, make) => {
  const error = make();
  const references: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    handle = (_req, res) => {
      references.push(captureFailure(error, { mechanism: "test" }));
      captureFailure(error, { mechanism: "test" });
      res.writeHead(500).end();
    };
    await ask("/server");
  }
  const events = items.filter(({ type }) => type === "event");
  expect(events.map(({ payload }) => payload.event_id)).toEqual(references);
  expect(new Set(references).size).toBe(2);
});

test("a request whose client goes away as it sends its body has not failed", async () => {
  const told = new Promise<unknown>((resolve) => {
    handle = async (req) => {
      try {
        for await (const _ of req) client.destroy();
      } catch (error) {
        captureFailure(error, { mechanism: "test" });
        resolve(error);
      }
    };
  });
  const client = request(`${origin}/api/upload`, { method: "POST" }).on("error", () => {});
  client.write("begun");
  expect(String(await told)).toBe("Error: aborted");
  expect(items).toEqual([]);
});

test("a hundred exceptions at once are a hundred events", () => {
  for (let n = 0; n < 100; n++) captureFailure(new Error(String(n)), { mechanism: "test" });
  expect(items).toHaveLength(100);
});

test("sessions are one item with release and environment, sent at the end too", async () => {
  const sessions = startSessions(config);
  handle = (req, res) => {
    sessions.count(req, res);
    res.setHeader("Content-Type", "text/html").end();
  };
  // fetch itself may not say that it navigates.
  const navigate = () =>
    new Promise((resolve) => {
      const headers = { "Sec-Fetch-Dest": "document" };
      get(`${origin}/page`, { headers }, (answer) => answer.resume().once("end", resolve));
    });
  await navigate();
  await navigate();
  shared().reporter?.flush();
  expect(items.filter(({ type }) => type === "sessions")).toEqual([
    {
      type: "sessions",
      payload: {
        attrs: { release: "1.2.3", environment: "staging" },
        aggregates: [
          {
            started: expect.stringMatching(/^\d{4}-.*:00\.000Z$/),
            exited: 2,
            errored: 0,
            crashed: 0,
          },
        ],
      },
    },
  ]);
});

test("an event names runtime, system and app, a message is its words, and what is no error has no stack", async () => {
  captureMessage("Just so you know");
  captureFailure("a text", { mechanism: "test" });
  captureFailure({ code: 1 }, { mechanism: "test" });
  await flush();
  const [message, text, object] = items.map(({ payload }) => payload);
  expect(message).toMatchObject({
    message: "Just so you know",
    contexts: {
      runtime: { name: "node", version: process.version },
      os: { name: expect.any(String) },
      app: { app_start_time: expect.stringMatching(/^\d{4}-.*Z$/), app_memory: expect.any(Number) },
      device: { arch: process.arch, memory_size: expect.any(Number) },
      culture: { timezone: expect.any(String) },
    },
  });
  expect(message).not.toHaveProperty("exception");
  const exceptions = [text, object].map(
    (event) => (event?.exception as { values: object[] } | undefined)?.values[0],
  );
  expect(exceptions).toMatchObject([
    { type: "Error", value: "a text" },
    { type: "Error", value: "Object captured as exception with keys: code" },
  ]);
  for (const exception of exceptions) expect(exception).not.toHaveProperty("stacktrace");
  expect(JSON.stringify(exceptions)).not.toContain("synthetic");
});

test("an exception without a stack has no empty list of frames", () => {
  const stackless = Object.assign(new Error("no stack"), { stack: "" });
  for (const thrown of [stackless, "a text", undefined]) {
    captureFailure(thrown, { mechanism: "test" });
  }
  expect(items).toHaveLength(3);
  expect(JSON.stringify(items)).not.toContain('"frames":[]');
});

test("a page that fails without end makes a hundred events, whose ids the further references are, and leaves crashes their own", () => {
  // Time would bring more of them.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const references = Array.from({ length: 1_000 }, (_, n) =>
    captureFailure(new Error(`failed ${n}`), { mechanism: "test", route: "/failing" }),
  );
  const ids = items.map(({ payload }) => payload.event_id);
  expect(ids).toEqual(references.slice(0, 100));
  expect(new Set(references.slice(100))).toEqual(new Set(ids.slice(-1)));
  for (let n = 0; n < 1_000; n += 1) {
    captureFailure(`${"x".repeat(n)}`, { mechanism: "test", route: "/failing" });
  }
  items.length = 0;
  const crash = captureFailure(new Error("crashed"), {
    mechanism: "auto.node.onuncaughtexception",
    level: "fatal",
  });
  expect(items.map(({ payload }) => payload.event_id)).toEqual([crash]);
  shared().reporter?.flush();
  expect(drops).toEqual([
    { reason: "backpressure", category: "error", quantity: expect.any(Number) },
  ]);
  expect(drops[0]?.quantity).toBeGreaterThan(1_400);
});
