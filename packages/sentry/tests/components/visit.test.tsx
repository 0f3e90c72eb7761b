import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import type { ClientOptions } from "@/packages/sentry/src/browser/client-options";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { reporting } from "@/tests/support/tunnels";

const traceId = "a".repeat(32);
const spanId = "b".repeat(16);

/** What left the page by beacon. */
let sent: string[] = [];
/** What the browser has buffered, by type; a type that is lacking is one it doesn't know. */
let buffered: Record<string, object[]> = {};
let load: Record<string, number> = {};
/** Milliseconds since the page's load began. */
const now = 60_000;
/** Observers that the browser would call. */
let observing = 0;

beforeEach(() => {
  vi.resetModules();
  sent = [];
  load = { responseStart: 40, loadEventEnd: 300 };
  buffered = { "largest-contentful-paint": [], "layout-shift": [], event: [], "first-input": [] };
  Object.assign(window, { __NEXT_DATA__: { page: "/dynamic/[id]", buildId: "build-1" } });
  history.replaceState(null, "", "/dynamic/a?token=secret#x");
  document.head.innerHTML = "";
  vi.stubGlobal(
    "PerformanceObserver",
    class {
      static get supportedEntryTypes() {
        return Object.keys(buffered);
      }
      #type = "";
      observe({ type }: { type: string }) {
        this.#type = type;
        observing++;
      }
      disconnect() {
        observing--;
      }
      takeRecords() {
        return buffered[this.#type];
      }
    },
  );
  vi.spyOn(performance, "now").mockReturnValue(now);
  Object.assign(performance, {
    getEntriesByType: () => [load],
    getEntriesByName: (name: string) => (name in buffered ? buffered[name] : [{ startTime: 90 }]),
  });
  Object.assign(navigator, { sendBeacon: (_url: string, body: string) => sent.push(body) > 0 });
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
});
afterEach(() => {
  // Ends the visit, so that it isn't measured in the next test.
  dispatchEvent(new Event("pagehide"));
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  localStorage.clear();
});

function addTrace(flag: string): void {
  const content = [traceId, spanId, flag].filter(Boolean).join("-");
  document.head.append(
    Object.assign(document.createElement("meta"), { name: "sentry-trace", content }),
  );
}

async function startVisit(options: ClientOptions = {}) {
  const visit = await import("@/packages/sentry/src/browser/first-load/visit");
  visit.measureVisit(options);
  return visit;
}

/** Ends the visit, and reads what the tunnel makes of what was sent of it. */
function leave() {
  dispatchEvent(new Event("pagehide"));
  const [envelope = ""] = sent;
  if (envelope === "") return undefined;
  const read = readEnvelope(Buffer.from(envelope));
  if ("fault" in read) throw new Error(read.detail);
  const completed = completeEnvelope(read, { ...reporting, browserTracesSampleRate: 1 });
  if (typeof completed !== "object") throw new Error(`Expected an envelope, got ${completed}`);
  const { trace } = completed.header as { trace: Record<string, unknown> };
  return { header: read.header, trace, event: JSON.parse(String(completed.items[0]?.payload)) };
}

const measurements = () => leave()?.event.measurements;

test("no observer of the vitals outlives their reading", async () => {
  await startVisit();
  expect(measurements()).toHaveProperty("cls");
  expect(observing).toBe(0);
});

test("a visit is a transaction of its route, in the trace of the server's request", async () => {
  addTrace("1");
  await startVisit();
  history.replaceState(null, "", "/elsewhere");
  const left = leave();
  expect(left?.header).toEqual({
    event_id: left?.event.event_id,
    sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    minimal: "build-1",
    sampled: true,
  });
  expect(left?.event).toMatchObject({
    type: "transaction",
    transaction: "/dynamic/[id]",
    transaction_info: { source: "route" },
    request: { url: "http://localhost:3000/dynamic/a" },
    contexts: { trace: { trace_id: traceId, parent_span_id: spanId, op: "pageload" } },
  });
  const { start_timestamp, timestamp } = left?.event ?? {};
  expect(timestamp - start_timestamp).toBeCloseTo(0.3, 3);
});

test.each([
  ["has no trace of the server's", () => {}],
  ["continues a trace that the server has not decided on", () => addTrace("")],
])(
  "a visit that the app's own rate has sampled tells that rate, where its page %s",
  async (_, prepare) => {
    prepare();
    await startVisit({ tracesSampleRate: 1 });
    expect(leave()?.trace.sample_rate).toBe("1");
  },
);

test("a visit that the server has sampled tells the server's rate, whatever that of the app is", async () => {
  addTrace("1");
  await startVisit({ tracesSampleRate: 1 });
  expect(leave()?.trace.sample_rate).toBe(String(reporting.serverTracesSampleRate));
});

test("a page without a decision leaves it to the tunnel", async () => {
  addTrace("");
  await startVisit();
  const left = leave();
  expect(left?.header).not.toHaveProperty("sampled");
  expect(left?.event.contexts.trace).toMatchObject({ trace_id: traceId, parent_span_id: spanId });
});

test("a page without a trace begins one", async () => {
  await startVisit();
  const { trace } = leave()?.event.contexts ?? {};
  expect(trace.trace_id).toMatch(/^[0-9a-f]{32}$/);
  expect(trace).not.toHaveProperty("parent_span_id");
});

test("the load of an error page tells its status, by which the tunnel names the route that failed", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/_error", buildId: "build-1" } });
  load.responseStatus = 500;
  await startVisit();
  expect(leave()?.event).toMatchObject({
    contexts: {
      trace: { status: "internal_error", data: { "http.response.status_code": 500 } },
    },
  });
});

describe("what a page asks before the SDK is there", () => {
  const data = "/_next/data/build-1/en/static.json";

  /** What the server gets, by the headers of the trace. */
  async function asked(
    url: string,
    {
      targets,
      options,
      ...init
    }: RequestInit & { targets?: (string | RegExp)[]; options?: ClientOptions } = {},
  ) {
    const requests: Request[] = [];
    vi.stubGlobal("fetch", async (...args: Parameters<typeof fetch>) => {
      requests.push(new Request(...args));
      return new Response();
    });
    const { traceHeadersFor } = await startVisit(options);
    const { watchRequests } = await import("@/packages/sentry/src/browser/first-load/requests");
    watchRequests(traceHeadersFor(targets));
    await window.fetch(url, init);
    const [{ headers, method, ...request } = new Request("/")] = requests;
    const [trace, baggage] = ["sentry-trace", "baggage"].map((name) => headers.get(name));
    return { trace, baggage, method, url: request.url };
  }

  const addBaggage = (content: string) =>
    document.head.append(
      Object.assign(document.createElement("meta"), { name: "baggage", content }),
    );

  const absolute = (path: string) => location.origin + path;

  test("as page data carries the trace of the server's request, with its baggage", async () => {
    addTrace("1");
    const content = `sentry-trace_id=${traceId},sentry-sample_rate=0.1`;
    addBaggage(content);
    expect(await asked(absolute(data), { method: "POST", body: "x" })).toMatchObject({
      trace: `${traceId}-${spanId}-1`,
      baggage: content,
      method: "POST",
    });
  });

  test("has no empty baggage", async () => {
    addTrace("0");
    expect(await asked(absolute(data))).toMatchObject({
      trace: `${traceId}-${spanId}-0`,
      baggage: null,
    });
  });

  test("says nothing of a decision that nobody has made, in the trace of the page's own error", async () => {
    const { trace } = await asked(absolute("/api/order"));
    const [, begun] = /^([\da-f]{32})-[\da-f]{16}$/.exec(trace ?? "") ?? [];
    expect(leave()?.event.contexts.trace.trace_id).toBe(begun);
    sent = [];
    addTrace("");
    vi.resetModules();
    expect((await asked(absolute("/api/order"))).trace).toMatch(
      new RegExp(`^${traceId}-[\\da-f]{16}$`),
    );
  });

  test.each([
    [1, "", "1"],
    [0, "", "0"],
    [1, undefined, "1"],
    [0, "1", "1"],
  ])(
    "by the app's own rate of %d, where the server says %j, carries the decision %s",
    async (tracesSampleRate, ofServer, decision) => {
      if (ofServer !== undefined) addTrace(ofServer);
      const { trace } = await asked(absolute("/api/order"), { options: { tracesSampleRate } });
      expect(trace).toMatch(new RegExp(`^[\\da-f]{32}-[\\da-f]{16}-${decision}$`));
    },
  );

  test.each([
    [undefined, "/api/order", true],
    [undefined, "http://api.example/api/order", false],
    [["/api/"], "/api/order", true],
    [[/^\/api\//], "/api/order", true],
    [[/^\/api\//], data, false],
    [[], data, false],
    [["api.example"], "http://api.example/x", true],
    [[/^\/x/], "http://api.example/x", false],
  ])("with tracePropagationTargets %j, as %s carries it: %s", async (targets, url, carried) => {
    addTrace("1");
    const { trace } = await asked(new URL(url, location.href).href, { targets });
    expect(trace !== null).toBe(carried);
  });

  test("with a baggage of its own keeps it beside", async () => {
    addTrace("1");
    addBaggage("sentry-a=b");
    const headers = { baggage: "own=1" };
    expect((await asked(absolute(data), { headers })).baggage).toBe("own=1,sentry-a=b");
  });

  test("with a trace of its own keeps it", async () => {
    addTrace("1");
    const { trace } = await asked(absolute(data), { headers: { "sentry-trace": "own" } });
    expect(trace).toBe("own");
  });
});

test("a visit that the server does not sample is not measured", async () => {
  addTrace("0");
  const { isVisitSampled } = await startVisit();
  expect(leave()).toBeUndefined();
  expect(Boolean(await isVisitSampled())).toBe(false);
});

test.each([
  [1, true],
  [0, false],
])("by a sample rate of %d in the settings, a visit is sampled: %s", async (rate, expected) => {
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: rate }));
  const { isVisitSampled } = await startVisit();
  expect(Boolean(await isVisitSampled())).toBe(expected);
  expect(leave()?.header).toEqual(
    expected ? expect.objectContaining({ sampled: rate }) : undefined,
  );
});

test("page and SDK ask for the settings under one address, so that the browser's cache answers one of them", async () => {
  const asked = vi.fn(async (_url: string) => Response.json({ tracesSampleRate: 0 }));
  vi.stubGlobal("fetch", asked);
  const { isVisitSampled } = await startVisit();
  const { fetchSettings } = await import("@/packages/sentry/src/browser/sdk/settings");
  expect(Boolean(await isVisitSampled())).toBe(false);
  await fetchSettings();
  const [page, sdk] = asked.mock.calls.map(([url]) => url);
  expect(page).toBe("/api/relay/settings?build=build-1");
  expect(sdk).toBe(page);
});

test.each<[string, () => Response]>([
  ["can't be had", () => Response.error()],
  ["are refused", () => Response.json({ tracesSampleRate: 1 }, { status: 503 })],
  ["are of another kind", () => Response.json({ tracesSampleRate: "all" })],
  ["are JSON of something else's", () => Response.json({ error: "not_found" })],
])("a visit whose settings %s is left to the tunnel", async (_, answer) => {
  vi.stubGlobal("fetch", async () => answer());
  const { isVisitSampled } = await startVisit();
  expect(Boolean(await isVisitSampled())).toBe(false);
  expect(leave()?.header).not.toHaveProperty("sampled");
});

test("a visit whose settings nobody answers for is left to the tunnel", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  const { isVisitSampled } = await startVisit();
  await expect(isVisitSampled()).rejects.toThrow();
  expect(leave()?.header).not.toHaveProperty("sampled");
});

test.each([
  ["has none", () => Response.json({ error: "not_found" }, { status: 404 })],
  ["answers with a page", () => new Response("<p>hello</p>")],
  [
    "answers with JSON of another kind",
    () => Response.json({ release: 1, tracesSampleRate: "all" }),
  ],
  ["answers with no object", () => Response.json(null)],
])(
  "where the address of the settings %s, as on a server of another version, those of the build count",
  async (_what, answer) => {
    const asked = vi.fn(async (_url: string) => answer());
    vi.stubGlobal("fetch", asked);
    Object.assign(window, { __NEXT_DATA__: { page: "/static", buildId: "b" } });
    sessionStorage.clear();
    vi.resetModules();
    const { fetchSettings } = await import("@/packages/sentry/src/browser/sdk/settings");
    expect(await fetchSettings()).toEqual({
      release: "b",
      environment: "production",
      tracesSampleRate: 0.1,
    });
    expect(asked.mock.calls[0]?.[0]).toBe("/api/relay/settings?build=b");
  },
);

test("a page that was hidden before it knew its rate decides as the tunnel has", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ tracesSampleRate: 0.5 }));
  for (const [random, expected] of [
    [0x7, true],
    [0x8, false],
  ] as const) {
    vi.resetModules();
    sent = [];
    vi.spyOn(crypto, "getRandomValues").mockImplementation((digits) =>
      (digits as Uint8Array).fill(random),
    );
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { isVisitSampled } = await startVisit();
    dispatchEvent(new Event("pagehide"));
    const envelope = readEnvelope(Buffer.from(sent[0] ?? ""));
    if ("fault" in envelope) throw new Error(envelope.detail);
    const rates = { ...reporting, browserTracesSampleRate: 0.5 };
    expect(completeEnvelope(envelope, rates) !== "unwanted").toBe(expected);
    expect(Boolean(await isVisitSampled())).toBe(expected);
  }
});

test("a page load is measured once, by whoever comes first", async () => {
  const { takePageLoad } = await startVisit();
  expect(takePageLoad()).toBe(true);
  expect(takePageLoad()).toBe(false);
  expect(leave()).toBeUndefined();
});

test("what is sent once is not sent again, however often the page is hidden", async () => {
  const { takePageLoad } = await startVisit();
  for (let n = 0; n < 3; n++) dispatchEvent(new Event("pagehide"));
  expect(sent).toHaveLength(1);
  expect(takePageLoad()).toBe(false);
});

describe("where a browser takes no beacon", () => {
  const posted: string[] = [];

  beforeEach(() => {
    posted.length = 0;
    vi.stubGlobal("fetch", async (_url: string, { body, keepalive }: RequestInit) => {
      if (keepalive) posted.push(String(body));
      throw new TypeError("Failed to fetch");
    });
  });

  const offline = () => vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const beacon = (sendBeacon: unknown) => () => Object.assign(navigator, { sendBeacon });

  describe.each([
    ["as it says that it is offline", offline],
    ["as it has none", beacon(undefined)],
    ["as it refuses", beacon(() => false)],
    [
      "as it throws",
      beacon(() => {
        throw new TypeError("blocked");
      }),
    ],
  ])("%s", (_, prepare) => {
    test("a sampled visit is stored for a later page", async () => {
      addTrace("1");
      prepare();
      await startVisit();
      dispatchEvent(new Event("pagehide"));
      const [stored] = Object.values(localStorage);
      expect(stored).toContain('"minimal":"build-1"');
      expect([sent, posted]).toEqual([[], []]);
    });

    test("one that nobody has decided on is posted, and never stored: a later page would load the SDK for it", async () => {
      prepare();
      await startVisit();
      const unhandled = vi.fn();
      process.on("unhandledRejection", unhandled);
      dispatchEvent(new Event("pagehide"));
      expect(posted).toEqual([expect.stringContaining('"minimal":"build-1"')]);
      await new Promise((resolve) => setTimeout(resolve));
      expect(Object.values(localStorage)).toEqual([]);
      expect(unhandled).not.toHaveBeenCalled();
      process.off("unhandledRejection", unhandled);
    });
  });
});

test("the last of the largest paints counts, and the longest event of an interaction", async () => {
  buffered["largest-contentful-paint"] = [{ startTime: 100 }, { startTime: 250 }];
  buffered.event = [
    { interactionId: 0, duration: 900 },
    { interactionId: 7, duration: 120 },
    { interactionId: 7, duration: 160 },
  ];
  buffered["first-input"] = [{ interactionId: 7, duration: 16 }];
  await startVisit();
  expect(measurements()).toEqual({
    ttfb: { value: 40, unit: "millisecond" },
    fcp: { value: 90, unit: "millisecond" },
    lcp: { value: 250, unit: "millisecond" },
    inp: { value: 160, unit: "millisecond" },
    cls: { value: 0, unit: "" },
  });
});

test("of fifty interactions the longest is left out", async () => {
  buffered.event = [500, 300, 200].map((duration, i) => ({ interactionId: i + 1, duration }));
  vi.stubGlobal("performance", Object.assign(performance, { interactionCount: 50 }));
  await startVisit();
  expect(measurements().inp.value).toBe(300);
  Object.assign(performance, { interactionCount: undefined });
});

test("shifts add up within a second from one to the next, and five in all", async () => {
  const shift = (startTime: number, value: number, hadRecentInput = false) => ({
    startTime,
    value,
    hadRecentInput,
  });
  buffered["layout-shift"] = [
    shift(100, 0.1),
    shift(1050, 0.1),
    shift(1500, 9, true),
    // More than a second later: another window.
    shift(3000, 0.05),
    ...[3900, 4800, 5700, 6600, 7500].map((at) => shift(at, 0.05)),
    // More than five seconds after the window began.
    shift(8100, 0.25),
  ];
  await startVisit();
  expect(measurements().cls.value).toBeCloseTo(0.3);
});

test("what an engine doesn't measure is left out", async () => {
  buffered = { "first-contentful-paint": [] };
  load = { responseStart: -3, loadEventEnd: 0 };
  await startVisit();
  expect(measurements()).toEqual({});
});

test("without an entry of its load, or with nonsense in it, a visit is measured by what there is", async () => {
  const faults = vi.fn();
  addEventListener("error", faults);
  const paints = { fcp: { value: 90 } };
  Object.assign(performance, { getEntriesByType: () => [] });
  await startVisit();
  const left = leave();
  expect(left?.event.measurements).toMatchObject(paints);
  expect(left?.event.measurements).not.toHaveProperty("ttfb");
  expect(left?.event.timestamp).toBe((performance.timeOrigin + now) / 1000);

  vi.resetModules();
  sent = [];
  load = { responseStart: 400_000_000, loadEventEnd: 400_000_100 };
  Object.assign(performance, { getEntriesByType: () => [load] });
  await startVisit();
  const next = leave();
  expect(next?.event.measurements).toMatchObject(paints);
  expect(next?.event.measurements).not.toHaveProperty("ttfb");
  expect(next?.event.timestamp).toBe((performance.timeOrigin + now) / 1000);
  expect(faults).not.toHaveBeenCalled();
  removeEventListener("error", faults);
});

test.each<[string, unknown]>([
  ["has no observers", undefined],
  ["has observers of an older kind", class {}],
  [
    "throws for each",
    class {
      static supportedEntryTypes = ["layout-shift", "event"];
      observe() {
        throw new TypeError("not supported");
      }
    },
  ],
])("a browser that %s has its visits measured by what there is", async (_, observer) => {
  vi.stubGlobal("PerformanceObserver", observer);
  await startVisit();
  expect(measurements()).toEqual({
    ttfb: { value: 40, unit: "millisecond" },
    fcp: { value: 90, unit: "millisecond" },
  });
});

test("a page that began in the background has no times of painting, although it is shown by now", async () => {
  buffered["largest-contentful-paint"] = [{ startTime: 9000 }];
  const states = [
    { name: "hidden", startTime: 0 },
    { name: "visible", startTime: 80 },
  ];
  Object.assign(performance, {
    getEntriesByType: (type: string) => (type === "visibility-state" ? states : [load]),
  });
  await startVisit();
  expect(Object.keys(measurements())).toEqual(["ttfb", "cls"]);
});

test("a page that was loaded in the background has no times of painting", async () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  buffered["largest-contentful-paint"] = [{ startTime: 9000 }];
  await startVisit();
  hidden.mockReturnValue(false);
  expect(Object.keys(measurements())).toEqual(["ttfb", "cls"]);
});

test("the times of a page that was rendered ahead count from when it was shown", async () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  Object.assign(document, { prerendering: true });
  load.activationStart = 2000;
  buffered["largest-contentful-paint"] = [{ startTime: 2050 }];
  await startVisit();
  expect(leave(), "of a page that nobody has seen").toBeUndefined();
  hidden.mockReturnValue(false);
  Object.assign(document, { prerendering: false });
  document.dispatchEvent(new Event("prerenderingchange"));
  expect(measurements()).toMatchObject({ lcp: { value: 50 } });
  expect(sent[0]).not.toContain("ttfb");
});

test("an interaction that the SDK has sent is not sent again, but a longer one is", async () => {
  await startVisit();
  const { takeInteraction } = await import("@/packages/sentry/src/browser/first-load/vitals");
  expect([takeInteraction(200), takeInteraction(200), takeInteraction(120)]).toEqual([
    true,
    false,
    false,
  ]);
  buffered.event = [{ interactionId: 1, duration: 200 }];
  expect(measurements()).not.toHaveProperty("inp");

  vi.resetModules();
  sent = [];
  await startVisit();
  (await import("@/packages/sentry/src/browser/first-load/vitals")).takeInteraction(200);
  buffered.event.push({ interactionId: 2, duration: 304 });
  expect(measurements().inp).toEqual({ value: 304, unit: "millisecond" });
});

test.each([
  ["without a tracesSampler", {}, 1],
  ["with a tracesSampler, which only the SDK can ask", { tracesSampler: () => 1 }, 0],
])("%s, a visit that ends before the SDK sends %i transactions", async (_, options, count) => {
  addTrace("1");
  const { init } = await import("@/packages/sentry/src/browser/first-load/init");
  init(options);
  dispatchEvent(new Event("pagehide"));
  expect(sent.filter((envelope) => envelope.includes('"type":"transaction"'))).toHaveLength(count);
});
