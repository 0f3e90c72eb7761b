import { describe, expect, it } from "vitest";
import { bytesOf, readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { mutatedEnvelopes } from "@/tests/support/mutated-envelopes";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { releasesOf, reporting, startTunnel } from "@/tests/support/tunnels";

type Json = Record<string, unknown>;

const id = eventId();
const common = {
  event_id: id,
  timestamp: 1_800_000_001,
  platform: "javascript",
  request: { url: "http://localhost/" },
};
const error = {
  ...common,
  level: "error",
  exception: {
    values: [{ type: "Error", value: "x", mechanism: { type: "generic", handled: false } }],
  },
};
const trace = { trace_id: "b".repeat(32), span_id: "c".repeat(16) };
const origin = "auto.pageload.nextjs.pages_router_instrumentation";
/** As the SDK says it of a page load. */
const bySdk = {
  op: "pageload",
  origin,
  data: {
    "sentry.op": "pageload",
    "sentry.origin": origin,
    "sentry.segment.name.source": "route",
    "url.template": "/static",
    "url.full": "http://localhost/",
    "url.path": "/",
  },
};
const visit = {
  event_id: id,
  type: "transaction",
  transaction: "/static",
  start_timestamp: 1_800_000_000,
  timestamp: 1_800_000_001,
  request: { url: "http://localhost/" },
  contexts: { trace },
  status: 200,
  measurements: { lcp: 120, cls: 0 },
};
const ofServer = { ...visit, contexts: { trace: { ...trace, parent_span_id: "d".repeat(16) } } };

const sdk = { name: "sentry.javascript.signpost", version: "0.1.0" };

const marked = (header: Json = {}) => ({ event_id: id, minimal: true, ...header });
const errorItem = [{ type: "event" }, JSON.stringify(error)] as const;
/** Envelopes of one item, as they leave the browser. */
const errorEnvelope = (event: Json = error, header?: Json) =>
  envelopeOf(marked(header), [{ type: "event" }, JSON.stringify(event)]);
const visitEnvelope = (event: Json = visit, header?: Json) =>
  envelopeOf(marked(header), [{ type: "transaction" }, JSON.stringify(event)]);

/** Posts one envelope to a tunnel. */
async function throughTunnel(
  bytes: Uint8Array,
  rates: Partial<typeof reporting> = {},
  headers: Record<string, string> = {},
) {
  const { send, stored } = await startTunnel({
    reporting: {
      ...reporting,
      ...rates,
      patternOf: ({ pathname }) => (pathname === "/" ? "/" : undefined),
    },
    releaseOf: releasesOf({ "known-build": "1.2.2" }),
  });
  const said = await send(bytes, headers);
  const [report] = stored();
  const envelope = report && readEnvelope(report.envelope);
  if (envelope && "fault" in envelope) throw new Error(envelope.detail);
  const payload = Buffer.from(envelope?.items[0]?.payload ?? []).toString();
  return {
    said,
    bytes: report && Buffer.from(report.envelope),
    header: envelope?.header,
    event: (): Json => JSON.parse(payload),
  };
}

describe("an envelope that left the browser without the SDK", () => {
  it("is given release and environment", async () => {
    const { said, header, event } = await throughTunnel(errorEnvelope());
    expect(said).toMatchObject({ status: 200, body: { id } });
    expect(header).toEqual({ event_id: id, sdk });
    const added = { tags: { side: "browser" }, contexts: {}, sdk };
    expect(event()).toEqual({ ...error, ...added, release: "1.2.3", environment: "staging" });
  });

  it.each([
    ["no build, as a page of an earlier version", true, "1.2.3"],
    ["a build whose release is known", "known-build", "1.2.2"],
    ["another build", "another-build", "another-build"],
    ["what can't be a release", "a/b", undefined],
    ["what is too long for a release", "x".repeat(201), undefined],
  ])(
    "is given the release of its page's build, where that names %s",
    async (_what, minimal, release) => {
      const traced = { ...error, contexts: { trace } };
      for (const { event, header } of [
        await throughTunnel(errorEnvelope(traced, { minimal })),
        await throughTunnel(visitEnvelope(visit, { minimal, sampled: true })),
      ]) {
        expect(event().release).toBe(release);
        expect(event().environment).toBe("staging");
        // By that it finds the server that has its source maps.
        expect(header?.trace).toMatchObject({ trace_id: trace.trace_id, environment: "staging" });
        expect((header as { trace: Json }).trace.release).toBe(release);
      }
    },
  );

  it.each([
    ["an error", errorEnvelope],
    ["a visit", visitEnvelope],
  ])("of %s keeps when it was sent, by the browser's clock", async (_what, made) => {
    const measured = { browserTracesSampleRate: 1 };
    const sent_at = "2020-01-01T00:00:00.000Z";
    const { header } = await throughTunnel(made(undefined, { sent_at }), measured);
    expect(header).toMatchObject({ sent_at });
    const { header: other } = await throughTunnel(made(undefined, { sent_at: 12 }), measured);
    expect(other).not.toHaveProperty("sent_at");
  });

  it("names browser and system, side and route, as the SDK's reports do", async () => {
    const header =
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.7.8 Mobile Safari/537.36 secret";
    const tags = { side: "team's own", tenant: "acme" };
    const sent = { ...error, transaction: "/dynamic/[id]", tags };
    const agent = { "user-agent": header };
    const { event, bytes } = await throughTunnel(errorEnvelope(sent), {}, agent);
    const contexts = { browser: { name: "Chrome", version: "156" }, os: { name: "Android" } };
    expect(event()).toMatchObject({ contexts, tags: { ...tags, route: "/dynamic/[id]" } });
    expect(bytes?.toString()).not.toMatch(/secret|Mozilla|156\.0/);
    const rates = { browserTracesSampleRate: 1 };
    const visited = await throughTunnel(visitEnvelope(), rates, agent);
    expect(visited.event()).toMatchObject({ contexts: { ...contexts, trace } });
  });

  it("is stored if its visit is sampled, with what the service wants to know of that", async () => {
    const { header, event } = await throughTunnel(visitEnvelope(), { browserTracesSampleRate: 1 });
    const { status: _, ...known } = visit;
    expect(event()).toEqual({
      ...known,
      platform: "javascript",
      transaction_info: { source: "route" },
      contexts: { trace: { ...trace, ...bySdk } },
      measurements: { lcp: { value: 120, unit: "millisecond" }, cls: { value: 0, unit: "" } },
      sdk,
      release: "1.2.3",
      environment: "staging",
      spans: [],
    });
    expect(header).toEqual({
      event_id: id,
      sdk,
      trace: {
        trace_id: trace.trace_id,
        sampled: "true",
        sample_rate: "1",
        release: "1.2.3",
        environment: "staging",
        transaction: "/static",
      },
    });
  });

  it.each([
    [500, "/", "/", "internal_error"],
    [404, "/nowhere", "/_error", "not_found"],
    [403, "/nowhere", "/_error", "permission_denied"],
    [503, "/", "/", "unavailable"],
  ])("has the route that failed, where the page is that of an error %d", async (...row) => {
    const [status, path, route, said] = row;
    const request = { url: `http://localhost${path}` };
    const failed = { ...visit, transaction: "/_error", status, request };
    const { header, event } = await throughTunnel(visitEnvelope(failed), {
      browserTracesSampleRate: 1,
    });
    expect(header).toMatchObject({ trace: { transaction: route } });
    expect(event()).toMatchObject({
      transaction: route,
      contexts: {
        trace: {
          status: said,
          data: { "url.template": route, "http.response.status_code": status },
        },
      },
    });
  });

  it("is accepted and dropped if its visit is not sampled", async () => {
    const { said, bytes } = await throughTunnel(visitEnvelope(), { browserTracesSampleRate: 0 });
    expect(said).toMatchObject({ status: 200, body: { id: null } });
    expect(bytes).toBeUndefined();
  });

  it.each([
    ["the page", visit, 0.75, "0.75"],
    ["the page, in a trace that the server left open", ofServer, 1, "1"],
    ["the server", ofServer, true, "0.25"],
  ])("is not sampled again where %s decided", async (_who, event, sampled, rate) => {
    const { send, stored } = await startTunnel();
    const sent = visitEnvelope(event, { sampled });
    for (let n = 0; n < 20; n++) await send(sent);
    const envelopes = stored().map(({ envelope }) => Buffer.from(envelope).toString());
    expect(envelopes).toHaveLength(20);
    expect(envelopes[0]).toContain(`"sample_rate":"${rate}"`);
  });

  it.each([undefined, false, 0, -1, 1.5, "1", [1], {}])(
    "is sampled by the rate for pages without a decision, whatever trace it is in, where it says of that: %j",
    async (sampled) => {
      const rates = { serverTracesSampleRate: 1, browserTracesSampleRate: 0 };
      const sent = visitEnvelope(ofServer, { sampled });
      expect((await throughTunnel(sent, rates)).bytes).toBeUndefined();
    },
  );
});

describe("what a page tells of an error", () => {
  const { exception: _, ...rest } = error;
  const told = (stack: string) => {
    const thrown = { type: "TypeError", value: "x", stack, mechanism: { type: "generic" } };
    return errorEnvelope({ ...rest, thrown });
  };
  const framesOf = async (stack: string) => {
    const event = (await throughTunnel(told(stack))).event() as typeof error & { thrown?: unknown };
    expect(event.thrown).toBeUndefined();
    const [exception] = event.exception.values as { stacktrace?: { frames: Json[] } }[];
    return exception?.stacktrace?.frames;
  };
  const url = "https://a.example/b.js";

  it.each([
    ["Chromium", `TypeError: x\n    at async load (${url}:3:14)\n    at ${url}:1:2`],
    ["Firefox", `load@${url}:3:14\n@${url}:1:2`],
    ["Safari", `load@${url}:3:14\n${url}:1:2`],
  ])("becomes an exception with the frames of %s", async (_browser, stack) => {
    expect(await framesOf(stack)).toEqual([
      { function: "?", filename: url, lineno: 1, colno: 2, in_app: true },
      { function: "load", filename: url, lineno: 3, colno: 14, in_app: true },
    ]);
  });

  it("has no stack where the page tells none", async () => {
    expect(await framesOf("")).toBeUndefined();
  });

  // Sentry's own parser would take minutes for some of these.
  it.each(["   1", "(file:1:1:", "@https:1:1", " (", ":1:1"])(
    "keeps no one busy with a stack of %j",
    async (part) => {
      const line = part.repeat(1000).slice(0, 999);
      const start = performance.now();
      await framesOf(`${line}\n`.repeat(16));
      expect(performance.now() - start).toBeLessThan(3000);
    },
  );

  it("keeps no one busy with many stacks of indented lines", () => {
    const line = (" ".repeat(170) + "(http:".repeat(100)).slice(0, 490);
    const envelope = readEnvelope(told(`${line}\n`.repeat(33)));
    if ("fault" in envelope) throw new Error(envelope.detail);
    const start = performance.now();
    for (let n = 0; n < 200; n += 1) completeEnvelope(envelope, reporting);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it("has at most 50 frames, and none where the stack is longer than a page tells it", async () => {
    expect(await framesOf(`f@${url}:3:14\n`.repeat(400))).toHaveLength(50);
    expect(await framesOf(`f@${url}:3:14\n`.repeat(1000))).toBeUndefined();
  });
});

describe("what packages/sentry has captured", () => {
  const payloads = async (...items: Parameters<typeof envelopeOf>[1][]) => {
    const { send, stored } = await startTunnel({ reporting });
    await send(envelopeOf(marked(), ...items));
    const envelope = readEnvelope(stored()[0]?.envelope ?? new Uint8Array());
    if ("fault" in envelope) throw new Error(envelope.detail);
    return envelope.items.map(({ type, payload }) => ({
      type,
      payload: JSON.parse(Buffer.from(payload).toString()),
    }));
  };

  it.each(["event", "feedback"])("is scrubbed as the SDK's reports are: %s", async (type) => {
    const { exception: _, ...message } = error;
    const captured = {
      ...message,
      ...(type === "feedback" && { type }),
      level: "info",
      message: "at /a?token=secret",
      user: { id: "ann", email: "ann@example.com" },
      tags: { tenant: "acme" },
      contexts: { trace: { trace_id: trace.trace_id, span_id: trace.span_id } },
      breadcrumbs: [{ message: "/b?token=secret", timestamp: 1 }],
    };
    const [item] = await payloads([{ type }, JSON.stringify(captured)]);
    expect(item).toMatchObject({
      type,
      payload: {
        message: "at /a?token=[Filtered]",
        tags: { tenant: "acme" },
        contexts: captured.contexts,
        breadcrumbs: [{ message: "/b?token=[Filtered]" }],
        release: "1.2.3",
        environment: "staging",
      },
    });
    expect(item?.payload.user).toEqual({ id: "ann" });
  });

  it("is left out where texts hold more JSON than a page sends", async () => {
    const extra = {
      first: `[${"{},".repeat(9_000)}0]`,
      second: `{"a":[${"{},".repeat(9_000)}0]}`,
      last: { password: "secret" },
    };
    const [item] = await payloads([{ type: "event" }, JSON.stringify({ ...error, extra })]);
    expect(item?.payload.extra).toMatchObject({ first: extra.first, last: "[Left out]" });
    expect(item?.payload.extra.second).toContain("[Left out]");
  });

  it("keeps the fields that a team gives to captureEvent", async () => {
    const own = { logger: "checkout", fingerprint: ["cart", "empty"], modules: { cart: "1.2.3" } };
    const [item] = await payloads([{ type: "event" }, JSON.stringify({ ...error, ...own })]);
    expect(item?.payload).toMatchObject(own);
  });
});

describe("what only claims to be such an envelope", () => {
  const large = JSON.stringify({ ...error, extra: "x".repeat(128 * 1024) });

  it.each<[string, Buffer]>([
    ["two items", envelopeOf(marked(), errorItem, errorItem)],
    ["an item of another type", envelopeOf(marked(), [{ type: "session" }, "{}"])],
    [
      "feedback that calls itself an event",
      envelopeOf(marked(), [{ type: "event" }, JSON.stringify({ event_id: id, type: "feedback" })]),
    ],
    ["logs, which wait for the SDK", envelopeOf(marked(), [{ type: "log" }, '{"items":[]}'])],
    [
      "an error called a transaction",
      envelopeOf(marked(), [{ type: "transaction" }, errorItem[1]]),
    ],
    ["a large payload", envelopeOf(marked(), [{ type: "event" }, large])],
    ["no JSON", envelopeOf(marked(), [{ type: "event" }, "{"])],
    ["JSON nested deeply", envelopeOf(marked(), [{ type: "event" }, "[".repeat(60_000)])],
    ["null", envelopeOf(marked(), [{ type: "event" }, "null"])],
    ["an id with a newline", errorEnvelope({ ...error, event_id: `${id}\n` })],
    ["a visit that ends before it begins", visitEnvelope({ ...visit, timestamp: 1 })],
    ["a negative time", visitEnvelope({ ...visit, measurements: { lcp: -1 } })],
    ["a strange measurement", visitEnvelope({ ...visit, measurements: { age: 1 } })],
    ["a strange status", visitEnvelope({ ...visit, status: 1000 })],
    [
      "a strange trace",
      visitEnvelope({ ...visit, contexts: { trace: { ...trace, trace_id: "B" } } }),
    ],
  ])("is refused, since nothing has scrubbed it: %s", async (_what, sent) => {
    const { said, bytes } = await throughTunnel(sent, { browserTracesSampleRate: 0 });
    expect(said).toMatchObject({ status: 400, body: { error: "malformed" } });
    expect(bytes).toBeUndefined();
  });

  it("passes as it is without the mark", async () => {
    const { said, bytes } = await throughTunnel(errorEnvelope(error, { minimal: 1 }));
    expect(said.status).toBe(200);
    expect(bytes?.toString()).toContain(errorItem[1]);
    expect(bytes?.toString()).not.toContain("minimal");
  });

  const [exception] = error.exception.values;
  it.each<[string, Json]>([
    ["a visit called an error", visit],
    ["a time in words", { ...error, timestamp: "now" }],
    ["no exception", { ...error, exception: { values: [] } }],
    ["an exception without a mechanism", { ...error, exception: { values: [{ type: "E" }] } }],
    ["two exceptions", { ...error, exception: { values: [exception, exception] } }],
    ["a long URL", { ...error, request: { url: "x".repeat(20_000) } }],
    ["tags that are none", { ...error, tags: 7, contexts: "none", transaction: [] }],
  ])("with an event of the team's own making is scrubbed and completed: %s", async (_what, own) => {
    const planted = {
      request: { url: "/a?token=planted", cookies: "planted", headers: { cookie: "planted" } },
      extra: { password: "planted", fine: 1 },
      breadcrumbs: [{ message: "GET /b?token=planted" }],
    };
    const sent = errorEnvelope({ ...planted, ...own, ...planted });
    const { said, event, bytes } = await throughTunnel(sent);
    expect(said.status).toBe(200);
    expect(bytes?.toString()).not.toContain("planted");
    expect(event()).toMatchObject({
      release: "1.2.3",
      environment: "staging",
      sdk,
      tags: { side: "browser" },
      extra: { password: "[Filtered]", fine: 1 },
    });
  });

  it("passes on no service, no release and no field of its own choice", async () => {
    const sent = envelopeOf(
      marked({ dsn: "https://stranger@elsewhere.example/9", trace: { public_key: "stranger" } }),
      [
        { type: "event", filename: "stranger" },
        JSON.stringify({
          ...error,
          release: "stranger",
          environment: "stranger",
          user: { ip_address: "stranger" },
          request: { url: "/", headers: { cookie: "stranger" } },
        }).replace('"platform"', '"__proto__":{"stranger":1},"platform"'),
      ],
    );
    const { bytes, event } = await throughTunnel(sent);
    expect(bytes?.toString()).not.toContain("stranger");
    expect(event()).toMatchObject({ release: "1.2.3", environment: "staging" });
  });

  it("can't escape the framing", async () => {
    const value = 'x"}\n{"type":"event"}\n{"smuggled":true}\n\u2028';
    const event = { ...error, exception: { values: [{ ...exception, value }] } };
    const { bytes = Buffer.alloc(0) } = await throughTunnel(errorEnvelope(event));
    expect(readEnvelope(bytes)).toHaveProperty("items.length", 1);
  });

  it("never fails, however it is damaged", () => {
    const whole = [errorEnvelope(), visitEnvelope()];
    let completed = 0;
    for (const bytes of mutatedEnvelopes(5000, 12, whole)) {
      const read = readEnvelope(bytes);
      const result = "fault" in read ? undefined : completeEnvelope(read, reporting);
      if (typeof result !== "object") continue;
      expect(readEnvelope(bytesOf(result))).toMatchObject({
        header: { event_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
        items: [{}],
      });
      completed += 1;
    }
    expect(completed).toBeGreaterThan(0);
  });
});

it("answers 200 to a visit that is not sampled, also where the service takes none: an error response would show in the visitor's console", async () => {
  const none = { ...reporting, browserTracesSampleRate: 0 };
  const { send, limits, stored } = await startTunnel({ reporting: none });
  limits.learn(200, { "x-sentry-rate-limits": "86400:transaction;span:organization" });
  const undecided = await send(visitEnvelope());
  expect(undecided).toMatchObject({ status: 200, body: { id: null } });
  expect((await send(visitEnvelope(visit, { sampled: true }))).status).toBe(429);
  expect(stored()).toEqual([]);
});
