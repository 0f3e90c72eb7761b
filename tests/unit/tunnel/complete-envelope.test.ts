import { describe, expect, it } from "vitest";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { completeEnvelope } from "@/lib/tunnel/complete-envelope";
import { mutatedEnvelopes } from "@/tests/support/mutated-envelopes";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { reporting, startTunnel } from "@/tests/support/tunnels";

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
const trace = {
  trace_id: "b".repeat(32),
  span_id: "c".repeat(16),
  op: "pageload",
};
const origin = "auto.pageload.nextjs.pages_router_instrumentation";
/** As the SDK says it of a page load. */
const bySdk = {
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
  ...common,
  type: "transaction",
  transaction: "/static",
  transaction_info: { source: "route" },
  start_timestamp: 1_800_000_000,
  contexts: { trace },
  measurements: { lcp: { value: 120, unit: "millisecond" }, cls: { value: 0, unit: "" } },
};
const ofServer = { ...visit, contexts: { trace: { ...trace, parent_span_id: "d".repeat(16) } } };

const sdk = { name: "sentry.javascript.signpost", version: "0.1.0" };

const marked = (header: Json = {}) => ({ event_id: id, incomplete: true, ...header });
const errorItem = [{ type: "event" }, JSON.stringify(error)] as const;
const visitItem = [{ type: "transaction" }, JSON.stringify(visit)] as const;

/** Posts one envelope to a tunnel. */
async function throughTunnel(
  bytes: Uint8Array,
  rates: Partial<typeof reporting> = {},
  headers: Record<string, string> = {},
) {
  const { send, stored } = await startTunnel({ reporting: { ...reporting, ...rates } });
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
    const { said, header, event } = await throughTunnel(envelopeOf(marked(), errorItem));
    expect(said).toMatchObject({ status: 200, body: { id } });
    expect(header).toEqual({ event_id: id, sdk });
    const added = { tags: { side: "browser" }, contexts: {}, sdk };
    expect(event()).toEqual({ ...error, ...added, release: "1.2.3", environment: "staging" });
  });

  it("names browser and system, side and route, as the SDK's reports do", async () => {
    const header =
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.7.8 Mobile Safari/537.36 secret";
    const tags = { side: "team's own", tenant: "acme" };
    const sent = { ...error, transaction: "/dynamic/[id]", tags };
    const item = [{ type: "event" }, JSON.stringify(sent)] as const;
    const agent = { "user-agent": header };
    const { event, bytes } = await throughTunnel(envelopeOf(marked(), item), {}, agent);
    const contexts = { browser: { name: "Chrome", version: "156" }, os: { name: "Android" } };
    expect(event()).toMatchObject({ contexts, tags: { ...tags, route: "/dynamic/[id]" } });
    expect(bytes?.toString()).not.toMatch(/secret|Mozilla|156\.0/);
    const rates = { browserTracesSampleRate: 1 };
    const visited = await throughTunnel(envelopeOf(marked(), visitItem), rates, agent);
    expect(visited.event()).toMatchObject({ contexts: { ...contexts, trace } });
  });

  it("is stored if its visit is sampled, with what the service wants to know of that", async () => {
    const sent = envelopeOf(marked(), visitItem);
    const { header, event } = await throughTunnel(sent, { browserTracesSampleRate: 1 });
    const added = { sdk, release: "1.2.3", environment: "staging", spans: [] };
    const contexts = { trace: { ...trace, ...bySdk } };
    expect(event()).toEqual({ ...visit, ...added, contexts });
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

  it("is accepted and dropped if its visit is not sampled", async () => {
    const sent = envelopeOf(marked(), visitItem);
    const { said, bytes } = await throughTunnel(sent, { browserTracesSampleRate: 0 });
    expect(said).toMatchObject({ status: 200, body: { id: null } });
    expect(bytes).toBeUndefined();
  });

  it.each([
    ["the settings", visit, "0.5"],
    ["the server", ofServer, "0.25"],
  ])("is not sampled again where %s decided", async (_who, event, rate) => {
    const { send, stored } = await startTunnel();
    const sent = envelopeOf(marked({ sampled: true }), [
      { type: "transaction" },
      JSON.stringify(event),
    ]);
    for (let n = 0; n < 20; n++) await send(sent);
    const envelopes = stored().map(({ envelope }) => Buffer.from(envelope).toString());
    expect(envelopes).toHaveLength(20);
    expect(envelopes[0]).toContain(`"sample_rate":"${rate}"`);
  });

  it("is sampled by the rate for pages without a decision, whatever trace it is in", async () => {
    const rates = { serverTracesSampleRate: 1, browserTracesSampleRate: 0 };
    const sent = envelopeOf(marked(), [{ type: "transaction" }, JSON.stringify(ofServer)]);
    expect((await throughTunnel(sent, rates)).bytes).toBeUndefined();
  });
});

describe("what lib/sentry has captured", () => {
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

  it("keeps the fields that a team gives to captureEvent", async () => {
    const own = { logger: "checkout", fingerprint: ["cart", "empty"], modules: { cart: "1.2.3" } };
    const [item] = await payloads([{ type: "event" }, JSON.stringify({ ...error, ...own })]);
    expect(item?.payload).toMatchObject(own);
  });

  it("becomes logs and metrics as Sentry's protocol has them", async () => {
    const moment = { timestamp: 1_800_000_000.5, trace_id: trace.trace_id };
    const items = [
      {
        ...moment,
        level: "warn",
        message: "at /a?token=secret",
        attributes: { text: "x", whole: 2, part: 0.5, yes: true, list: [1], none: null },
      },
      { ...moment, type: "counter", name: "clicks", value: 1, attributes: {} },
    ];
    const own = {
      "sentry.release": { value: "1.2.3", type: "string" },
      "sentry.environment": { value: "staging", type: "string" },
    };
    const attributes = {
      text: { value: "x", type: "string" },
      whole: { value: 2, type: "integer" },
      part: { value: 0.5, type: "double" },
      yes: { value: true, type: "boolean" },
      list: { value: "[1]", type: "string" },
      ...own,
    };
    expect(await payloads([{ type: "log" }, JSON.stringify({ items })])).toEqual([
      {
        type: "log",
        payload: {
          version: 2,
          items: [
            {
              ...moment,
              level: "warn",
              body: "at /a?token=[Filtered]",
              severity_number: 13,
              attributes,
            },
          ],
        },
      },
      {
        type: "trace_metric",
        payload: {
          version: 2,
          items: [{ ...moment, type: "counter", name: "clicks", value: 1, attributes: own }],
        },
      },
    ]);
  });
});

describe("what only claims to be such an envelope", () => {
  const large = JSON.stringify({ ...error, extra: "x".repeat(128 * 1024) });
  const eventEnvelope = (event: Json) =>
    envelopeOf(marked(), [{ type: "event" }, JSON.stringify(event)]);
  const visitEnvelope = (over: Json) =>
    envelopeOf(marked(), [{ type: "transaction" }, JSON.stringify({ ...visit, ...over })]);

  it.each<[string, Buffer]>([
    ["two items", envelopeOf(marked(), errorItem, errorItem)],
    ["an item of another type", envelopeOf(marked(), [{ type: "session" }, "{}"])],
    [
      "an error called a transaction",
      envelopeOf(marked(), [{ type: "transaction" }, errorItem[1]]),
    ],
    ["a large payload", envelopeOf(marked(), [{ type: "event" }, large])],
    ["no JSON", envelopeOf(marked(), [{ type: "event" }, "{"])],
    ["JSON nested deeply", envelopeOf(marked(), [{ type: "event" }, "[".repeat(60_000)])],
    ["null", envelopeOf(marked(), [{ type: "event" }, "null"])],
    ["an id with a newline", eventEnvelope({ ...error, event_id: `${id}\n` })],
    ["a visit that ends before it begins", visitEnvelope({ timestamp: 1 })],
    [
      "a negative time",
      visitEnvelope({ measurements: { lcp: { value: -1, unit: "millisecond" } } }),
    ],
    ["a strange unit", visitEnvelope({ measurements: { lcp: { value: 1, unit: "year" } } })],
    ["a strange trace", visitEnvelope({ contexts: { trace: { ...trace, trace_id: "B" } } })],
  ])("is refused, since nothing has scrubbed it: %s", async (_what, sent) => {
    const { said, bytes } = await throughTunnel(sent, { browserTracesSampleRate: 0 });
    expect(said).toMatchObject({ status: 400, body: { error: "malformed" } });
    expect(bytes).toBeUndefined();
  });

  it("passes as it is without the mark", async () => {
    const { said, bytes } = await throughTunnel(
      envelopeOf(marked({ incomplete: "true" }), errorItem),
    );
    expect(said.status).toBe(200);
    expect(bytes?.toString()).toContain(errorItem[1]);
    expect(bytes?.toString()).not.toContain("incomplete");
  });

  const [exception] = error.exception.values;
  it.each<[string, Json]>([
    ["a visit called an error", JSON.parse(visitItem[1])],
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
    const { said, event, bytes } = await throughTunnel(
      eventEnvelope({ ...planted, ...own, ...planted }),
    );
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
    const [exception] = error.exception.values;
    const event = { ...error, exception: { values: [{ ...exception, value }] } };
    const { send, stored } = await startTunnel();
    await send(envelopeOf(marked(), [{ type: "event" }, JSON.stringify(event)]));
    const envelope = readEnvelope(stored()[0]?.envelope ?? Buffer.alloc(0));
    expect("items" in envelope && envelope.items).toHaveLength(1);
  });

  it("never fails, however it is damaged", () => {
    const whole = [envelopeOf(marked(), errorItem), envelopeOf(marked(), visitItem)];
    let completed = 0;
    for (const bytes of mutatedEnvelopes(5000, 12, whole)) {
      const read = readEnvelope(bytes);
      const result = "fault" in read ? undefined : completeEnvelope(read, reporting);
      if (!(result instanceof Uint8Array)) continue;
      expect(readEnvelope(result)).toMatchObject({
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
  const undecided = await send(envelopeOf(marked(), visitItem));
  expect(undecided).toMatchObject({ status: 200, body: { id: null } });
  expect((await send(envelopeOf(marked({ sampled: true }), visitItem))).status).toBe(429);
  expect(stored()).toEqual([]);
});
