// @vitest-environment jsdom

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  addEventProcessor,
  type BrowserClient,
  browserTracingIntegration,
  captureException,
  createTransport,
  eventFiltersIntegration,
  getClient,
  init,
  startBrowserTracingNavigationSpan,
  startBrowserTracingPageLoadSpan,
  startInactiveSpan,
} from "@sentry/browser";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

const replay = "packages/sentry/src/browser/sdk/error-events.ts hands errors over by it";
const tracing = "packages/sentry/src/browser/sdk/tracing.ts makes spans by it";
const traceId = "c".repeat(32);

type Json = Record<string, unknown>;
interface Payload extends Json {
  exception: { values: Json[] };
  contexts: { trace: Json };
}

const sent: { type: unknown; payload: Payload; header: Json }[] = [];
const originals: unknown[] = [];
let limits: string | null = null;
let dropped: unknown[][] = [];

/** As packages/sentry/src/browser/sdk/start.ts has it, with a transport that only notes. */
beforeAll(() => {
  for (const [name, content] of [
    ["sentry-trace", `${traceId}-${"d".repeat(16)}-1`],
    ["baggage", `sentry-trace_id=${traceId},sentry-sample_rate=1`],
  ]) {
    document.head.append(Object.assign(document.createElement("meta"), { name, content }));
  }
  init({
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: "/api/relay",
    release: "1.2.3",
    tracesSampleRate: 1,
    traceLifecycle: "static",
    defaultIntegrations: false,
    integrations: [
      eventFiltersIntegration(),
      browserTracingIntegration({ instrumentPageLoad: false, instrumentNavigation: false }),
    ],
    transport: (options) => {
      const { recordDroppedEvent } = options;
      options.recordDroppedEvent = (...args) => {
        dropped.push(args);
        recordDroppedEvent(...args);
      };
      return createTransport(options, async ({ body }) => {
        const [header = "", itemHeader = "", payload = ""] = String(body).split("\n");
        sent.push({
          type: JSON.parse(itemHeader).type,
          payload: JSON.parse(payload),
          header: JSON.parse(header),
        });
        return {
          statusCode: 200,
          headers: { "x-sentry-rate-limits": limits, "retry-after": null },
        };
      });
    },
  });
  addEventProcessor((event, { originalException }) => {
    originals.push(originalException);
    return event.message === "renamed" || event.type
      ? event
      : { ...event, event_id: "e".repeat(32), timestamp: 1_700_000_000 };
  });
});
beforeEach(async () => {
  await getClient()?.flush(1000);
  sent.length = 0;
  originals.length = 0;
  dropped = [];
});
afterAll(() => getClient()?.close());

async function only(type: string): Promise<Payload> {
  await getClient()?.flush(1000);
  const found = sent.filter((one) => one.type === type);
  expect(found.length, `The SDK sent ${found.length} items of type ${type} instead of one.`).toBe(
    1,
  );
  return found[0]?.payload as Payload;
}

test("both SDKs are of one version, the scopes too, and there is no other core", () => {
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(`node_modules/@sentry/${name}/package.json`, "utf8")).version;
  // Whose scopes the SDK would not find otherwise.
  const scopes = versionOf("../sentry-scopes");
  const nested = readdirSync("node_modules/@sentry").filter((name) =>
    existsSync(`node_modules/@sentry/${name}/node_modules/@sentry`),
  );
  expect(
    [versionOf("browser"), versionOf("browser-utils"), versionOf("core"), scopes, nested],
    "The parts of Sentry's SDK are of different versions: package.json must name one for all of them.",
  ).toEqual([...Array(4).fill(versionOf("nextjs")), []]);
});

test("captureException takes a mechanism, and its hint reaches the hooks", async () => {
  const error = new Error("boundary");
  const hint = {
    mechanism: { type: "auto.function.react.error_boundary", handled: false },
    reported: "own field",
  };
  const seen: unknown[] = [];
  const stop = getClient()?.on("preprocessEvent", (_event, given) => seen.push(given));
  captureException(error, hint);
  stop?.();
  const payload = await only("event");
  const [exception] = payload.exception.values;
  expect(
    exception?.mechanism,
    `The hint's mechanism no longer becomes the event's: ${replay}.`,
  ).toMatchObject({ type: "auto.function.react.error_boundary", handled: false });
  expect(seen, `A hint's own field no longer reaches preprocessEvent: ${replay}.`).toMatchObject([
    { reported: "own field" },
  ]);
  expect(
    originals,
    `What was thrown is no longer hint.originalException of an event processor: ${replay}, and an error page's reference would lead nowhere.`,
  ).toEqual([error]);
  expect(
    [payload.event_id, payload.timestamp],
    `An event processor can't give an event another id and time any more: ${replay}.`,
  ).toEqual(["e".repeat(32), 1_700_000_000]);
});

test("an error without a stack has no empty list of frames", async () => {
  const stackless = Object.assign(new Error("no stack"), { stack: "" });
  for (const thrown of [stackless, "a text", { a: 1 }]) {
    sent.length = 0;
    captureException(thrown);
    expect(
      JSON.stringify(await only("event")),
      "The SDK sends a stack without frames, which Sentry's Relay marks as invalid: packages/sentry/src/browser/sdk/start.ts must take it out in beforeSend.",
    ).not.toContain('"frames":[]');
  }
});

test("the page load goes on with the trace in the page's meta elements", async () => {
  const client = getClient() as BrowserClient;
  const span = startBrowserTracingPageLoadSpan(client, {
    name: "/dynamic/[id]",
    attributes: {
      "sentry.segment.name.source": "route",
      "sentry.origin": "auto.pageload.nextjs.pages_router_instrumentation",
    },
  });
  span?.end();
  const payload = await only("transaction");
  expect(
    payload.contexts.trace,
    `The page load's span no longer goes on with <meta name="sentry-trace">: pages/_document.tsx puts it into the page, and traces would end at the server.`,
  ).toMatchObject({ op: "pageload", trace_id: traceId, parent_span_id: "d".repeat(16) });
  expect(
    [payload.transaction, (payload.transaction_info as Json).source],
    `The name of a page load or the kind of that name is no longer the one given: ${tracing}.`,
  ).toEqual(["/dynamic/[id]", "route"]);
});

test("a navigation's span takes its name and state later", async () => {
  const span = startBrowserTracingNavigationSpan(getClient() as BrowserClient, {
    name: "/asked",
    attributes: { "sentry.segment.name.source": "route" },
  });
  span?.updateName("/arrived").setAttributes({ "sentry.segment.name.source": "route" });
  span?.setStatus({ code: 2, message: "cancelled" });
  span?.end();
  const payload = await only("transaction");
  expect(
    [payload.transaction, payload.contexts.trace.op, payload.contexts.trace.status],
    `A navigation's span no longer takes name and status after it has begun: ${tracing}.`,
  ).toEqual(["/arrived", "navigation", "cancelled"]);
  expect(
    payload.transaction_info,
    `The attribute sentry.segment.name.source no longer tells what kind of name a transaction has: ${tracing}.`,
  ).toEqual({ source: "route" });
  expect(
    sent.map(({ type }) => type),
    'traceLifecycle: "static" no longer gives transactions: packages/sentry/src/browser/sdk/start.ts asks for them, since the inbox and older services read those.',
  ).toEqual(["transaction"]);
});

test("a navigation of a sampled visit tells the sample rate of visits", async () => {
  const client = getClient() as BrowserClient;
  const stop = client.on("createDsc", (dsc) => {
    if (dsc.sample_rate) dsc.sample_rate = "0.1";
  });
  startBrowserTracingNavigationSpan(client, { name: "/server" })?.end();
  await only("transaction");
  stop();
  const message = `The hook createDsc no longer changes the sample rate that a trace is sent with: ${tracing}, and the service would take the sampled visits for all.`;
  expect(sent[0]?.header.trace, message).toMatchObject({ sample_rate: "0.1", sampled: "true" });
});

test("a span after the fact keeps its times, and its children go with it", async () => {
  const parent = startInactiveSpan({
    name: "/earlier",
    op: "navigation",
    startTime: 1_700_000_000,
    forceTransaction: true,
    parentSpan: null,
  });
  startInactiveSpan({ name: "child", parentSpan: parent }).end();
  parent.end(1_700_000_002);
  const payload = await only("transaction");
  expect(
    [payload.start_timestamp, payload.timestamp, payload.contexts.trace.parent_span_id],
    `A span made after the fact no longer keeps its times, or is no transaction of its own: ${tracing}.`,
  ).toEqual([1_700_000_000, 1_700_000_002, undefined]);
  expect(payload.spans, "A transaction no longer holds its spans.").toEqual([
    expect.objectContaining({ description: "child" }),
  ]);
});

test("the service's limits that a transport hands on hold the SDK back, and what it drops is counted", async () => {
  limits = "60:transaction:organization";
  startInactiveSpan({ name: "first", forceTransaction: true }).end();
  await only("transaction");
  limits = null;
  startInactiveSpan({ name: "second", forceTransaction: true }).end();
  await getClient()?.flush(1000);
  expect(
    sent.length,
    "A transport's answer with x-sentry-rate-limits no longer holds the SDK back: packages/sentry/src/browser/sdk/transport.ts hands the service's limits on.",
  ).toBe(1);
  await vi.waitFor(() => expect(dropped).not.toEqual([]));
  expect(
    dropped,
    "The SDK no longer counts by options.recordDroppedEvent what a limit holds back.",
  ).toContainEqual(expect.arrayContaining(["ratelimit_backoff", "transaction"]));
});

// jsdom records no replay, so this one goes by the SDK's source.
test("a replay goes to the client's transport, as everything does", () => {
  const code = readFileSync("node_modules/@sentry/replay/build/npm/esm/index.js", "utf8");
  expect(
    code.includes("client?.getTransport()") && code.includes("await transport.send(envelope)"),
    "Session replay no longer hands its envelopes to the client's transport: packages/sentry/src/shared/privacy/scrub-envelope.ts takes private data out of them there.",
  ).toBe(true);
});

// jsdom measures no web vitals, so this one goes by the SDK's source.
test("web vitals have the names that the inbox looks for", () => {
  const folder = "node_modules/@sentry/browser-utils/build/esm";
  const code = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const measured = ["lcp", "cls", "fcp", "ttfb"].filter((vital) =>
    code.includes(`_measurements["${vital}"]`),
  );
  expect(
    measured,
    "The SDK puts web vitals into other measurements of the page load: packages/inbox/src/model/measurements.ts and packages/sentry/src/browser/sdk/tracing.ts know these names, and the inbox would show none.",
  ).toEqual(["lcp", "cls", "fcp", "ttfb"]);
  expect(
    [/`browser\.web_vital\.\$\{\w+\}\.value`/.test(code), code.includes('metricName: "inp"')],
    "The SDK names the attribute of INP's span otherwise than browser.web_vital.inp.value: packages/inbox/src/model/measurements.ts knows it by that name, and the inbox would show no INP.",
  ).toEqual([true, true]);
});

// jsdom tells of no measures, so this one goes by the SDK's source.
test("the detail of a measure has the names that private data is looked for in", () => {
  const path = "node_modules/@sentry/browser-utils/build/esm/performance/userTiming.js";
  expect(
    readFileSync(path, "utf8"),
    "The SDK puts the detail of a performance.measure elsewhere: packages/sentry/src/shared/privacy/private-names.ts would not know private names in it.",
  ).toMatch(/`sentry\.browser\.measure\.detail\.\$\{key\}`/);
});

test("Replay keeps what it has drawn for a tab under the name that the first load looks for", () => {
  const replay = readFileSync("node_modules/@sentry/replay/build/npm/esm/index.js", "utf8");
  for (const words of ['REPLAY_SESSION_KEY = "sentryReplaySession"', '? "session" :'])
    expect(
      replay,
      "Replay stores its session elsewhere, or names what is recorded otherwise: packages/sentry/src/browser/first-load/watch-errors.ts would not go on with a replay on the next page.",
    ).toContain(words);
});
