import {
  dynamicSamplingContextToSentryBaggageHeader,
  generateSentryTraceHeader,
  propagationContextFromHeaders,
} from "@sentry/core";
import {
  captureEvent,
  captureException,
  captureFeedback,
  captureMessage,
  createTransport,
  getClient,
  getCurrentScope,
  getDefaultIntegrations,
  httpIntegration,
  init,
  linkedErrorsIntegration,
  type NodeOptions,
  requestDataIntegration,
  Scope,
  setUser,
  startInactiveSpan,
  withIsolationScope,
} from "@sentry/nextjs";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

const capture = "packages/sentry/src/server/reporter.ts captures errors by it";
const traces = "packages/sentry/src/server/request-traces.ts makes request spans by it";

type Json = Record<string, unknown>;
interface Sent {
  header: Json;
  type: unknown;
  payload: Json & { contexts: { trace: Json; [name: string]: Json } };
}

const sent: Sent[] = [];
const bodies: unknown[] = [];
const processed: { originalException?: unknown }[] = [];

/** As packages/sentry/src/server/start-sdk.ts has it, with a transport that only notes. */
const options: NodeOptions = {
  dsn: "http://signpost@localhost/0",
  release: "1.2.3",
  environment: "contracts",
  tracesSampleRate: 1,
  traceLifecycle: "static",
  sendClientReports: false,
  enableOpenTelemetrySetup: false,
  enableRuntimeChannelInjection: false,
  defaultIntegrations: false,
  integrations: [linkedErrorsIntegration(), requestDataIntegration()],
  dataCollection: { userInfo: false, cookies: false, httpHeaders: false, httpBodies: [] },
  beforeSend(event, hint) {
    processed.push(hint);
    return event;
  },
  transport: (transportOptions) =>
    createTransport(transportOptions, async ({ body }) => {
      bodies.push(body);
      const text = typeof body === "string" ? body : new TextDecoder().decode(body);
      const [header = "", itemHeader = "", payload = ""] = text.split("\n");
      const { type } = JSON.parse(itemHeader);
      sent.push({ header: JSON.parse(header), type, payload: JSON.parse(payload) });
      return { statusCode: 200 };
    }),
};

beforeAll(() => {
  init(options);
});
beforeEach(() => {
  for (const list of [sent, bodies, processed]) list.length = 0;
});
afterAll(() => getClient()?.close());

async function only(type: string): Promise<Sent> {
  await getClient()?.flush(1000);
  const found = sent.filter((one) => one.type === type);
  expect(found.length, `The SDK sent ${found.length} items of type ${type} instead of one.`).toBe(
    1,
  );
  return found[0] as Sent;
}

test("no OpenTelemetry is set up where that is switched off", () => {
  const api = (globalThis as unknown as Record<symbol, Json | undefined>)[
    Symbol.for("opentelemetry.js.api.1")
  ];
  expect(
    [api?.trace, api?.context],
    "enableOpenTelemetrySetup: false (packages/sentry/src/server/start-sdk.ts) no longer keeps OpenTelemetry out: each request would cost about a fifth more.",
  ).toEqual([undefined, undefined]);
});

test("captureException of the client takes an id, a mechanism and a scope", async () => {
  const scope = new Scope();
  scope.setClient(getClient());
  const traceId = "0123456789abcdef0123456789abcdef";
  scope.setPropagationContext({ traceId, sampleRand: 0.5, propagationSpanId: "0123456789abcdef" });
  scope.setTag("side", "server").setTransactionName("/dynamic/[id]");
  const error = new Error("failed", { cause: new Error("the cause") });
  const eventId = "f".repeat(32);
  getClient()?.captureException(
    error,
    {
      event_id: eventId,
      originalException: error,
      mechanism: { type: "signpost.contract", handled: false },
    },
    scope,
  );
  const { payload } = await only("event");
  expect(
    payload.event_id,
    `The hint's event_id no longer becomes the event's: ${capture}, and error pages would show a reference that leads nowhere.`,
  ).toBe(eventId);
  expect(
    (payload.exception as { values: Json[] }).values.map(({ value, mechanism }) => [
      value,
      mechanism,
    ]),
    `The hint's mechanism no longer becomes that of the event, or causes are no longer linked: ${capture}.`,
  ).toEqual([
    ["the cause", expect.anything()],
    ["failed", expect.objectContaining({ type: "signpost.contract", handled: false })],
  ]);
  expect(
    [payload.transaction, payload.tags, payload.contexts.trace],
    `The scope that is handed on no longer fills the event: ${capture}, and errors would lose their route and their trace.`,
  ).toEqual([
    "/dynamic/[id]",
    { side: "server" },
    expect.objectContaining({ trace_id: traceId, span_id: "0123456789abcdef" }),
  ]);
  expect(
    processed[0]?.originalException,
    "beforeSend is no longer given the thrown thing as hint.originalException: packages/sentry/src/browser/sdk/start.ts sorts out noise by it.",
  ).toBe(error);
});

test("all captures go through the methods of Scope, and take the id in their hint", async () => {
  const hint = { event_id: "e".repeat(32) };
  const seen = vi.spyOn(Scope.prototype, "captureException");
  const message = vi.spyOn(Scope.prototype, "captureMessage");
  const event = vi.spyOn(Scope.prototype, "captureEvent");
  captureException(new Error("captured"));
  captureMessage("captured");
  captureEvent({ message: "captured" });
  captureFeedback({ message: "captured" });
  const calls = [seen, message, event].map(({ mock }) => mock.calls.length);
  vi.restoreAllMocks();
  await getClient()?.flush(1000);
  const advice = "giveServerIds (packages/sentry/src/server/event-ids.ts) no longer marks all ids.";
  expect(calls, advice).toEqual([1, 1, 2]);
  const scope = new Scope();
  expect(scope.captureException(new Error("captured"), hint), advice).toBe(hint.event_id);
  expect(scope.captureMessage("captured", "info", hint), advice).toBe(hint.event_id);
  expect(scope.captureEvent({ message: "captured" }, hint), advice).toBe(hint.event_id);
});

test("each isolation scope lasts through what it awaits, with what it holds, and is nobody else's", async () => {
  const noted: unknown[] = [];
  getClient()?.addEventProcessor((event) => {
    const { mark } = event.sdkProcessingMetadata as { mark?: () => string };
    if (mark) noted.push([mark(), event.user?.id]);
    return event;
  });
  const visit = (id: string) =>
    withIsolationScope(async (scope) => {
      scope.setSDKProcessingMetadata({ mark: () => id });
      await new Promise((resolve) => setTimeout(resolve, 5));
      setUser({ id });
      await new Promise((resolve) => setTimeout(resolve, 5));
      captureException(new Error(`of ${id}`));
    });
  await Promise.all(["a", "b", "c"].map(visit));
  expect(
    noted,
    "withIsolationScope no longer keeps requests apart, or event processors no longer see functions in sdkProcessingMetadata: packages/sentry/src/server/request-scopes.ts lives by both, and errors would name another request's visitor.",
  ).toEqual([
    ["a", "a"],
    ["b", "b"],
    ["c", "c"],
  ]);
  expect(JSON.stringify(sent)).not.toContain("mark");
});

test("normalizedRequest of a scope becomes the event's request", async () => {
  const scope = getCurrentScope().clone();
  const normalizedRequest = { method: "GET", url: "/dynamic/a", query_string: "x=1" };
  scope.setSDKProcessingMetadata({ normalizedRequest });
  getClient()?.captureException(new Error("failed"), undefined, scope);
  const { payload } = await only("event");
  expect(
    payload.request,
    `sdkProcessingMetadata.normalizedRequest no longer becomes event.request: ${capture}, and server errors would not say what was asked for.`,
  ).toMatchObject(normalizedRequest);
});

test("a span takes its trace from the current scope's propagation context", async () => {
  const scope = getCurrentScope();
  const before = scope.getPropagationContext();
  const dsc = { trace_id: "a".repeat(32), public_key: "signpost", sample_rate: "1" };
  scope.setPropagationContext({
    traceId: "a".repeat(32),
    parentSpanId: "b".repeat(16),
    sampled: true,
    sampleRand: 0.25,
    dsc,
  });
  const span = startInactiveSpan({
    name: "GET",
    op: "http.server",
    startTime: 1_700_000_000,
    forceTransaction: true,
    attributes: { "sentry.segment.name.source": "url" },
  });
  scope.setPropagationContext(before);
  span.updateName("/dynamic/[id]");
  span.setAttributes({ "sentry.segment.name.source": "route" });
  span.end(1_700_000_001);
  const { header, payload } = await only("transaction");
  expect(
    payload.contexts.trace,
    `A span no longer takes trace, parent and operation from the scope it is made in: ${traces}, and traces would break between browser and server.`,
  ).toMatchObject({
    trace_id: "a".repeat(32),
    parent_span_id: "b".repeat(16),
    span_id: span.spanContext().spanId,
    op: "http.server",
  });
  expect(
    [payload.transaction, payload.transaction_info],
    `The attribute sentry.segment.name.source no longer tells what kind of name a transaction has: ${traces}.`,
  ).toEqual(["/dynamic/[id]", { source: "route" }]);
  expect(
    [payload.start_timestamp, payload.timestamp],
    `Start and end that are given to a span are no longer kept: ${traces}.`,
  ).toEqual([1_700_000_000, 1_700_000_001]);
  expect(
    header.trace,
    `A trace's own sampling context (dsc) is no longer sent on: ${traces}.`,
  ).toMatchObject(dsc);
});

test("a trace goes from a request's headers to the page's and stays the same", () => {
  const header = `${"a".repeat(32)}-${"b".repeat(16)}-1`;
  const baggage = "other=1,sentry-trace_id=x,sentry-sample_rand=0.25";
  const context = propagationContextFromHeaders(header, baggage);
  expect(
    context,
    `propagationContextFromHeaders reads a request's trace otherwise: ${traces}.`,
  ).toMatchObject({
    traceId: "a".repeat(32),
    parentSpanId: "b".repeat(16),
    sampled: true,
    sampleRand: 0.25,
    dsc: { trace_id: "x", sample_rand: "0.25" },
  });
  expect(
    [
      generateSentryTraceHeader(context.traceId, "c".repeat(16), false),
      dynamicSamplingContextToSentryBaggageHeader(context.dsc),
    ],
    `@sentry/core writes a page's trace otherwise: ${traces}, and pages/_document.tsx puts it into the page.`,
  ).toEqual([`${"a".repeat(32)}-${"c".repeat(16)}-0`, "sentry-trace_id=x,sentry-sample_rand=0.25"]);
  expect(
    propagationContextFromHeaders("no trace", undefined).dsc,
    `propagationContextFromHeaders no longer leaves a new trace without dsc: ${traces}, and tells by it where a trace begins.`,
  ).toBeUndefined();
});

test("a scope that says not to sample has no transaction made", async () => {
  const scope = getCurrentScope();
  const before = scope.getPropagationContext();
  scope.setPropagationContext({ ...before, parentSpanId: "b".repeat(16), sampled: false });
  startInactiveSpan({ name: "GET", forceTransaction: true }).end();
  scope.setPropagationContext(before);
  await getClient()?.flush(1000);
  expect(
    sent,
    `A propagation context's \`sampled: false\` is no longer heeded: ${traces}, and more would be sent than is asked for.`,
  ).toEqual([]);
});

test("the client's flush event hands over what is held back, before it returns", async () => {
  startInactiveSpan({ name: "held back", forceTransaction: true }).end();
  expect(
    sent,
    "The SDK no longer holds ended transactions back: packages/sentry/src/server/reporter.ts need not flush them any more.",
  ).toEqual([]);
  getClient()?.emit("flush");
  expect(
    sent.map(({ type }) => type),
    'client.emit("flush") no longer hands ended transactions to the transport at once: packages/sentry/src/server/reporter.ts has them stored that way when the process crashes or ends.',
  ).toEqual(["transaction"]);
  await getClient()?.flush(1000);
});

test("an envelope is [header, [[item header, item], …]] with a type", async () => {
  const types: unknown[] = [];
  const transport = getClient()?.getTransport();
  if (!transport) throw new Error("The client has no transport.");
  const { send } = transport;
  transport.send = (envelope) => {
    types.push(envelope[1][0]?.[0].type);
    return send.call(transport, envelope);
  };
  startInactiveSpan({ name: "typed", forceTransaction: true }).end();
  await getClient()?.flush(1000);
  transport.send = send;
  expect(
    types,
    "Transactions are no longer told by the first item's header: packages/sentry/src/server/transport.ts holds them back a moment by that, and errors not.",
  ).toEqual(["transaction"]);
  expect(
    bodies.every((body) => typeof body === "string" || body instanceof Uint8Array),
    "createTransport no longer hands on an envelope as text or bytes: packages/sentry/src/server/transport.ts stores it as it comes.",
  ).toBe(true);
});

test("full tracing can leave out the integrations it names", () => {
  const names = getDefaultIntegrations({}).map(({ name }) => name);
  const unwanted = [
    "Dedupe",
    "Http",
    "LocalVariablesAsync",
    "Modules",
    "OnUncaughtException",
    "OnUnhandledRejection",
    "ProcessSession",
  ];
  expect(
    unwanted.filter((name) => !names.includes(name)),
    "Default integrations have other names now: packages/sentry/src/server/full-tracing.ts leaves some out by name, so they would be in.",
  ).toEqual([]);
  expect(
    httpIntegration().name,
    "httpIntegration() has another name than the default one it takes the place of: packages/sentry/src/server/full-tracing.ts would have both.",
  ).toBe("Http");
});
