import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { writeEnvelope } from "@/lib/envelope/write-envelope";
import { MapThread } from "@/lib/stacks/map-thread";
import { envelopeResolver } from "@/lib/stacks/resolve-envelope";
import { type FrameResolver, frameResolver } from "@/lib/stacks/resolve-frames";
import { mapsFolder, simpleMap, writeMap } from "@/tests/support/source-maps";

const origin = "server";
const good = simpleMap("turbopack:///[project]/pages/a.tsx", "throw new Error();", [[0, 0, 0, 0]]);

function eventOf(file: string) {
  const frame = {
    filename: `https://a.example/_next/${file}`,
    lineno: 1,
    colno: 1,
    function: "r",
    in_app: true,
  };
  const values = [{ type: "Error", value: "broken", stacktrace: { frames: [frame] } }];
  return { event_id: "e1", release: "1.0.0", exception: { values } };
}

const event = eventOf("static/chunks/a.js");

/** Resolves an envelope with a folder that holds a good and a broken map. */
async function resolve(envelope: Uint8Array, resolver?: FrameResolver): Promise<Uint8Array> {
  const read = readEnvelope(envelope);
  const categories = "fault" in read ? -1 : read.categories;
  if (resolver) return envelopeResolver({ resolver })({ envelope, categories, origin });
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  writeMap(folder, "static/chunks/broken.js", '{"version":3,"sources":[');
  const thread = new MapThread({ folder });
  onTestFinished(() => thread.close());
  // Far more time than is needed, also on a busy machine.
  const options = { maxMs: 15_000, resolver: frameResolver(thread, "b1") };
  return envelopeResolver(options)({ envelope, categories, origin });
}

test("an error gets its source; its envelope, item headers and attachments stay", async () => {
  const attachment = randomBytes(10_000);
  const header = { event_id: "e1", trace: { trace_id: "t" } };
  const envelope = writeEnvelope(header, [
    [{ type: "attachment", filename: "a.bin" }, attachment],
    [{ type: "event", content_type: "application/json" }, JSON.stringify(event)],
    [{ type: "unheard_of" }, "\n\nany \0 bytes\n"],
  ]);
  const read = readEnvelope(await resolve(envelope));
  if ("fault" in read) throw new Error(read.detail);
  expect(read.header).toEqual(header);
  expect(read.items.map((item) => ({ ...item.header, length: undefined }))).toEqual([
    { type: "attachment", filename: "a.bin" },
    { type: "event", content_type: "application/json" },
    { type: "unheard_of" },
  ]);
  const payloads = read.items.map(({ payload }) => Buffer.from(payload));
  expect(payloads[0]?.equals(attachment)).toBe(true);
  expect(payloads[2]?.toString()).toBe("\n\nany \0 bytes\n");
  const { exception, ...rest } = JSON.parse(String(payloads[1]));
  expect(rest).toEqual({ event_id: "e1", release: "1.0.0" });
  expect(exception.values[0].stacktrace.frames).toEqual([
    {
      filename: "pages/a.tsx",
      abs_path: "app:///pages/a.tsx",
      lineno: 1,
      colno: 1,
      function: "?",
      in_app: true,
      pre_context: [],
      context_line: "throw new Error();",
      post_context: [],
    },
  ]);
});

test.each([
  ["a missing map", JSON.stringify(eventOf("static/chunks/none.js"))],
  ["a broken map", JSON.stringify(eventOf("static/chunks/broken.js"))],
  ["an event that is no JSON", "{"],
  ["an event that is no object", "null"],
  ["an event that is no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["an event without a stack", "{}"],
])("with %s the very same bytes are sent", async (_, payload) => {
  const envelope = writeEnvelope({}, [[{ type: "event" }, payload]]);
  expect(await resolve(envelope)).toBe(envelope);
});

test("what holds no error is not looked into", async () => {
  const resolver: FrameResolver = () => expect.unreachable();
  const transaction = writeEnvelope({}, [[{ type: "transaction" }, JSON.stringify(event)]]);
  expect(await resolve(transaction, resolver)).toBe(transaction);
  const nonsense = Buffer.from("nonsense");
  expect(await resolve(nonsense, resolver)).toBe(nonsense);
});

test("an event that services would refuse for its size with the code is sent without", async () => {
  const large = { ...event, extra: { text: "x".repeat(999_700) } };
  const envelope = writeEnvelope({}, [[{ type: "event" }, JSON.stringify(large)]]);
  expect(await resolve(envelope)).toBe(envelope);
});

test("after an error that had to be sent before its source was found, the next one waits less", async () => {
  const timeouts: number[] = [];
  const clock = { now: 0 };
  let takes = 900;
  const resolver: FrameResolver = async (frames, { timeoutMs }) => {
    timeouts.push(timeoutMs);
    clock.now += Math.min(takes, timeoutMs);
    return frames.map(() => ({ resolved: false, late: takes >= timeoutMs }));
  };
  const resolveNext = envelopeResolver({ resolver, now: () => clock.now });
  const envelope = writeEnvelope({}, [[{ type: "event" }, JSON.stringify(event)]]);
  const categories = -1;
  for (takes of [900, 900, 50, 50])
    expect(await resolveNext({ envelope, categories, origin })).toBe(envelope);
  expect(timeouts).toEqual([900, 100, 100, 900]);
});
