import { expect, test } from "../support/app";
import type { Service } from "../support/service";
import { failures, thrown } from "../support/thrown-lines";

interface ErrorEvent {
  event_id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  transaction: string;
  tags: Record<string, string>;
  request: Record<string, unknown>;
  exception: {
    values: { value: string; mechanism: { handled: boolean }; stacktrace: { frames: object[] } }[];
  };
  contexts: { trace: { trace_id: string } };
}

let service: Service;

test.beforeEach(({ service: ofTheTest }) => {
  service = ofTheTest;
});

/** In the order in which they happened: they may arrive in any. */
function errors(): ErrorEvent[] {
  const events = service.payloads<ErrorEvent>("event");
  return events.sort((a, b) => a.timestamp - b.timestamp);
}

const privateHeaders = {
  cookie: "session=secret",
  authorization: "Bearer secret",
  "x-forwarded-for": "203.0.113.9",
  referer: "https://example.org/?q=secret",
};

test("what fails on the server is one event, under the reference in its answer and in its trace", {
  tag: "@shell",
}, async ({ launch }) => {
  const app = await launch({ SENTRY_DSN: service.dsn });
  const pages: object[] = [];
  for (const route of ["/failures/server-data", "/failures/server-render"]) {
    const answer = await fetch(app.url(`${route}?token=secret`), { headers: privateHeaders });
    expect(answer.status).toBe(500);
    const html = await answer.text();
    const reference = /data-fact="reference"[^>]*>([\da-f]{32})</.exec(html)?.[1];
    const trace = /<meta name="sentry-trace" content="([\da-f]{32})-[\da-f]{16}-1"/.exec(html)?.[1];
    pages.push({
      event_id: reference,
      transaction: `GET ${route}`,
      tags: { route, side: "server", method: "GET" },
      exception: {
        values: [{ mechanism: { handled: false, type: "auto.function.nextjs.on_request_error" } }],
      },
      contexts: {
        trace: { trace_id: trace },
        // From the first request on.
        os: { name: expect.any(String) },
        nextjs: {
          request_path: route,
          router_kind: "Pages Router",
          route_type: "render",
        },
      },
    });
  }
  const answer = await fetch(app.url("/api/failure"));
  expect(answer.status).toBe(500);
  const body = await answer.json();
  expect(body).toEqual({
    error: "internal",
    detail: expect.any(String),
    reference: expect.any(String),
  });
  expect(await app.stop()).toBe(0);
  expect(errors()).toMatchObject([
    ...pages,
    { event_id: body.reference, transaction: "GET /api/failure" },
  ]);
  expect(JSON.stringify(service.attempts.map(({ raw }) => String(raw)))).not.toMatch(
    /secret|203\.0\.113\.9/,
  );
});

test("the service gets the lines that threw errors on the server, without an upload", {
  tag: "@verify",
}, async ({ launch }) => {
  const app = await launch({ SENTRY_DSN: service.dsn });
  for (const failure of failures.filter(({ inBrowser }) => !inBrowser)) {
    const { line, code } = thrown(failure);
    // An error does not wait for a map that a busy machine takes long to read. The next one finds it read.
    await expect(async () => {
      const before = errors().length;
      await fetch(app.url(failure.path));
      await expect.poll(() => errors().length).toBeGreaterThan(before);
      const frame = errors().at(-1)?.exception.values.at(-1)?.stacktrace.frames.at(-1);
      expect(frame).toMatchObject({ filename: failure.file, lineno: line, context_line: code });
    }).toPass();
  }
});

test("what is the visitor's doing, or on purpose, is not reported", { tag: "@verify" }, async ({
  launch,
}) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  const asked = await Promise.all(
    [
      ["/missing", 404],
      ["/no-such-page", 404],
      ["/dynamic/not%20valid", 404],
      ["/dynamic/%E0%A4%A", 400],
      ["/api/echo/%E0%A4%A", 400],
      ["/api/relay/settings?x=%E0%A4%A", 200],
      ["/moved", 307],
    ].map(async ([path, status]) => {
      const answer = await fetch(app.url(path as string), { redirect: "manual" });
      return [path, answer.status, status];
    }),
  );
  for (const [path, got, wanted] of asked) expect([path, got]).toEqual([path, wanted]);
  await app.stop();
  expect(service.attempts).toEqual([]);
});

test("each request that ends with 500 is an event, whatever its error carries and how often it was thrown, and a refused one is none", async ({
  launch,
}) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  for (const kind of ["upstream", "kept", "upstream", "kept"]) {
    const answer = await fetch(app.url(`/api/visitor/${kind}?visitor=ann`));
    expect([answer.status, await answer.text()]).toEqual([500, "Internal Server Error"]);
  }
  const headers = { "content-type": "application/json" };
  const refused = await fetch(app.url("/api/visitor/upstream"), {
    method: "POST",
    headers,
    body: "{",
  });
  expect(refused.status).toBe(400);
  await app.stop();
  expect(errors().map(({ exception }) => exception.values.at(-1)?.value)).toEqual([
    "failed for ann",
    "could not connect",
    "failed for ann",
    "could not connect",
  ]);
});

test("requests are transactions named by their route, page data by its page's", {
  tag: "@only-shell",
}, async ({ launch }) => {
  const app = await launch({
    SENTRY_DSN: service.dsn,
    SENTRY_RELEASE: "1.2.3",
    SENTRY_ENVIRONMENT: "staging",
  });
  const html = await (await fetch(app.url("/dynamic/abc?token=secret", "de"))).text();
  const buildId = /"buildId":"([^"]+)"/.exec(html)?.[1];
  const data = await fetch(
    `${app.origin + app.basePath}/_next/data/${buildId}/ar/dynamic/abc.json?id=abc`,
  );
  expect(data.status).toBe(200);
  await fetch(app.url("/api/health/ready"));
  await fetch(app.url("/api/relay/settings"));
  await fetch(app.url("/api/relay"), { method: "POST", body: "nonsense" });
  await app.stop();
  const transactions = service.payloads<Record<string, unknown>>("transaction");
  expect(transactions.map(({ transaction }) => transaction)).toEqual([
    "GET /dynamic/[id]",
    "GET /dynamic/[id]",
  ]);
  expect(transactions[0]).toMatchObject({ release: "1.2.3", environment: "staging" });
  expect(JSON.stringify(transactions)).not.toContain("secret");
});

test("a failed request is one JSON line, with its error's stack and its reference, its query's values never", async ({
  launch,
}) => {
  const app = await launch();
  const asked = [
    ["/failures/server-data", "/failures/server-data", "Failed on purpose"],
    ["/failures/server-render", "/failures/server-render", "Failed on purpose"],
    ["/api/failure", "/api/failure", "This API route fails on purpose"],
    ["/api/visitor/upstream", "/api/visitor/[kind]", "failed for"],
  ] as const;
  for (const [path] of asked) await fetch(app.url(`${path}?token=secret`));
  await app.stop();
  const lines = app.output().split("\n");
  const failed = lines.filter((line) => line.includes('"level":"error"'));
  expect(failed.map((line) => JSON.parse(line))).toEqual(
    asked.map(([, route, words]) => ({
      time: expect.any(String),
      level: "error",
      event: "request failed",
      route,
      method: "GET",
      status: 500,
      error: "Error",
      reference: expect.stringMatching(/^[\da-f]{32}$/),
      message: expect.stringMatching(new RegExp(`^Error: ${words}.*\\n +at `)),
    })),
  );
  expect(app.output()).not.toContain("secret");
});

test("a page kept for others carries no trace", { tag: "@shell" }, async ({ app }) => {
  for (const path of ["/", "/static", "/incremental/alpha", "/incremental/made-now"]) {
    await fetch(app.url(path));
    expect(await (await fetch(app.url(path))).text()).not.toContain("sentry-trace");
  }
});

test("with full tracing there is one transaction a request, with what Next does inside", {
  tag: "@only-shell",
}, async ({ launch }) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_SERVER_TRACING: "full" });
  const html = await (
    await fetch(app.url("/server?token=secret"), { headers: privateHeaders })
  ).text();
  const trace = /<meta name="sentry-trace" content="([\da-f]{32})-/.exec(html)?.[1];
  await fetch(app.url("/api/health/ready"));
  await fetch(app.url("/api/relay/settings"));
  await fetch(app.url("/api/relay"), { method: "POST", body: "nonsense" });
  const failed = await fetch(app.url("/failures/server-data"));
  const reference = /data-fact="reference"[^>]*>([\da-f]{32})</.exec(await failed.text())?.[1];
  await app.stop();
  const transactions = service
    .payloads<Record<string, unknown>>("transaction")
    .sort((a, b) => Number(a.start_timestamp) - Number(b.start_timestamp));
  expect(transactions.map(({ transaction }) => transaction)).toEqual([
    "GET /server",
    "GET /failures/server-data",
  ]);
  expect(transactions[0]).toMatchObject({ contexts: { trace: { trace_id: trace } } });
  expect(JSON.stringify(transactions[0])).toContain("getServerSideProps /server");
  expect(errors().map(({ event_id }) => event_id)).toEqual([reference]);
  expect(JSON.stringify(service.attempts.map(({ raw }) => String(raw)))).not.toMatch(
    /secret|203\.0\.113\.9/,
  );
});
