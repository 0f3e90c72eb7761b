import { render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// Its timer would outlive the test.
vi.mock("@/packages/sentry/src/browser/first-load/page-load", async (original) => ({
  ...(await original<object>()),
  whenSettled: () => {},
}));

type Json = Record<string, unknown>;
interface StaticSpan extends Json {
  span_id: string;
  parent_span_id: string;
  description: string;
  data: Json;
}
interface Event extends Json {
  transaction: string;
  message?: string;
  measurements?: Json;
  contexts: { trace: { span_id: string; trace_id: string } };
  spans: StaticSpan[];
}

/** What has reached the tunnel. */
let events: Event[];
let Sentry: typeof import("@/packages/sentry/src/index.browser");
let start: () => Promise<void>;

beforeEach(async () => {
  events = [];
  vi.resetModules();
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  Object.assign(performance, { getEntriesByType: () => [], getEntriesByName: () => [] });
  const settings = { release: "1", environment: "test", tracesSampleRate: 1 };
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit = {}) => {
    if (url.includes("/settings")) return Response.json(settings);
    const [, header = "", payload = ""] = String(body).split("\n");
    if (/"type":"(event|transaction)"/.test(header)) events.push(JSON.parse(payload));
    return Response.json({});
  });
  Sentry = await import("@/packages/sentry/src/index.browser");
  const sdk = await import("@/packages/sentry/src/browser/sdk/start");
  ended = [];
  // What is captured does not have the SDK loaded: each test starts it.
  Object.assign(document, { prerendering: true });
  Sentry.init({});
  Sentry.getClient()?.on("spanEnd", (span) => {
    ended.push(Sentry.spanToStaticSpanJSON(span) as never);
  });
  start = async () => {
    Reflect.deleteProperty(document, "prerendering");
    await sdk.start([], {});
    await Promise.resolve();
  };
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, "__SENTRY__");
});

/** What the SDK has of each span that has ended. A page load takes none that began 30 s after it, as on a slow machine. */
let ended: StaticSpan[];

test("spans from before the SDK are the page load's, with all that they were given", async () => {
  const attributes = { cart: "full" };
  const [outer, inner] = Sentry.startSpan({ name: "outer", op: "mine", attributes }, (span) => {
    span.setAttribute("items", 3).updateName("renamed");
    Sentry.captureMessage("within");
    const child = Sentry.startInactiveSpan({ name: "inner", startTime: Date.now() / 1000 - 2 });
    child.addLink({ context: span.spanContext() }).setStatus({ code: 2, message: "not_found" });
    child.end();
    return [span, child];
  });
  const alone = { name: "of its own", parentSpan: null };
  Sentry.startSpan(alone, () => Sentry.startInactiveSpan({ name: "its child" }).end());
  let finish = () => {};
  const open = Sentry.startSpan(
    { name: "still open" },
    () => new Promise<void>((resolve) => (finish = resolve)),
  );
  await start();
  // What the page holds is the SDK's own now.
  expect(Sentry.spanToJSON(outer)).toMatchObject({ name: "renamed", is_segment: false });
  expect(Sentry.getRootSpan(outer)).toBe(Sentry.getRootSpan(inner));
  finish();
  await open;
  const load = Sentry.getRootSpan(outer).spanContext().spanId;
  const byName = Object.fromEntries(ended.map((span) => [span.description, span]));
  expect(byName.renamed).toMatchObject({
    ...{ op: "mine", origin: "manual", status: "ok", parent_span_id: load },
    span_id: outer.spanContext().spanId,
    data: { cart: "full", items: 3 },
  });
  expect(byName.inner).toMatchObject({
    // As the SDK has it in a browser: all are children of the root.
    ...{ status: "not_found", parent_span_id: load },
    links: [{ span_id: byName.renamed?.span_id }],
  });
  expect(byName["still open"]).toBeDefined();
  const sent = () => events.find(({ transaction }) => transaction === "of its own");
  await expect.poll(sent).toMatchObject({ spans: [{ description: "its child" }] });
  const message = events.find((event) => event.message === "within");
  expect(message?.contexts.trace.span_id).toBe(byName.renamed?.span_id);
});

test("a span from before the SDK is in the trace that the app has begun, as a transaction with what was set in its time", async () => {
  const [traceId, parentId] = ["a".repeat(32), "b".repeat(16)];
  const trace = { sentryTrace: `${traceId}-${parentId}-1`, baggage: undefined };
  Sentry.setTag("step", "first");
  Sentry.continueTrace(trace, () => Sentry.startSpan({ name: "continued" }, () => {}));
  Sentry.setTag("step", "second");
  Sentry.startNewTrace(() => Sentry.startSpan({ name: "new" }, () => {}));
  Sentry.setTag("step", "third");
  await start();
  const sent = (name: string) => events.find(({ transaction }) => transaction === name);
  await expect.poll(() => sent("new")).toMatchObject({ tags: { step: "second" } });
  expect(sent("continued")).toMatchObject({
    tags: { step: "first" },
    contexts: { trace: { trace_id: traceId, parent_span_id: parentId } },
  });
  // The page load's.
  const { traceId: ofVisit } = Sentry.getActiveSpan()?.spanContext() ?? {};
  expect(sent("new")?.contexts.trace.trace_id).not.toBe(ofVisit);
});

test("a measurement from before the SDK is that of the span of its moment, or else the page load's", async () => {
  const own = { parentSpan: null, forceTransaction: true };
  Sentry.startSpan({ ...own, name: "active" }, () => Sentry.setMeasurement("a", 1, "none"));
  const given = Sentry.startInactiveSpan({ ...own, name: "given" });
  Sentry.setMeasurement("b", 2, "none", given);
  given.end();
  Sentry.setMeasurement("c", 3, "none");
  await start();
  // The page load.
  Sentry.getActiveSpan()?.end();
  const measured = () =>
    events.flatMap(({ transaction, measurements }) => {
      return measurements ? [[transaction, measurements]] : [];
    });
  await expect.poll(measured).toEqual(
    expect.arrayContaining([
      ["active", { a: { value: 1, unit: "none" } }],
      ["given", { b: { value: 2, unit: "none" } }],
      ["/server", expect.objectContaining({ c: { value: 3, unit: "none" } })],
    ]),
  );
});

test("a capture from before the SDK is in the trace that the app has begun, and what is no trace begins a new one", async () => {
  const sentryTrace = `${"a".repeat(32)}-${"b".repeat(16)}-1`;
  const capture = (message: string) => () => Sentry.captureMessage(message);
  Sentry.continueTrace({ sentryTrace, baggage: undefined }, capture("continued"));
  Sentry.continueTrace({ sentryTrace: "no-trace-at-all", baggage: undefined }, capture("odd"));
  Sentry.startNewTrace(capture("new"));
  Sentry.captureMessage("of the visit");
  Sentry.captureEvent({ message: "with a scope" }, { captureContext: new Sentry.Scope() });
  await start();
  const { traceId } = await import("@/packages/sentry/src/browser/first-load/without-sdk");
  const traceOf = (text: string) =>
    events.find(({ message }) => message === text)?.contexts.trace.trace_id;
  expect(traceOf("continued")).toBe("a".repeat(32));
  expect(traceOf("of the visit")).toBe(traceId);
  expect(traceOf("with a scope")).toBe(traceId);
  const traces = ["continued", "odd", "new", "of the visit"].map(traceOf);
  expect(traces.every((trace) => /^[0-9a-f]{32}$/.test(trace ?? ""))).toBe(true);
  expect(new Set(traces).size).toBe(4);
});

test("a page that makes spans for days keeps the first ones", async () => {
  for (let n = 0; n < 250; n++) Sentry.startSpan({ name: `span ${n}` }, () => undefined);
  await start();
  expect(ended).toHaveLength(200);
});

test("the active span is the innermost one, whichever side has opened it", async () => {
  let finish = () => {};
  const early = Sentry.startSpan(
    { name: "early" },
    () => new Promise<void>((resolve) => (finish = resolve)),
  );
  await start();
  Sentry.startSpan({ name: "late" }, (late) => {
    expect(Sentry.getActiveSpan()).toBe(late);
    Sentry.withActiveSpan(null, (scope) => {
      expect(Sentry.getActiveSpan()).toBeUndefined();
      expect(scope).toBe(Sentry.getCurrentScope());
    });
  });
  expect(Sentry.spanToJSON(Sentry.getActiveSpan() as never).name).toBe("early");
  finish();
  await early;
});

test("a profiled component's mount, updates and render are spans under Sentry's names", async () => {
  const Cart = Sentry.withProfiler(function Cart({ items }: { items: number }) {
    Sentry.useProfiler("Items");
    return <p>{items} lamps</p>;
  });
  const { container, rerender, unmount } = render(<Cart items={3} />);
  rerender(<Cart items={4} />);
  expect(container.innerHTML).toBe("<p>4 lamps</p>");
  unmount();
  await start();
  const spans = ended.filter(({ origin }) => origin === "auto.ui.react.profiler");
  expect(spans.map(({ op, description }) => `${op} ${description}`).sort()).toEqual([
    "ui.mount <Cart>",
    "ui.mount <Items>",
    "ui.render <Cart>",
    "ui.render <Items>",
    "ui.update <Cart>",
  ]);
  const update = spans.find(({ op }) => op === "ui.update");
  expect(update?.data).toMatchObject({ "ui.react.changed_props": ["items"] });
});
