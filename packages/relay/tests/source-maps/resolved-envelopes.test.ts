import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import {
  bytesOf,
  type Envelope,
  readEnvelope,
  writeEnvelope,
} from "@/packages/relay/src/envelope/envelope";
import type { FrameResolver } from "@/packages/relay/src/source-maps/frames";
import { frameResolver, MapThread } from "@/packages/relay/src/source-maps/map-thread";
import { resolveEnvelope } from "@/packages/relay/src/source-maps/resolve-envelope";
import { wholeEnvelope } from "@/tests/support/envelopes";
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
  const read = wholeEnvelope(envelope);
  const bytes = (resolved: Envelope) => (resolved === read ? envelope : bytesOf(resolved));
  if (resolver) return bytes(await resolveEnvelope(read, origin, resolver));
  const folder = mapsFolder();
  writeMap(folder, "static/chunks/a.js", good);
  writeMap(folder, "static/chunks/broken.js", '{"version":3,"sources":[');
  const thread = new MapThread({ folder });
  onTestFinished(() => thread.close());
  // Far more time than is needed, also on a busy machine.
  return bytes(await resolveEnvelope(read, origin, frameResolver(thread, "b1"), 15_000));
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
});

test("an event that services would refuse for its size with the code is sent without", async () => {
  const large = { ...event, extra: { text: "x".repeat(999_700) } };
  const envelope = writeEnvelope({}, [[{ type: "event" }, JSON.stringify(large)]]);
  expect(await resolve(envelope)).toBe(envelope);
});

const place = {
  resolved: true,
  file: "lib/a.ts",
  line: 7,
  column: 3,
  function: "load",
  own: true,
  code: undefined,
} as const;
/** Resolves the frames that have a file. */
const standIn: FrameResolver = async (frames) =>
  frames.map(({ filename }) => (filename ? place : { resolved: false, late: false }));

/** The event with this JSON in its frame, and beside its stack. */
function hostile(inFrame: string, beside = "null"): string {
  const [begin, end] = JSON.stringify({ ...event, beside: "B" }).split('"in_app":true');
  return `${begin}"in_app":${inFrame}${end?.replace('"B"', beside)}`;
}

const nested = (depth: number) => `${"[".repeat(depth)}0${"]".repeat(depth)}`;

test.each([
  ["nested as deep as a megabyte allows", hostile(nested(450_000))],
  ["nested too deep to be written again", hostile(nested(6_000))],
  ["nested deeper than SDKs do", hostile("0", nested(100))],
  ["that never ends", hostile("0", "[".repeat(900_000))],
  ["of 300,000 small objects", hostile(`[${"{},".repeat(300_000)}0]`)],
  ["of 30,000 numbers", hostile("0", `[${"1e99,".repeat(30_000)}0]`)],
  ["with a field of a megabyte", hostile("0", `"${"x".repeat(1_000_000)}"`)],
  ["with a field of a megabyte of wide characters", hostile("0", `"${"あ".repeat(333_334)}"`)],
])("an event %s is sent as it is", async (_, payload) => {
  const envelope = writeEnvelope({}, [[{ type: "event" }, payload]]);
  expect(await resolve(envelope, standIn)).toBe(envelope);
});

const edges = [31, 32, 53, 63, 64].flatMap((bits) =>
  [-1n, 0n, 1n].flatMap((step) => [2n ** BigInt(bits) + step, -(2n ** BigInt(bits)) + step]),
);

test("frames of odd lines and columns stay as they are, and the others resolve", async () => {
  const odd = [
    ...edges.map(String),
    ...["1e308", "1e999", "-1e999", "-0", '"7"', "[[1]]", '{"__proto__":{"a":1}}'],
    ...['"\\ud800"', '"\\udc00\\ud800 あ 𝄞"', `[${"{},".repeat(1_000)}0]`],
  ];
  const [frame] = event.exception.values[0]?.stacktrace.frames ?? [];
  const bad = JSON.stringify({ filename: frame?.filename, lineno: "B", colno: "B", text: "B" });
  const written = odd.map((value) => bad.replaceAll('"B"', () => value));
  const frames = [...written, JSON.stringify(frame)].join();
  const payload = `{"exception":{"values":[{"stacktrace":{"frames":[${frames}]}}]}}`;
  const read = readEnvelope(await resolve(writeEnvelope({}, [[{ type: "event" }, payload]])));
  if ("fault" in read) throw new Error(read.detail);
  const { exception } = JSON.parse(String(Buffer.from(read.items[0]?.payload ?? [])));
  const found: unknown[] = exception.values[0].stacktrace.frames;
  expect(found.pop()).toMatchObject({ filename: "pages/a.tsx" });
  expect(found.map((one) => JSON.stringify(one))).toEqual(
    written.map((one) => JSON.stringify(JSON.parse(one))),
  );
});

test("of several events only the first gets its source: the protocol allows one", async () => {
  const payload = JSON.stringify(event);
  const items = Array.from({ length: 3 }, () => [{ type: "event" }, payload] as const);
  const read = readEnvelope(await resolve(writeEnvelope({}, [...items]), standIn));
  if ("fault" in read) throw new Error(read.detail);
  const files = read.items.map((item) => String(Buffer.from(item.payload)).includes("lib/a.ts"));
  expect(files).toEqual([true, false, false]);
});

test("the resolver knows which side made an error", async () => {
  const origins: unknown[] = [];
  const resolver: FrameResolver = async (frames, { origin }) => {
    origins.push(origin);
    return frames.map(() => place);
  };
  const envelope = writeEnvelope({}, [[{ type: "event" }, JSON.stringify(event)]]);
  for (const origin of ["browser", "server"] as const) {
    await resolveEnvelope(wholeEnvelope(envelope), origin, resolver);
  }
  expect(origins).toEqual(["browser", "server"]);
});
