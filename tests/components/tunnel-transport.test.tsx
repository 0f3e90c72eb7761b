import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";

let tunnelTransport: typeof import("@/lib/sentry/browser/sdk/transport").tunnelTransport;
/** The posts so far, and the status of the next ones; 0 is a broken connection, NaN no answer. */
let posts: [body: string, keepalive: boolean | undefined][];
let answer: (body: string, keepalive: boolean | undefined) => number;
/** A transport listens as long as its page stays, which here is one test. */
let listen: MockInstance<typeof addEventListener>;

beforeEach(async () => {
  localStorage.clear();
  listen = vi.spyOn(globalThis, "addEventListener");
  posts = [];
  answer = () => 200;
  vi.stubGlobal("fetch", async (_url: string, { body, keepalive, signal }: RequestInit) => {
    posts.push([String(body), keepalive]);
    const status = answer(String(body), keepalive);
    if (Number.isNaN(status)) {
      await new Promise((_, reject) => signal?.addEventListener("abort", reject));
    }
    if (!status) throw new TypeError("Failed to fetch");
    return new Response("{}", { status, headers: { "content-type": "application/json" } });
  });
  // Takes `fetch` as it is when it is loaded.
  vi.resetModules();
  ({ tunnelTransport } = await import("@/lib/sentry/browser/sdk/transport"));
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

test("a report that fails ends the round, and the next round begins with the others", async () => {
  const transport = open();
  answer = () => 503;
  for (const text of ["a", "b", "c"]) await send(transport, JSON.stringify(text));
  posts = [];
  answer = (body) => (body.includes('"b"') ? 503 : 200);
  online();
  await vi.waitFor(() => expect(bodies()).toEqual(["a", "b"]));
  await vi.waitFor(() => expect(Object.keys(localStorage)).toHaveLength(2));
  posts = [];
  online();
  await vi.waitFor(() => expect(bodies()).toEqual(["c", "b"]));
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
