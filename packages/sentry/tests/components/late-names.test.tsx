import * as sdk from "@sentry/browser";
import { expect, test, vi } from "vitest";

/** What the app gives to its integrations, which some of them need. */
const given = { supabaseClient: {}, worker: [], filterKeys: [], routingInstrumentation: {} };
const isFactory = (name: string) =>
  /Integration$/.test(name) && !/^(add|lazyLoad)|router/i.test(name);
const factories = Object.keys(sdk).filter(isFactory);
const names = (half: object) =>
  factories.map((factory) => [factory, Reflect.get(half, factory)(given).name]);

Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
Object.assign(performance, { getEntriesByType: () => [], getEntriesByName: () => [] });
const settings = { release: "1", environment: "test", tracesSampleRate: 1 };
vi.stubGlobal("fetch", async () => Response.json(settings));
const Sentry = await import("@/packages/sentry/src/index.browser");

const button = document.createElement("button");
const listens = vi.spyOn(button, "addEventListener");
const stops = vi.spyOn(button, "removeEventListener");

class OwnClient extends Sentry.BrowserClient {
  shout() {
    return `${this.constructor.name}!`;
  }
}
const clientOptions = {
  stackParser: () => [],
  integrations: [],
  transport: Sentry.makeFetchTransport,
} as never;

/** What the page makes before the SDK is there. */
const early = {
  client: new OwnClient(clientOptions),
  hook: new Sentry.OpenFeatureIntegrationHook(),
  integration: Sentry.featureFlagsIntegration(),
  transport: Sentry.makeMultiplexedTransport(Sentry.makeFetchTransport, () => [])({}),
  flags: Sentry.buildLaunchDarklyFlagUsedHandler(),
  defaults: Sentry.getDefaultIntegrations({}),
  feedback: Sentry.feedbackIntegration({ autoInject: false }),
};

// Once, in this order: the SDK comes only once.
test("before the SDK, each name gives what can be used, and hands a callback its arguments", async () => {
  const trace = Sentry.getTraceData();
  expect(trace["sentry-trace"]).toMatch(/^[0-9a-f]{32}-[0-9a-f]{16}/);
  expect({ ...trace }).not.toHaveProperty("baggage");
  Sentry.startSpan({ name: "early" }, (span) => {
    expect(Sentry.spanToJSON(span)).toMatchObject({ name: "early", attributes: {} });
    expect(Sentry.getTraceData()["sentry-trace"]).toContain(span.spanContext().spanId);
    expect(Sentry.getSpanDescendants(span).length).toBe(0);
    expect(Sentry.getRootSpan(span)).toBe(span);
    expect(Sentry.getRootSpan(Sentry.startInactiveSpan({ name: "inner" }))).toBe(span);
    Sentry.withActiveSpan(null, (scope) => scope.setTag("in a scope", "yes"));
  });
  const active = Sentry.startInactiveSpan({ name: "active" });
  Sentry.setActiveSpanInBrowser(active);
  expect(Sentry.getActiveSpan()).toBe(active);
  active.end();
  expect([Sentry.getActiveSpan(), active.isRecording()]).toEqual([undefined, false]);
  const sentryTrace = `${"a".repeat(32)}-${"b".repeat(16)}-1`;
  const [trace1, trace2] = [
    Sentry.continueTrace({ sentryTrace, baggage: undefined }, () => traceId()),
    Sentry.startNewTrace(() => traceId()),
  ];
  expect([trace1, trace2]).toEqual(["a".repeat(32), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(new Set([trace1, trace2, traceId()]).size).toBe(3);
  expect(Sentry.suppressTracing(() => "ran")).toBe("ran");
  expect(Sentry.onLoad(() => "ran")).toBe("ran");
  expect(Sentry.defaultStackParser("Error: x")).toEqual([]);
  expect(Sentry.getSpanStatusFromHttpCode(404)).toEqual({ code: 2, message: "not_found" });
  expect(Sentry.startSession({}).status).toBe("ok");
  expect(Sentry.isBotUserAgent("Mozilla/5.0")).toBe(false);
  expect(Sentry.spanToBaggageHeader(Sentry.startInactiveSpan({ name: "x" }))).toBeUndefined();
  expect(Sentry.createConsolaReporter().log({})).toBeInstanceOf(Promise);
  expect(Sentry.withStaticSpan((span) => span)).toBeTypeOf("function");
  expect(early.flags).toMatchObject({ name: "sentry-flag-auditor", type: "flag-used" });
  Sentry.withScope((scope) => {
    early.flags.method("beta", { value: true });
    early.hook.after({}, { flagKey: "open", value: false });
    early.integration.addFeatureFlag("own", true);
    const flags = scope.getScopeData().contexts.flags?.values as { flag: string }[];
    expect(flags.map(({ flag }) => flag)).toEqual(["beta", "open", "own"]);
  });
  expect(await Promise.race([early.transport, "no promise"])).toBe(early.transport);
  // As an effect of React's has it, whose end comes before the SDK.
  const undo = early.feedback.attachTo(button);
  expect([undo, undo()]).toEqual([expect.any(Function), expect.any(Promise)]);
  early.feedback.createWidget().removeFromDom();
  expect([early.client.shout(), early.client instanceof OwnClient]).toEqual(["OwnClient!", true]);
  expect(Sentry.getClient()).toBeUndefined();
});

test("an integration has the name of Sentry's own before that is there", () => {
  const own = Object.fromEntries(names(Sentry));
  expect(own).toEqual(Object.fromEntries(names(sdk)));
  expect(early.defaults.map(({ name }: { name: string }) => name)).toEqual(
    sdk.getDefaultIntegrations({}).map(({ name }) => name),
  );
});

test("once the SDK is there, each name gives what the SDK gives, and what was made before is its own", async () => {
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  await start([], { integrations: [early.integration, early.feedback] });
  const flags = Sentry.getClient()?.getIntegrationByName("FeatureFlags");
  expect([Sentry.resolveCurrentRoute(), Sentry.resolveRoute("/none")]).toEqual([
    "/server",
    undefined,
  ]);
  expect([flags, flags?.processEvent]).toEqual([early.integration, expect.any(Function)]);
  await vi.waitFor(() => expect(stops).toHaveBeenCalledOnce());
  expect(listens).toHaveBeenCalledOnce();
  expect(
    document.querySelector("#sentry-feedback")?.shadowRoot?.querySelector("button"),
  ).toBeNull();
  expect(early.hook).toBeInstanceOf(sdk.OpenFeatureIntegrationHook);
  expect(new Sentry.OpenFeatureIntegrationHook()).toBeInstanceOf(sdk.OpenFeatureIntegrationHook);
  expect(early.hook).toBeInstanceOf(Sentry.OpenFeatureIntegrationHook);
  for (const client of [early.client, new OwnClient(clientOptions)]) {
    expect(client).toBeInstanceOf(sdk.BrowserClient);
    expect([client.shout(), client.getOptions().integrations]).toEqual(["OwnClient!", []]);
  }
  expect(early.transport.send).toBeTypeOf("function");
  expect(early.defaults[0].processEvent).toBeTypeOf("function");
  Sentry.withIsolationScope(() => {
    early.hook.after({}, { flagKey: "beta", value: true });
    const { contexts } = Sentry.getCurrentScope().getScopeData();
    expect(contexts.flags?.values).toContainEqual({ flag: "beta", result: true });
  });
  sdk.startSpan({ name: "late", op: "mine" }, (span) => {
    const told = ({
      spanToJSON,
      spanToTraceHeader,
      spanToBaggageHeader,
    }: Pick<typeof sdk, "spanToJSON" | "spanToTraceHeader" | "spanToBaggageHeader">) => [
      spanToJSON(span),
      spanToTraceHeader(span),
      spanToBaggageHeader(span),
    ];
    expect(told(Sentry)).toEqual(told(sdk));
    expect(Sentry.getSpanDescendants(span)).toEqual([span]);
    expect(Sentry.getTraceData()).toEqual(sdk.getTraceData());
    Sentry.setHttpStatus(span, 404);
    expect(sdk.spanToStaticSpanJSON(span).status).toBe("not_found");
  });
  const { stack = "" } = new Error("x");
  expect(Sentry.defaultStackParser(stack)).toEqual(sdk.defaultStackParser(stack));
  expect(Sentry.defaultStackParser(stack)).not.toEqual([]);
  expect(Sentry.makeFetchTransport).not.toBe(sdk.makeFetchTransport);
  expect(() => Sentry.spanToJSON(undefined as never)).toThrow(TypeError);
  expect(Sentry.dedupeIntegration()).toEqual({
    ...sdk.dedupeIntegration(),
    processEvent: expect.any(Function),
  });
  const nothing = () => Promise.resolve({});
  expect(Object.keys(Sentry.createTransport({ recordDroppedEvent() {} }, nothing))).toEqual([
    "send",
    "flush",
  ]);
  expect([Sentry.isInitialized(), Sentry.isEnabled()]).toEqual([true, true]);
  await Sentry.close(1);
  expect([Sentry.isInitialized(), Sentry.isEnabled()]).toEqual([true, false]);
  vi.unstubAllGlobals();
});

function traceId(): string {
  return Sentry.getCurrentScope().getPropagationContext().traceId;
}
