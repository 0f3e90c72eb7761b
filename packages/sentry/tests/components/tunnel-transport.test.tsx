import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";

let tunnelTransport: typeof import("@/packages/sentry/src/browser/sdk/transport").tunnelTransport;
/** The posts so far, and the status of the next ones; 0 is a broken connection, NaN no answer. */
let posts: [body: string, keepalive: boolean | undefined][];
let answer: (body: string, keepalive: boolean | undefined) => number;
/** What the answers ask for. */
let retryAfter: string;
/** Who answers: the tunnel, or a proxy. */
let contentType: string;
/** A transport listens as long as its page stays, which here is one test. */
let listen: MockInstance<typeof addEventListener>;
let wait: MockInstance<typeof window.setTimeout>;

beforeEach(async () => {
  localStorage.clear();
  listen = vi.spyOn(globalThis, "addEventListener");
  // No test waits for the next try.
  wait = vi.spyOn(window, "setTimeout").mockReturnValue(1 as never);
  posts = [];
  retryAfter = "0";
  contentType = "application/json";
  answer = () => 200;
  vi.stubGlobal("fetch", async (_url: string, { body, keepalive, signal }: RequestInit) => {
    posts.push([String(body), keepalive]);
    const status = answer(String(body), keepalive);
    if (Number.isNaN(status)) {
      await new Promise((_, reject) => signal?.addEventListener("abort", reject));
    }
    if (!status) throw new TypeError("Failed to fetch");
    return new Response("{}", {
      status,
      headers: { "content-type": contentType, "retry-after": retryAfter },
    });
  });
  // Takes `fetch` as it is when it is loaded.
  vi.resetModules();
  ({ tunnelTransport } = await import("@/packages/sentry/src/browser/sdk/transport"));
});

afterEach(() => {
  for (const [name, listener] of listen.mock.calls)
    removeEventListener(name, listener as () => void);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function open() {
  return tunnelTransport({
    url: "/api/relay",
    recordDroppedEvent: () => {},
  });
}

const send = (transport: ReturnType<typeof open>, text: string, type = "event") =>
  transport.send([{}, [[{ type }, text]]] as unknown as Parameters<typeof transport.send>[0]);
const bodies = () => posts.map(([body]) => JSON.parse(body.trim().split("\n")[2] ?? ""));
/** How long the next tries wait. */
const timers = () => wait.mock.calls.map(([, ms]) => ms).filter(Boolean);
const online = () => dispatchEvent(new Event("online"));

test.each([
  ["null", () => vi.stubGlobal("localStorage", null)],
  [
    "forbidden",
    () =>
      vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
        throw new DOMException("forbidden", "SecurityError");
      }),
  ],
])(
  "with storage that is %s, reports are held and sent once the tunnel is back",
  async (_, deny) => {
    deny();
    const rejected = vi.fn();
    process.on("unhandledRejection", rejected);
    const transport = open();
    answer = () => 503;
    await send(transport, '"held"');
    answer = () => 200;
    posts = [];
    online();
    await vi.waitFor(() => expect(bodies()).toEqual(["held"]));
    process.off("unhandledRejection", rejected);
    expect(rejected).not.toHaveBeenCalled();
  },
);

test.each([
  ["a page without fetch sends a report by beacon", true],
  ["what the browser refuses as a beacon is stored", false],
])("%s", async (_, taken) => {
  const beacons: [string, unknown][] = [];
  vi.stubGlobal("fetch", undefined);
  vi.stubGlobal("navigator", {
    sendBeacon: (url: string, body: unknown) => beacons.push([url, body]) > 0 && taken,
  });
  vi.resetModules();
  ({ tunnelTransport } = await import("@/packages/sentry/src/browser/sdk/transport"));
  await send(open(), '"by beacon"');
  expect(beacons).toEqual([["/api/relay", expect.stringContaining("by beacon")]]);
  expect(localStorage).toHaveLength(taken ? 0 : 1);
});

test("one report that fails, as for what is in it, holds no others back; a second one ends the round", async () => {
  const transport = open();
  answer = () => 503;
  for (const text of ["a", "b", "c", "d"]) await send(transport, JSON.stringify(text));
  const failing = (...names: string[]) => {
    posts = [];
    answer = (body) => (names.some((name) => body.includes(`"${name}"`)) ? 503 : 200);
    online();
  };
  failing("a");
  await vi.waitFor(() => expect(bodies()).toEqual(["a", "b", "c", "d"]));
  await vi.waitFor(() => expect(Object.keys(localStorage)).toHaveLength(1));
  answer = () => 503;
  for (const text of ["e", "f"]) await send(transport, JSON.stringify(text));
  failing("a", "e");
  await vi.waitFor(() => expect(bodies()).toEqual(["a", "e"]));
  failing();
  await vi.waitFor(() => expect(bodies()).toEqual(["a", "e", "f"]));
});

test("what is sent again says when that was, and what another script has stored goes as it is", async () => {
  const at = "2020-01-01T00:00:00.000Z";
  const stored = `{"event_id":"1","sent_at":"${at}","minimal":true}\n{"type":"event"}\n"a\\nb"\n`;
  localStorage.setItem(`signpost-report-${Date.now()}-000000-0.1`, stored);
  localStorage.setItem(`signpost-report-${Date.now()}-000001-0.1`, "no envelope");
  const before = Date.now();
  open();
  await vi.waitFor(() => expect(posts).toHaveLength(2));
  const [sent = "", other] = posts.map(([body]) => body);
  const [first = "", ...rest] = sent.split("\n");
  const { sent_at, ...header } = JSON.parse(first);
  expect(header).toEqual({ event_id: "1", minimal: true });
  expect(Date.parse(sent_at)).toBeGreaterThanOrEqual(before);
  expect(rest.join("\n")).toBe('{"type":"event"}\n"a\\nb"\n');
  expect(other).toBe("no envelope");
});
test.each([413, 403])(
  "what a proxy refuses with %i is tried a few times, by this page alone",
  async (status) => {
    const transport = open();
    contentType = "text/html";
    answer = (body) => (body.includes("refused") ? status : 503);
    await send(transport, '"refused"');
    expect(Object.keys(localStorage), "would bring the SDK to later pages").toEqual([]);
    for (let tries = 2; tries <= 4; tries++) {
      online();
      await vi.waitFor(() => expect(bodies()).toEqual(Array(tries).fill("refused")));
      // The last time, none is set.
      await vi.waitFor(() => expect(timers()).toHaveLength(Math.min(tries, 3)));
    }
    await send(transport, '"another"');
    online();
    await vi.waitFor(() => expect(bodies().slice(4)).toEqual(["another", "another"]));
  },
);

test.each([503, 404, 502, 200])(
  "what a proxy answers with %i, as while the server restarts, waits",
  async (status) => {
    const transport = open();
    contentType = "text/html";
    answer = () => status;
    await send(transport, '"one"');
    for (let tries = 2; tries <= 6; tries++) {
      online();
      await vi.waitFor(() => expect(timers()).toHaveLength(tries));
      expect(posts).toHaveLength(tries);
    }
    expect(Object.keys(localStorage)).toHaveLength(1);
  },
);

test("what has been stored for a day is dropped", async () => {
  const key = `signpost-report-${Date.now() - 24 * 60 * 60_000}-000000-0.1`;
  localStorage.setItem(key, '{}\n{"type":"event"}\n"old"\n');
  open();
  await vi.waitFor(() => expect(localStorage).toHaveLength(0));
  expect(posts).toEqual([]);
});

test("while a report is on its way again, it is not sent a second time", async () => {
  const transport = open();
  answer = () => 503;
  await send(transport, '"one"');
  posts = [];
  answer = () => Number.NaN;
  online();
  online();
  await vi.waitFor(() => expect(posts).toHaveLength(1));
  dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(timers()).toHaveLength(2));
  expect(posts).toHaveLength(1);
  expect(localStorage).toHaveLength(1);
});

test.each([
  ["-5", 5000],
  ["no number", 5000],
  ["7", 7000],
  ["2592000", 86_400_000],
])("an answer that asks to wait %s s is asked again after %i ms", async (asked, ms) => {
  const transport = open();
  answer = () => 503;
  retryAfter = asked;
  await send(transport, '"one"');
  expect(timers()).toEqual([ms]);
});

test("what the browser would not let outlive the page is stored as that is left", async () => {
  const transport = open();
  answer = () => Number.NaN;
  void send(transport, JSON.stringify("漢".repeat(60_000)));
  await vi.waitFor(() => expect(posts.map(([, keepalive]) => keepalive)).toEqual([false]));
  dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(Object.keys(localStorage)).toHaveLength(1));
});

test("a post that the browser breaks off is not sent a second time at once, but later", async () => {
  const transport = open();
  answer = () => 0;
  await send(transport, '"one"');
  expect(posts).toHaveLength(1);
  expect(Object.keys(localStorage)).toHaveLength(1);
});

test("an event with an attachment that can't be sent now is stored without it", async () => {
  const transport = open();
  answer = () => 503;
  const attachment = [
    { type: "attachment", length: 3, filename: "a" },
    new Uint8Array([10, 0, 255]),
  ];
  type Envelope = Parameters<typeof transport.send>[0];
  await transport.send([{}, [[{ type: "event" }, '"with"'], attachment]] as unknown as Envelope);
  expect(posts).toHaveLength(1);
  answer = () => 200;
  posts = [];
  online();
  await vi.waitFor(() => expect(bodies()).toEqual(["with"]));
});

test("a recording of bytes that can't be sent now is left to session replay", async () => {
  const transport = open();
  answer = () => 503;
  const recording = [{ type: "replay_recording", length: 1 }, new Uint8Array([255])];
  type Envelope = Parameters<typeof transport.send>[0];
  const envelope = [{}, [[{ type: "replay_event" }, {}], recording]] as unknown as Envelope;
  await expect(transport.send(envelope)).rejects.toThrow();
  expect(Object.keys(localStorage)).toEqual([]);
});
