import * as browser from "@sentry/browser";
import * as server from "@sentry/nextjs";
import { afterEach, describe, expect, test } from "vitest";
import { privateNames } from "@/packages/sentry/src/shared/privacy/private-names";
import { scrubbing } from "@/packages/sentry/src/shared/privacy/scrub-envelope";

/** What must be in no envelope, whatever it stands in. */
const planted = ["PLANTED", "192.0.2.77"];
const secret = "PLANTED-value";
const email = "PLANTED@example.com";
const url = `https://example.com/a?token=${secret}#access=${secret}`;
/** A team's own data. */
const data = {
  email,
  url,
  cookie: `session=${secret}`,
  authToken: secret,
  cart: { email, items: 2 },
  list: [{ password: secret }],
  headers: { authorization: secret },
  kept: "visible",
};
const attributes = {
  "user.email": email,
  "user.name": secret,
  "http.url": url,
  "url.query": `token=${secret}`,
  password: secret,
  cart: { email, items: 2 },
  kept: "visible",
};

type Sdk = typeof server;
type Allowed = readonly string[];

/** The bytes that leave, from an SDK with all that is on by default in it. */
function started(sdk: Sdk, allowed: Allowed = [], options: object = {}): string[] {
  const sent: string[] = [];
  sdk.init({
    dsn: "http://key@localhost/0",
    release: "1",
    tracesSampleRate: 1,
    traceLifecycle: "static",
    defaultIntegrations: false,
    transport: scrubbing(
      (transportOptions: Parameters<typeof sdk.createTransport>[0]) =>
        sdk.createTransport(transportOptions, async ({ body }) => {
          sent.push(typeof body === "string" ? body : new TextDecoder().decode(body));
          return { statusCode: 200 };
        }),
      privateNames(allowed),
    ),
    ...options,
  });
  sdk.setUser({ id: "u1", email, username: secret, name: secret, ip_address: "192.0.2.77" });
  return sent;
}

afterEach(async () => {
  await server.close();
  server.setUser(null);
});

const kinds: [kind: string, type: string, report: (sdk: Sdk) => void][] = [
  [
    "error",
    "event",
    (sdk) => {
      sdk.addBreadcrumb({ category: "navigation", data: { from: url, to: url, ...data } });
      sdk.captureException(new Error(`failed at ${url}`), {
        tags: { email, kept: "visible" },
        extra: data,
        contexts: { cart: data },
      });
    },
  ],
  ["message", "event", (sdk) => sdk.captureMessage(`see ${url}`, { extra: data })],
  [
    "transaction",
    "transaction",
    (sdk) =>
      sdk.startSpan({ name: `GET ${url}`, attributes: { ...attributes, cart: url } }, () =>
        sdk.startSpan({ name: url, attributes: { ...attributes, cart: email && url } }, () => {}),
      ),
  ],
  ["log", "log", (sdk) => sdk.logger.info(`see ${url}`, attributes)],
  ["metric", "trace_metric", (sdk) => sdk.metrics.count("clicks", 1, { attributes })],
  [
    "feedback",
    "feedback",
    (sdk) =>
      sdk.captureFeedback(
        { message: "visible", url, tags: { email } },
        { captureContext: { contexts: { cart: data }, extra: data } },
      ),
  ],
  ["check-in", "check_in", (sdk) => sdk.captureCheckIn({ monitorSlug: url, status: "ok" })],
  [
    "session",
    "session",
    (sdk) => {
      sdk.setUser({ email, ip_address: "192.0.2.77" });
      sdk.startSession({ ipAddress: "192.0.2.77", userAgent: secret });
      sdk.captureSession();
    },
  ],
  [
    "replay",
    "replay_event",
    (sdk) => sdk.captureEvent({ type: "replay_event", urls: [url], request: { url } } as object),
  ],
];

describe.each([
  ["server", server],
  ["browser", browser as unknown as Sdk],
])("%s", (_, sdk) => {
  test.each(kinds)("nothing private is in a %s", async (kind, type, report) => {
    if (kind === "check-in" && sdk !== server) return; // Its SDK has none.
    const sent = started(sdk);
    report(sdk);
    await sdk.flush(1000);
    const bytes = sent.join("\n");
    expect(bytes).toContain(`"type":"${type === "replay_event" ? "event" : type}"`);
    for (const text of planted) expect(bytes).not.toContain(text);
    if (bytes.includes('"kept"')) expect(bytes).toContain("visible");
  });

  test("what is taken out of a team's data leaves [Filtered]", async () => {
    const sent = started(sdk);
    sdk.captureException(new Error("x"), { extra: data, tags: { email } });
    sdk.logger.info("x", attributes);
    await sdk.flush(1000);
    const [event, log] = ["event", "log"].map((type) => {
      const lines = sent.find((one) => one.includes(`{"type":"${type}"`))?.split("\n");
      return JSON.parse(lines?.[2] ?? "");
    });
    expect(event.user).toEqual({
      id: "u1",
      email: "[Filtered]",
      username: "[Filtered]",
      name: "[Filtered]",
    });
    expect(event.tags.email).toBe("[Filtered]");
    expect(event.extra).toEqual({
      email: "[Filtered]",
      url: "https://example.com/a?token=[Filtered]#access=[Filtered]",
      cookie: "[Filtered]",
      authToken: "[Filtered]",
      cart: { email: "[Filtered]", items: 2 },
      list: [{ password: "[Filtered]" }],
      headers: "[Filtered]",
      kept: "visible",
    });
    const [{ attributes: logged }] = log.items;
    expect(logged["user.email"]).toEqual({ value: "[Filtered]", type: "string" });
    expect(logged.kept.value).toBe("visible");
    expect(JSON.parse(logged.cart.value)).toEqual({ email: "[Filtered]", items: 2 });
  });

  test("what the team allows stays, in every kind", async () => {
    const sent = started(sdk, ["email", "user.email", "ip_address"]);
    sdk.captureException(new Error("x"), { extra: { email, password: secret } });
    sdk.logger.info("x", attributes);
    sdk.metrics.count("clicks", 1, { attributes });
    await sdk.flush(1000);
    expect(sent).toHaveLength(3);
    for (const bytes of sent) {
      expect(bytes).toContain(email);
      expect(bytes).not.toContain(secret);
    }
    expect(sent.join()).toContain('"ip_address":"192.0.2.77"');
  });

  test("a team's own hooks see what was reported", async () => {
    const seen: unknown[] = [];
    const sent = started(sdk, [], {
      beforeSend(event: { user?: { email?: string }; extra?: object }) {
        seen.push(event.user?.email);
        return { ...event, extra: { email } };
      },
    });
    sdk.captureException(new Error("x"));
    await sdk.flush(1000);
    expect(seen).toEqual([email]);
    expect(sent.join()).not.toContain(email);
  });
});

test("who gives feedback stays, to be answered", async () => {
  const sent = started(server);
  server.captureFeedback({ message: "x", name: "Ann", email: "ann@example.com" });
  await server.flush(1000);
  expect(sent.join()).toContain('"contact_email":"ann@example.com"');
});

function passed(type: string, payload: unknown): unknown {
  let clean: unknown;
  scrubbing(() => ({ send: (envelope: [object, [object, unknown][]]) => (clean = envelope) }))(
    undefined,
  ).send([{}, [[{ type }, payload]]]);
  return (clean as [object, [object, unknown][]])[1][0]?.[1];
}

test("a replay's recording loses the values in its URLs and links, and keeps its picture", () => {
  const picture = { type: 2, data: { node: { textContent: "a" } }, timestamp: 1 };
  const element = (tagName: string, attributes: object) => ({ type: 2, tagName, attributes });
  const link = element("a", { href: "/a?q=PLANTED#main", class: "x" });
  const style = element("link", { rel: "stylesheet", href: "/a.css?dpl=1" });
  const form = element("form", { action: "/a?q=PLANTED" });
  const changed = { id: 1, attributes: { href: "/b?q=PLANTED" } };
  const events = [
    picture,
    { type: 4, data: { href: "/a?q=PLANTED" } },
    { type: 5, data: { tag: "performanceSpan", payload: { description: "/b?q=PLANTED" } } },
    { type: 2, data: { node: { type: 0, childNodes: [link, style] } } },
    { type: 3, data: { adds: [{ node: form }], attributes: [changed] } },
  ];
  const clean = String(passed("replay_recording", `{"segment_id":0}\n${JSON.stringify(events)}`));
  expect(clean).not.toContain("PLANTED");
  expect(clean.startsWith('{"segment_id":0}\n[')).toBe(true);
  expect(JSON.parse(clean.slice(clean.indexOf("\n")))[0]).toEqual(picture);
  expect(clean).toContain('"/a?q=[Filtered]#main","class":"x"');
  expect(clean).toContain('"/a.css?dpl=1"');
});

test("the length that the SDK gave a recording is that of the clean one, in bytes", () => {
  const text = `{"segment_id":0}\n${JSON.stringify([{ type: 4, data: { href: "/é?q=PLANTED" } }])}`;
  let sent: [object, [{ length?: number }, string][]] | undefined;
  const { send } = scrubbing(() => ({ send: (envelope: typeof sent) => (sent = envelope) }))({});
  const length = Buffer.byteLength(text);
  send([{}, [[{ type: "replay_recording", length } as object, text]]]);
  const [[header, clean] = [{}, ""]] = sent?.[1] ?? [];
  expect(Buffer.byteLength(clean)).not.toBe(length);
  expect(header).toEqual({ type: "replay_recording", length: Buffer.byteLength(clean) });
});

test("bytes of attachments and compressed recordings stay as they are", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  for (const type of ["attachment", "replay_recording", "unknown"]) {
    expect(passed(type, bytes)).toBe(bytes);
  }
});

test("sessions lose who had them", () => {
  const aggregates = [{ started: "x", did: email, exited: 1 }];
  const attrs = { release: "1", ip_address: "192.0.2.77", user_agent: secret };
  expect(passed("sessions", { aggregates, attrs })).toEqual({
    aggregates: [{ started: "x", exited: 1 }],
    attrs: { release: "1", environment: undefined },
  });
});

test("depth, number and length are bounded, in time that grows with the size", () => {
  const wide = Array.from({ length: 600_000 }, () => ({ password: secret }));
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
  const before = process.cpuUsage();
  const clean = JSON.stringify(
    passed("event", { extra: { wide, deep, long: "x".repeat(2 ** 20) } }),
  );
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  expect(clean).not.toContain(secret);
  expect(clean).toContain("[Left out]");
  expect(clean).not.toContain("x".repeat(300_000));
});
