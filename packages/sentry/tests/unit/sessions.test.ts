import http from "node:http";
import type { AddressInfo } from "node:net";
import type { AggregationCounts } from "@sentry/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { Sessions } from "@/packages/sentry/src/server/sessions";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { releasesOf, startTunnel } from "@/tests/support/tunnels";

const navigation = { "Sec-Fetch-Dest": "document" };
/** As in sentry.server.config.ts. */
const excludeFromTracing = ["/reports", "/api/health", "/api/metrics"];
const html = { "Content-Type": "text/html; charset=utf-8" };

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** As Next has found it. */
  route?: string;
}

/** A server that counts its documents, and a tunnel that tells it of errors. */
async function startCounting() {
  const sent: AggregationCounts[] = [];
  const sessions = new Sessions({
    release: "1.2.3",
    trustedProxies: [],
    send: (counts) => sent.push(counts),
    excludeFromTracing,
    now: () => Date.parse("2026-01-02T03:04:56.789Z"),
  });
  const { send } = await startTunnel({
    releaseOf: releasesOf({ "known-build": "1.2.2" }),
    readError: (...read) => sessions.readError(...read),
  });
  let answer: Answer = {};
  const server = http.createServer((request, response) => {
    sessions.count(request, response);
    const { status = 200, headers = html, route } = answer;
    Object.assign(request, { [Symbol.for("NextInternalRequestMeta")]: { invokeOutput: route } });
    response.setHeaders(new Map(Object.entries(headers)));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    sent,
    /** What is counted since the last time, without its time. */
    counted() {
      sent.length = 0;
      sessions.send();
      const [{ started: _, ...counts } = { started: "" }] = sent;
      return counts;
    },
    visit(headers: http.OutgoingHttpHeaders = {}, given: Answer = {}, method = "GET") {
      answer = given;
      const all = { "User-Agent": "a", ...navigation, ...headers };
      return new Promise<void>((resolve, reject) => {
        http
          .request({ port, host: "127.0.0.1", method, headers: all }, (response) => {
            response.resume().once("end", resolve);
          })
          .once("error", reject)
          .end();
      });
    },
    async post(event: object | string, agent = "a", header: object = {}) {
      const envelope =
        typeof event === "string"
          ? Buffer.from(event)
          : envelopeOf({ event_id: eventId(), ...header }, [
              { type: "event" },
              JSON.stringify(event),
            ]);
      const { status } = await send(envelope, { "User-Agent": agent });
      expect(status).toBe(200);
    },
  };
}

const thrown = (mechanism: object, rest: object = {}) => ({
  exception: { values: [{ type: "Error", value: "x", mechanism }] },
  ...rest,
});
const unhandled = thrown({ type: "auto.browser.global_handlers.onerror", handled: false });
const handled = thrown({ type: "generic", handled: true });

test("a document is a session, and nothing is sent where there was none", async () => {
  const { visit, counted, sent } = await startCounting();
  expect(counted()).toEqual({});
  expect(sent).toEqual([]);
  await visit();
  await visit({}, { status: 404 });
  await visit({}, { status: 304, headers: {}, route: "/static" });
  const healthy = { exited: 3, errored: 0, crashed: 0 };
  expect(counted()).toEqual(healthy);
  expect(sent).toEqual([{ started: "2026-01-02T03:04:00.000Z", ...healthy }]);
  expect(counted()).toEqual({});
});

type Visited = [string, Parameters<Awaited<ReturnType<typeof startCounting>>["visit"]>];

test.each<Visited>([
  ["a prefetch", [{ "Sec-Purpose": "prefetch;prerender" }]],
  ["an older browser's prefetch", [{ Purpose: "prefetch" }]],
  [
    "page data",
    [{ "Sec-Fetch-Dest": "empty" }, { headers: { "Content-Type": "application/json" } }],
  ],
  ["what is no browser", [{ "Sec-Fetch-Dest": [] }]],
  ["a bot that asks for the head alone", [{}, {}, "HEAD"]],
  ["a form that is posted", [{}, {}, "POST"]],
  ["a redirect", [{}, { status: 307, headers: {} }]],
  ["an image by itself", [{}, { headers: { "Content-Type": "image/png" } }]],
  ["an API route's answer", [{}, { headers: { "Content-Type": "application/json" } }]],
  [
    "an API route's answer that has not changed",
    [{}, { status: 304, headers: {}, route: "/api/echo" }],
  ],
  ["a file that has not changed", [{}, { status: 304, headers: {} }]],
  ...excludeFromTracing
    .flatMap((route) => [route, `${route}/[below]`])
    .map((route): Visited => [`the page ${route}`, [{}, { route }]]),
])("%s is no session", async (_what, visited) => {
  const { visit, counted } = await startCounting();
  await visit(...visited);
  expect(counted()).toEqual({});
});

test("what a page sends makes its visitor's session crashed or errored, once for each document", async () => {
  const { visit, post, counted } = await startCounting();
  for (const agent of ["a", "b", "c", "d"]) await visit({ "User-Agent": agent });
  for (let n = 0; n < 3; n += 1) await post(unhandled, "a");
  await post(handled, "b");
  await post(handled, "c");
  await post(unhandled, "c");
  expect(counted()).toEqual({ exited: 1, errored: 1, crashed: 2 });

  await visit();
  await post(unhandled);
  await visit();
  await post(unhandled);
  expect(counted()).toEqual({ exited: 0, errored: 0, crashed: 2 });
});

test("a whole page that a boundary has replaced is crashed, a boundary of the team's own errored", async () => {
  const { visit, post, counted } = await startCounting();
  const type = "auto.function.react.error_boundary";
  await visit({ "User-Agent": "a" });
  await post(thrown({ type, handled: false }), "a");
  await visit({ "User-Agent": "b" });
  await post(thrown({ type, handled: true }), "b");
  expect(counted()).toEqual({ exited: 0, errored: 1, crashed: 1 });
});

test("an error that has left without the SDK counts too", async () => {
  const { visit, post, counted } = await startCounting();
  await visit();
  await post({ ...unhandled, event_id: eventId() }, "a", { minimal: true });
  expect(counted()).toEqual({ exited: 0, errored: 0, crashed: 1 });
});

test("so does what a page writes of it, by its mechanism", async () => {
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("location", new URL("http://localhost/"));
  vi.stubGlobal("document", { querySelector: () => null });
  vi.doMock("next/router", () => ({ default: {} }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { minimalErrorEnvelope } = await import(
    "@/packages/sentry/src/browser/first-load/without-sdk"
  );
  const { visit, post, counted } = await startCounting();
  const earlyError = (type: string, handled = false) => {
    const page = { at: 1, reference: eventId(), url: "http://localhost/", route: "/static" };
    const hint = { mechanism: { type, handled } };
    return minimalErrorEnvelope({ ...page, error: new Error("x"), hint });
  };
  for (const agent of ["a", "b", "c"]) await visit({ "User-Agent": agent });
  await post(earlyError("auto.function.react.error_boundary"), "a");
  await post(earlyError("generic", true), "b");
  await post(earlyError("signpost.navigation"), "c");
  expect(counted()).toEqual({ exited: 0, errored: 2, crashed: 1 });
});

test("a failed navigation and a blocked source crash nothing, and messages change nothing", async () => {
  const { visit, post, counted } = await startCounting();
  await visit({ "User-Agent": "a" });
  await post(thrown({ type: "signpost.navigation", handled: false }), "a");
  await visit({ "User-Agent": "b" });
  await post({ message: "hello" }, "b");
  await post({ exception: { values: "none" } }, "b");
  await post({ exception: null }, "b");
  await post([], "b");
  expect(counted()).toEqual({ exited: 1, errored: 1, crashed: 0 });
});

test("where a cache answers in the server's place, an error of a page that it did not serve makes no session fail", async () => {
  const { visit, post, counted } = await startCounting();
  // Ten visits, of which the server sees one.
  await visit({ "User-Agent": "visitor 3" });
  await post(unhandled, "visitor 7");
  expect(counted()).toEqual({ exited: 1, errored: 0, crashed: 0 });
  // One that is served later begins with that.
  await visit({ "User-Agent": "visitor 7" });
  expect(counted()).toEqual({ exited: 1, errored: 0, crashed: 0 });
});

test("a minimal error report of a page of another build crashes no session of this release", async () => {
  const { visit, post, counted } = await startCounting();
  for (const [agent, build, crashed] of [
    ["a", "known-build", 0],
    ["b", "another-build", 0],
    ["c", "own-build", 1],
    ["d", true, 1],
  ] as const) {
    await visit({ "User-Agent": agent });
    await post({ ...unhandled, event_id: eventId() }, agent, { minimal: build });
    expect([build, counted()]).toEqual([build, { exited: 1 - crashed, errored: 0, crashed }]);
  }
});

test("a page of another release crashes no session of this one", async () => {
  const { visit, post, counted } = await startCounting();
  await visit({ "User-Agent": "a" });
  await post({ ...unhandled, release: "1.2.2" }, "a");
  await visit({ "User-Agent": "b" });
  await post({ ...unhandled, release: "1.2.3" }, "b");
  expect(counted()).toEqual({ exited: 1, errored: 0, crashed: 1 });
});

test("an event that is too large to be read changes nothing", async () => {
  const { visit, post, counted } = await startCounting();
  await visit();
  await post({ ...unhandled, extra: "x".repeat(130 * 1024) });
  await post({ ...unhandled, extra: Array(10_001).fill(1) });
  expect(counted()).toEqual({ exited: 1, errored: 0, crashed: 0 });
});

test("a request that fails is a crashed session, whatever its page sends after it", async () => {
  const { visit, post, counted } = await startCounting();
  await visit({}, { status: 500 });
  await post(unhandled);
  await visit({ "User-Agent": "b" });
  expect(counted()).toEqual({ exited: 1, errored: 0, crashed: 1 });
});

test("an error that comes after its session was sent counts with the next ones", async () => {
  const { visit, post, counted } = await startCounting();
  await visit({ "User-Agent": "a" });
  await visit({ "User-Agent": "b" });
  expect(counted()).toEqual({ exited: 2, errored: 0, crashed: 0 });
  await post(unhandled, "a");
  await post(handled, "b");
  expect(counted()).toEqual({});
  await visit({ "User-Agent": "c" });
  expect(counted()).toEqual({ exited: 0, errored: 0, crashed: 1 });
  await visit({ "User-Agent": "d" });
  expect(counted()).toEqual({ exited: 0, errored: 1, crashed: 0 });
});

test("an error that a page repeats counts once, also after its session was sent", async () => {
  const { visit, post, counted } = await startCounting();
  await visit({ "User-Agent": "a" });
  await post(handled, "a");
  expect(counted()).toEqual({ exited: 0, errored: 1, crashed: 0 });
  await post(handled, "a");
  await post(unhandled, "a");
  await visit({ "User-Agent": "b" });
  await visit({ "User-Agent": "c" });
  expect(counted()).toEqual({ exited: 2, errored: 0, crashed: 0 });
});

test("whatever a stranger posts, no more sessions fail than documents were served", async () => {
  const { visit, post, counted } = await startCounting();
  const flood = async () => {
    for (let n = 0; n < 20; n += 1) await post(unhandled, `stranger ${n}`);
  };
  await visit();
  await visit();
  await flood();
  expect(counted()).toEqual({ exited: 2, errored: 0, crashed: 0 });
  for (let n = 0; n < 3; n += 1) await visit({ "User-Agent": `stranger ${n}` });
  await flood();
  await flood();
  expect(counted()).toEqual({ exited: 0, errored: 0, crashed: 3 });
  await flood();
  for (let n = 0; n < 3; n += 1) await visit();
  expect(counted()).toEqual({ exited: 3, errored: 0, crashed: 0 });
});
