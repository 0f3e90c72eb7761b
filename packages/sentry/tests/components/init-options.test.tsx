import { afterEach, expect, onTestFinished, test, vi } from "vitest";

// Its timer would outlive the test.
vi.mock("@/packages/sentry/src/browser/first-load/page-load", async (original) => ({
  ...(await original<object>()),
  whenSettled: () => {},
}));

vi.mock("next/router", () => ({ default: { events: { on: () => {} } } }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** What `init` writes to the console. */
async function toldBy(options: object): Promise<string[]> {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  const { init } = await import("@/packages/sentry/src/browser/first-load/init");
  init(options);
  const told = info.mock.calls.map(String);
  info.mockRestore();
  return told;
}

/** What is loaded never comes. */
function withoutSdk(): void {
  const sdk = "@/packages/sentry/src/browser/sdk/start";
  vi.doMock(sdk, () => new Promise<never>(() => {}));
  onTestFinished(() => void vi.doUnmock(sdk));
}

test("development says which options have no effect in the browser", async () => {
  vi.stubEnv("NODE_ENV", "development");
  const options = { dsn: "https://key@sentry.example.com/1", tunnel: "/x", tracesSampleRate: 1 };
  expect(await toldBy(options)).toEqual([
    expect.stringMatching(/^Sentry\.init: dsn has no effect .*SENTRY_DSN/),
    expect.stringMatching(/^Sentry\.init: tunnel has no effect .*tunnelRoute/),
  ]);
  vi.resetModules();
  expect(await toldBy({ sendDefaultPii: true })).toEqual([
    expect.stringMatching(/sendDefaultPii .*allowedNames/),
  ]);
});

test("production says nothing", async () => {
  vi.stubEnv("NODE_ENV", "production");
  expect(await toldBy({ dsn: "https://key@sentry.example.com/1" })).toEqual([]);
});

test("with enabled: false nothing is heard, and nothing sent", async () => {
  const listens = vi.spyOn(window, "addEventListener");
  const beacon = vi.fn(() => true);
  Object.assign(navigator, { sendBeacon: beacon });
  const { captureException, close, flush, getClient, isEnabled, isInitialized } = await import(
    "@/packages/sentry/src/browser/functions/calls"
  );
  expect([isInitialized(), isEnabled(), getClient()]).toEqual([false, false, undefined]);
  await toldBy({ enabled: false });
  expect([isInitialized(), isEnabled()]).toEqual([true, false]);
  expect(listens).not.toHaveBeenCalled();
  captureException(new Error("lost"));
  await flush(1);
  await close(1);
  expect(beacon).not.toHaveBeenCalled();
  expect(isEnabled()).toBe(false);
});

test("before init, neither flush nor close sends what was captured, or ends anything", async () => {
  // In a millisecond the SDK is there only by chance.
  withoutSdk();
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  const { captureMessage, close, flush, getCurrentScope, isEnabled } = await import(
    "@/packages/sentry/src/browser/functions/calls"
  );
  dispatchEvent(new Event("pagehide"));
  const beacon = vi.fn((_url: string, _body: string) => true);
  Object.assign(navigator, { sendBeacon: beacon });
  const id = captureMessage("before the visitor has agreed");
  const ends = [flush(1), getCurrentScope().getClient()?.flush(1), close(1)];
  expect(await Promise.all(ends)).toEqual([false, false, false]);
  expect(beacon).not.toHaveBeenCalled();
  await toldBy({});
  expect(isEnabled()).toBe(true);
  expect(await flush(1)).toBe(true);
  expect(beacon.mock.calls.map(([, body]) => body)).toEqual([expect.stringContaining(id)]);
});

test("what the page hands on of its trace has the decision by init's own rate", async () => {
  await toldBy({ tracesSampleRate: 1 });
  const { getTraceData } = await import("@/packages/sentry/src/browser/functions/names");
  const { startInactiveSpan } = await import("@/packages/sentry/src/browser/functions/spans");
  expect(getTraceData()["sentry-trace"]).toMatch(/^[\da-f]{32}-[\da-f]{16}-1$/);
  expect(startInactiveSpan({ name: "early" }).spanContext().traceFlags).toBe(1);
});

test("from init on there is a client, with the options that init was given", async () => {
  const { getClient, isEnabled } = await import("@/packages/sentry/src/browser/functions/calls");
  await toldBy({ release: "mine" });
  expect(isEnabled()).toBe(true);
  expect(getClient()?.getOptions().release).toBe("mine");
  expect(getClient()?.getIntegrationByName("Replay")).toBeUndefined();
  expect(() => getClient()?.on("beforeSendEvent", () => {})()).not.toThrow();
});

test("without Sentry's functions, too, what is called on the client that init gives waits for the SDK", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 0 }));
  const { init } = await import("@/packages/sentry/src/browser/first-load/init");
  const { queueError } = await import("@/packages/sentry/src/browser/first-load/error-queue");
  const client = init({ release: "mine" });
  expect(client?.getOptions().release).toBe("mine");
  expect(client?.getIntegrationByName("Mine")).toBeUndefined();
  client?.addIntegration({ name: "Mine" });
  const later = Array.from({ length: 150 }, () => (event: object) => event as never);
  for (const processor of later) client?.addEventProcessor(processor);
  expect(await client).toBe(client);
  // As the SDK answers: an app may go on with each of these.
  expect(await client.flush(1).then((isSent) => isSent)).toBe(false);
  expect(client.on("beforeSendEvent", () => {})()).toBeUndefined();
  queueError(new Error("brings the SDK"));
  const integration = () => client?.getIntegrationByName("Mine");
  await vi.waitFor(() => expect(integration()).toBeDefined(), 30_000);
  // Of what waits, the first hundred calls.
  const kept = later.map((processor) => client.getEventProcessors().includes(processor));
  expect([kept[0], kept[149]]).toEqual([true, false]);
  vi.unstubAllGlobals();
});

/** Without Sentry's functions. */
async function initAlone() {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  const queue = await import("@/packages/sentry/src/browser/first-load/error-queue");
  const { init } = await import("@/packages/sentry/src/browser/first-load/init");
  // Ends the visits of the tests before.
  dispatchEvent(new Event("pagehide"));
  const beacon = vi.fn((_url: string, _body: string) => true);
  Object.assign(navigator, { sendBeacon: beacon });
  return { ...queue, client: init(), bodies: () => beacon.mock.calls.map(([, body]) => body) };
}

test("an error given to the client that init gives has its id at once, and leaves without the SDK", async () => {
  withoutSdk();
  const { client, queue, queueError, bodies } = await initAlone();
  const error = new Error("by the client");
  const id = client.captureException(error, { mechanism: { type: "own", handled: true } });
  expect(id).toMatch(/^[\da-f]{32}$/);
  expect([client.captureException(error), queueError(error)]).toEqual([id, id]);
  expect(queue.map(({ reference }) => reference)).toEqual([id]);
  dispatchEvent(new Event("pagehide"));
  const [body] = bodies().filter((one) => one.includes('"thrown"'));
  for (const text of [id, "by the client", '"mechanism":{"type":"own","handled":true}'])
    expect(body).toContain(text);
});

test.each([
  ["without Sentry's functions", false],
  ["with them", true],
])(
  "a listener that is taken away hears nothing, before the SDK and after, %s",
  async (_, isFull) => {
    if (isFull) await import("@/packages/sentry/src/browser/functions/calls");
    vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 0 }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const { client } = await initAlone();
    const heard: string[] = [];
    const listen = (name: string) => client.on("flush", () => void heard.push(name));
    const { captureException, on } = client;
    listen("stays");
    listen("is gone before the SDK")();
    const later = listen("is gone with the SDK");
    const id = captureException(new Error("brings the SDK"));
    await vi.waitFor(() => expect(client.getIntegrationNames()).toBeDefined(), 30_000);
    on("flush", () => void heard.push("listens late, by a method from before"));
    client.emit("flush");
    expect(heard.splice(0)).toEqual([
      "stays",
      "is gone with the SDK",
      "listens late, by a method from before",
    ]);
    later();
    client.emit("flush");
    expect(heard).toEqual(["stays", "listens late, by a method from before"]);
    expect(id).toMatch(/^[\da-f]{32}$/);
  },
);

test("the first call counts, and development says so of another one", async () => {
  vi.stubEnv("NODE_ENV", "development");
  const listens = vi.spyOn(window, "addEventListener");
  expect(await toldBy({})).toEqual([]);
  const listeners = listens.mock.calls.length;
  expect(listeners).toBeGreaterThan(0);
  expect(await toldBy({ tunnel: "/x" })).toEqual([
    expect.stringContaining("only the first call on a page counts"),
  ]);
  expect(listens).toHaveBeenCalledTimes(listeners);
});

test("a page that is closed before the SDK comes stays closed, and a single integration is taken", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
  Object.assign(performance, { getEntriesByType: () => [] });
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 1 }));
  const { close, getClient, isEnabled } = await import(
    "@/packages/sentry/src/browser/functions/calls"
  );
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  // Ends the visits of the tests before.
  dispatchEvent(new Event("pagehide"));
  const beacon = vi.fn(() => true);
  Object.assign(navigator, { sendBeacon: beacon });
  await toldBy({ tracesSampleRate: 1 });
  await close(1);
  await start([], {});
  expect(isEnabled()).toBe(false);
  dispatchEvent(new Event("pagehide"));
  expect(beacon).not.toHaveBeenCalled();
  const { enter } = await import("@/packages/sentry/src/browser/first-load/error-queue");
  enter("loading", () => {});
  await start([], { integrations: (() => ({ name: "Single" })) as never });
  expect(getClient()?.getIntegrationByName("Single")).toBeDefined();
  vi.unstubAllGlobals();
});
