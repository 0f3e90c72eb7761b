import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  getActiveSpan,
  getClient,
  getCurrentScope,
  init,
  withIsolationScope,
} from "@sentry/nextjs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { TraceMeta } from "@/packages/sentry/src/server/reporting-state";
import { RequestTraces } from "@/packages/sentry/src/server/request-traces";

const traceId = "0123456789abcdef0123456789abcdef";
const parentSpanId = "0123456789abcdef";
const rate = 0.25;

beforeAll(() => {
  init({
    dsn: "http://key@localhost/0",
    release: "a b,c",
    environment: "x",
    enableOpenTelemetrySetup: false,
    defaultIntegrations: false,
    tracesSampleRate: rate,
  });
});

afterAll(async () => {
  await getClient()?.close();
});

function metaOf(traces: RequestTraces, headers: NodeJS.Dict<string | string[]>): TraceMeta {
  const request = { headers, url: "/", method: "GET" } as IncomingMessage;
  const response = new EventEmitter() as ServerResponse;
  let meta: TraceMeta | undefined;
  withIsolationScope(() =>
    traces.serve(request, response, () => {
      meta = traces.meta();
    }),
  );
  if (!meta) throw new Error("Expected a trace.");
  return meta;
}

/** What a page is given for a request that was not sampled, as its headers. */
function handedOn(headers: NodeJS.Dict<string | string[]>, tracesSampleRate = rate) {
  const meta = metaOf(new RequestTraces({ tracesSampleRate, isExcluded: () => true }), headers);
  const entries = meta.baggage?.split(",").map((entry) => entry.split("=").map(decodeURIComponent));
  return { ...meta, dsc: Object.fromEntries(entries ?? []) as Record<string, string> };
}

describe("a request that comes with a trace", () => {
  test.each(["-1", "-0", ""])("goes on with it, whether it says %j or not", (suffix) => {
    const { sentryTrace } = handedOn({ "sentry-trace": `${traceId}-${parentSpanId}${suffix}` });
    const [id, span, sampled] = sentryTrace.split("-");
    expect(id).toBe(traceId);
    expect(span).toMatch(/^[\da-f]{16}$/);
    expect(span).not.toBe(parentSpanId);
    expect(sampled).toBe("0");
  });

  const own = {
    "sentry-trace_id": traceId,
    "sentry-public_key": "key",
    "sentry-release": "a b,c",
    "sentry-environment": "x",
  };

  test("hands on how it was sampled, and what is the server's own", () => {
    const { dsc } = handedOn({
      "sentry-trace": `${traceId}-${parentSpanId}`,
      baggage: `other=1, sentry-sample_rand=0.25,sentry-sample_rate=5e-7,sentry-sampled=true,sentry-replay_id=${traceId},sentry-x=%E0%A4%A,bad`,
    });
    const sampling = { "sentry-sample_rand": "0.25", "sentry-sample_rate": "5e-7" };
    const rest = { "sentry-sampled": "true", "sentry-replay_id": traceId };
    expect(dsc).toEqual({ ...own, ...sampling, ...rest });
  });

  test("hands on nothing that any client may write, and no value that can't be", () => {
    const { dsc } = handedOn({
      "sentry-trace": `${traceId}-${parentSpanId}`,
      baggage:
        "sentry-user_id=x,sentry-user_segment=x,sentry-transaction=x,sentry-org_id=1,sentry-note=x,sentry-release=theirs,sentry-environment=theirs,sentry-public_key=theirs,sentry-trace_id=theirs,sentry-sampled=yes,sentry-sample_rate=2,sentry-replay_id=x",
    });
    expect(dsc).toEqual({ ...own, "sentry-sample_rand": expect.any(String) });
  });

  test("has no baggage if it came without", () => {
    const { baggage } = handedOn({ "sentry-trace": `${traceId}-${parentSpanId}` });
    expect(baggage).toBeUndefined();
  });

  test("says what is known of it, if a static page has begun it and knows nothing", () => {
    const { sentryTrace, dsc } = handedOn({ "sentry-trace": traceId });
    expect(sentryTrace).toMatch(`${traceId}-`);
    expect(dsc).toMatchObject({ "sentry-trace_id": traceId, "sentry-release": "a b,c" });
  });

  test.each(["2", "-1", "NaN", "secret"])("has a usable random number for %j", (random) => {
    const { dsc } = handedOn({
      "sentry-trace": `${traceId}-${parentSpanId}`,
      baggage: `sentry-sample_rand=${random}`,
    });
    const sampleRand = Number(dsc["sentry-sample_rand"]);
    expect(sampleRand).toBeGreaterThanOrEqual(0);
    expect(sampleRand).toBeLessThan(1);
  });

  test.each([
    ["1", 0, 0.5],
    ["0", 0.5, 1],
  ])("derives a missing random number from decision %s and rate", (sampled, min, max) => {
    const { dsc } = handedOn({
      "sentry-trace": `${traceId}-${parentSpanId}-${sampled}`,
      baggage: "sentry-sample_rate=0.5",
    });
    const sampleRand = Number(dsc["sentry-sample_rand"]);
    expect(sampleRand).toBeGreaterThanOrEqual(min);
    expect(sampleRand).toBeLessThanOrEqual(max);
  });

  test.each([
    undefined,
    "",
    "nonsense",
    `${traceId}-${parentSpanId}-2`,
    `${traceId.toUpperCase()}-${parentSpanId}`,
    `${traceId}-${parentSpanId}-1"><script>`,
    [`${traceId}-${parentSpanId}`],
  ])("begins a new one if it is %j", (header) => {
    const { sentryTrace } = handedOn({ "sentry-trace": header });
    expect(sentryTrace).toMatch(/^[\da-f]{32}-[\da-f]{16}-0$/);
    expect(sentryTrace).not.toContain(traceId);
  });
});

test.each([
  ["3fffffff", "1"],
  ["40000000", "0"],
])(
  "one that nobody has decided on is sampled by its trace's number, as its page: …%s, %s",
  (end, sampled) => {
    const traces = new RequestTraces({ tracesSampleRate: rate, isExcluded: () => false });
    const headers = { "sentry-trace": `${traceId.slice(8)}${end}-${parentSpanId}` };
    expect(metaOf(traces, headers).sentryTrace.split("-")[2]).toBe(sampled);
  },
);

describe.each([false, true])(
  "where more come than clients may decide on, sampler: %s",
  (hasSampler) => {
    const count = 4000;

    /** How many are sampled of traces with these numbers, 0 to 1, by a clock that stands still. */
    function sampledOf(numberOf: (random: () => number) => number): number {
      vi.useFakeTimers({ toFake: ["performance"] });
      let seed = 1;
      const random = () => {
        seed = (48_271 * seed) % 2_147_483_647;
        return seed / 2_147_483_647;
      };
      const drawing = vi.spyOn(Math, "random").mockImplementation(random);
      onTestFinished(() => {
        drawing.mockRestore();
        vi.useRealTimers();
      });
      const traces = new RequestTraces({
        tracesSampleRate: rate,
        hasSampler,
        isExcluded: () => false,
      });
      const headers = Array.from({ length: count }, () => {
        const digits = Math.floor(numberOf(random) * 2 ** 32).toString(16);
        const id = traceId.slice(8) + digits.padStart(8, "0");
        return metaOf(traces, { "sentry-trace": `${id}-${parentSpanId}` }).sentryTrace;
      });
      return headers.filter((header) => header.endsWith("-1")).length;
    }

    test.each([
      ["as they come", (random: () => number) => random()],
      ["chosen to be sampled", () => 0],
    ])("as many are sampled as the rate says, of numbers %s", (_, numberOf) => {
      const byChance = Math.sqrt(rate * (1 - rate) * count);
      expect(Math.abs(sampledOf(numberOf) - rate * count)).toBeLessThan(20 + 4 * byChance);
    });
  },
);

describe("a request without a trace", () => {
  test("begins one whose random number says the same as its decision", () => {
    for (let n = 0; n < 100; n++) {
      const { sentryTrace, dsc } = handedOn({});
      expect(sentryTrace).toMatch(/-0$/);
      expect(dsc).toMatchObject({ "sentry-sampled": "false", "sentry-release": "a b,c" });
      expect(Number(dsc["sentry-sample_rand"])).toBeGreaterThanOrEqual(rate);
    }
  });

  test("leaves the decision to the browser if the server traces nothing", () => {
    const { sentryTrace, dsc } = handedOn({}, 0);
    expect(sentryTrace).toMatch(/^[\da-f]{32}-[\da-f]{16}$/);
    expect(dsc).not.toHaveProperty("sentry-sampled");
    expect(dsc).toMatchObject({ "sentry-environment": "x" });
  });

  test("has a trace of its own", () => {
    const ids = Array.from({ length: 1000 }, () => handedOn({}).sentryTrace.split("-")[0]);
    expect(new Set(ids).size).toBe(1000);
  });

  test("keeps it for its page and its errors", () => {
    const traces = new RequestTraces({ tracesSampleRate: rate, isExcluded: () => true });
    const request = { headers: {}, url: "/", method: "GET" } as IncomingMessage;
    withIsolationScope(() =>
      traces.serve(request, new EventEmitter() as ServerResponse, () => {
        const [id, span] = traces.meta().sentryTrace.split("-");
        expect(getCurrentScope().getPropagationContext()).toMatchObject({
          traceId: id,
          propagationSpanId: span,
        });
        expect(traces.meta().sentryTrace).toContain(`${id}-${span}`);
      }),
    );
  });

  test("draws one number a trace, which says the same as its decision", () => {
    const traces = new RequestTraces({ tracesSampleRate: rate, isExcluded: () => false });
    const drawn = Array.from({ length: 500 }, () => {
      const { sentryTrace, baggage = "" } = metaOf(traces, {});
      const number = Number(/sentry-sample_rand=([^,]+)/.exec(baggage)?.[1]);
      expect(number < rate).toBe(sentryTrace.endsWith("-1"));
      return number;
    });
    expect(new Set(drawn).size).toBe(500);
    expect(drawn.filter((number) => number < rate).length).toBeGreaterThan(50);
  });
});

describe("while the service takes no measurements", () => {
  const options = { tracesSampleRate: 1, takesMeasurements: () => false, isExcluded: () => false };
  const headers = () => ({ "sentry-trace": `${traceId}-${parentSpanId}-1` });

  test.each([1, 0])("every page is told that its visit is not sampled, at a rate of %d", (rate) => {
    const traces = new RequestTraces({ ...options, tracesSampleRate: rate });
    for (const asked of [{}, headers()]) {
      const { sentryTrace, baggage = "sentry-sampled=false" } = metaOf(traces, asked);
      expect(sentryTrace).toMatch(/-0$/);
      expect(baggage).toContain("sentry-sampled=false");
    }
  });

  test("no request begins a span, whatever its client says", () => {
    const traces = new RequestTraces(options);
    const response = new EventEmitter() as ServerResponse;
    for (const asked of [{}, headers()]) {
      const request = { headers: asked, url: "/", method: "GET" } as unknown as IncomingMessage;
      traces.serve(request, response, () => expect(getActiveSpan()).toBeUndefined());
    }
    expect(response.listenerCount("close")).toBe(0);
  });
});
