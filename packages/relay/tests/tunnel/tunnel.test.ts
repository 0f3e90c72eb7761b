import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { newServerEventId } from "@/packages/relay/src/envelope/server-ids";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { openOutbox, taken } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";
import { type Said, sayAndWait, startTunnel, type TunnelSetting } from "@/tests/support/tunnels";

const mebibyte = 1024 * 1024;
const behindProxy = { trustedProxies: ["loopback"] };
const from = (address: string) => ({ "X-Forwarded-For": address });
const large = envelopeOf({}, [{ type: "event" }, Buffer.alloc(2 * mebibyte - 100)]);

/** The tunnel refuses for now, and says when to try again. */
function expectPutOff(said: Said, status: 429 | 503, error: string): void {
  expect(said).toMatchObject({ status, body: { error } });
  const seconds = Number(said.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
}

describe("the tunnel", () => {
  it("says 200 and the event's id once the envelope is on disk", async () => {
    const { send, stored } = await startTunnel();
    const id = eventId();
    const said = await send(errorEnvelope(id));
    expect(said).toMatchObject({ status: 200, body: { id } });
    expect(said.headers["content-type"]).toMatch(/^application\/json/);
    expect(stored()).toHaveLength(1);
  });

  it("says null where the envelope has no id", async () => {
    const { send } = await startTunnel();
    const said = await send(envelopeOf({}, [{ type: "session" }, "{}"]));
    expect(said).toMatchObject({ status: 200, body: { id: null } });
  });

  it("keeps the payloads byte for byte, those of unknown types too", async () => {
    const { send, stored } = await startTunnel();
    const payload = Buffer.from([0, 10, 255, 10, 13, 0]);
    const items: [Record<string, unknown>, Uint8Array][] = [[{ type: "tomorrow", x: 1 }, payload]];
    await send(envelopeOf({}, ...items));
    expect(Buffer.from(stored()[0]?.envelope ?? [])).toEqual(envelopeOf({}, ...items));
  });

  it("stores no service that a client names", async () => {
    const { send, stored } = await startTunnel();
    await send(errorEnvelope());
    const text = Buffer.from(stored()[0]?.envelope ?? []).toString();
    expect(text).toContain("trace_id");
    expect(text).not.toContain("stranger");
  });

  it.each([
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", (bytes: Buffer) => bytes],
  ])("unpacks %s", async (encoding, pack) => {
    const { send, stored } = await startTunnel();
    const id = eventId();
    const said = await send(pack(errorEnvelope(id)), { "Content-Encoding": encoding });
    expect(said).toMatchObject({ status: 200, body: { id } });
    expect(Buffer.from(stored()[0]?.envelope ?? []).toString()).toContain(id);
  });

  it.each(["GET", "PUT", "DELETE", "OPTIONS", "PATCH"])("answers 405 to %s", async (method) => {
    const { send } = await startTunnel();
    const said = await send(Buffer.alloc(0), {}, method);
    expect(said).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(said.headers.allow).toBe("POST");
  });

  it.each([
    ["no envelope", Buffer.from("nonsense"), {}],
    ["nothing", Buffer.alloc(0), {}],
    ["an envelope without items", Buffer.from("{}\n"), {}],
    ["a broken gzip", Buffer.from("nonsense"), { "Content-Encoding": "gzip" }],
    ["half a gzip", gzipSync(errorEnvelope()).subarray(0, 50), { "Content-Encoding": "gzip" }],
    ["an empty gzip", Buffer.alloc(0), { "Content-Encoding": "gzip" }],
    ["a broken deflate", Buffer.from([7, 7, 7]), { "Content-Encoding": "deflate" }],
    [
      "half a deflate",
      deflateSync(errorEnvelope()).subarray(0, 50),
      { "Content-Encoding": "deflate" },
    ],
    [
      "half a br",
      brotliCompressSync(errorEnvelope()).subarray(0, 50),
      { "Content-Encoding": "br" },
    ],
    [
      "more behind a gzip",
      Buffer.concat([gzipSync(errorEnvelope()), Buffer.from("more")]),
      { "Content-Encoding": "gzip" },
    ],
    ["a broken br", Buffer.from("nonsense"), { "Content-Encoding": "br" }],
  ])("answers 400 to %s", async (_what, body, headers) => {
    const { send, stored } = await startTunnel();
    const said = await send(body, headers);
    expect(said).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^[a-z_]+$/), detail: expect.stringMatching(/\.$/) },
    });
    expect(stored()).toEqual([]);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("answers 400 where something stands behind the end of the %s", async (encoding, pack) => {
    const { send, stored } = await startTunnel();
    const body = Buffer.concat([pack(errorEnvelope()), Buffer.from("more")]);
    const said = await send(body, { "Content-Encoding": encoding });
    expect(said).toMatchObject({ status: 400, body: { error: "bad_encoding" } });
    expect(stored()).toEqual([]);
  });

  it.each(["zstd", "gzip, br", "x-gzip", "nonsense"])("answers 415 to %s", async (encoding) => {
    const { send } = await startTunnel();
    const said = await send(errorEnvelope(), { "Content-Encoding": encoding });
    expect(said).toMatchObject({ status: 415, body: { error: "unsupported_encoding" } });
  });

  it("answers 413 to more than it takes, by what the client says and by what it sends", async () => {
    const { send, stored } = await startTunnel({ maxBytes: 100_000 });
    const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(100_000)]);
    const chunks = Array.from({ length: 11 }, () => Buffer.alloc(10_000));
    const bomb = gzipSync(large);
    expect((await send(large, { "Content-Length": large.length })).status).toBe(413);
    expect((await send(chunks)).status).toBe(413);
    expect((await send(bomb, { "Content-Encoding": "gzip" })).status).toBe(413);
    expect(stored()).toEqual([]);
  });

  it("takes an envelope of just as many bytes as it may have", async () => {
    const { send } = await startTunnel({ maxBytes: 100_000 });
    const frame = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(99_000)]).length - 99_000;
    const whole = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(100_000 - frame)]);
    expect(whole).toHaveLength(100_000);
    expect((await send(whole)).status).toBe(200);
    expect((await send(gzipSync(whole), { "Content-Encoding": "gzip" })).status).toBe(200);
  });

  it("answers 413 to 10,000 items and to a header line of 1 MB", async () => {
    const { send } = await startTunnel();
    const items = Buffer.from(`{}\n${'{"type":"event"}\n{}\n'.repeat(10_000)}`);
    const line = envelopeOf({ note: "x".repeat(mebibyte) }, [{ type: "event" }, "{}"]);
    expect(await send(items)).toMatchObject({ status: 413, body: { error: "too_large" } });
    expect(await send(line)).toMatchObject({ status: 413, body: { error: "too_large" } });
  });

  it("answers 413 to header lines that take twenty times their bytes in memory", async () => {
    const { send, stored } = await startTunnel();
    const item = `{"type":"a","z":[${"{},".repeat(5_000)}0]}\n\n`;
    const said = await send(Buffer.from(`{}\n${item.repeat(99)}`));
    expect(said).toMatchObject({ status: 413, body: { error: "too_large" } });
    expect(stored()).toEqual([]);
  });

  it("tells of what it refuses, by the code of the answer, and not of what it takes", async () => {
    const refused: string[] = [];
    const { send } = await startTunnel({ rate: 3, onRefused: (reason) => refused.push(reason) });
    for (const body of [errorEnvelope(), Buffer.from("no envelope"), errorEnvelope()]) {
      await send(body);
    }
    await send(errorEnvelope());
    await send(errorEnvelope(), {}, "GET");
    expect(refused).toEqual(["malformed", "rate_limited", "method_not_allowed"]);
  });

  it("answers 503 when the outbox is full, and takes again when there is room", async () => {
    const { outbox } = openOutbox({ maxBytes: 128 * 1024 });
    const { send } = await startTunnel({ append: (...report) => outbox.append(...report) });
    const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(60_000)]);
    expect((await send(large)).status).toBe(200);
    const said = await send(large);
    expectPutOff(said, 503, "unavailable");
    const [report] = await outbox.claim({ limit: 1, without: 0 });
    if (report) await outbox.acknowledge(report, taken);
    await expect.poll(async () => (await send(large)).status).toBe(200);
  });

  it("answers 429 to an address that holds too much of an outbox that is more than half full", async () => {
    const { outbox } = openOutbox({ maxBytes: 128 * 1024 });
    const { send } = await startTunnel({ append: (...report) => outbox.append(...report) });
    const large = () => envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(35_000)]);
    expect([(await send(large())).status, (await send(large())).status]).toEqual([200, 200]);
    const said = await send(large());
    expectPutOff(said, 429, "rate_limited");
  });
});

it("says in JSON that it has failed itself, and logs why", async () => {
  const limited = () => {
    throw new Error("a defect");
  };
  const limits = { mayGo: limited, wait: () => 0, header: () => undefined };
  const { send, lines } = await startTunnel({ limits });
  const said = await send(transactionEnvelope());
  expect(said).toMatchObject({ status: 500, body: { error: "failed" } });
  expect(JSON.stringify(said)).not.toContain("defect");
  expect(lines[0]).toMatchObject({ level: "error", event: "tunnel failed" });
  expect(lines[0]?.fields.cause).toContain("a defect");
});

it("leaves room for errors while many bodies arrive", async () => {
  const memory = new BodyMemory(2 * 1024 * 1024);
  const { send } = await startTunnel({ memory });
  // All but 10 MiB of the whole.
  memory.take(54 * 1024 * 1024);
  const measurement = await send(transactionEnvelope());
  expect(measurement).toMatchObject({ status: 503, body: { error: "unavailable" } });
  expect((await send(errorEnvelope())).status).toBe(200);
  expect((await send(gzipSync(transactionEnvelope()), { "Content-Encoding": "gzip" })).status).toBe(
    200,
  );
});

describe("a body that never ends", () => {
  const patient = { totalMs: 60_000, intervalMs: 60_000 };
  const hasRoom = (memory: BodyMemory, bytes: number) => {
    const taken = memory.take(bytes);
    if (taken) memory.release(bytes);
    return taken;
  };
  /** Sends most of one of the largest envelopes. */
  const begin = (port: number, address: string) => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    const length = 2 * mebibyte;
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n`);
    client.write(`Content-Length: ${length}\r\n\r\n{}\n{"type":"event"}\n`);
    client.write(Buffer.alloc(length - 100_000));
    return client;
  };

  it("takes memory of its subscriber's share, whichever network of the subscriber's it comes from", async () => {
    const memory = new BodyMemory(2 * mebibyte);
    const { port, send } = await startTunnel({ memory, ...patient, ...behindProxy });
    for (let n = 0; n < 3; n++) begin(port, `2001:db8:1:${n}::1`);
    await expect.poll(() => hasRoom(memory, 64 * mebibyte - 3 * 1_950_000)).toBe(false);
    expect((await send(large, from("2001:db8:1:ffff::1"))).status).toBe(429);
    expect((await send(large, from("2001:db8:2::1"))).status).toBe(200);
  });

  it("counts for the rate of its address when its client leaves", async () => {
    const memory = new BodyMemory(2 * mebibyte);
    const limits = { rate: 20, ...patient };
    const { port, send } = await startTunnel({ memory, ...limits, ...behindProxy });
    const client = begin(port, "192.0.2.1");
    // All but a few bytes of what the client sends has arrived.
    await expect.poll(() => hasRoom(memory, 64 * mebibyte - 1_950_000)).toBe(false);
    client.destroy();
    await expect.poll(() => hasRoom(memory, 64 * mebibyte)).toBe(true);
    expect((await send(errorEnvelope(), from("192.0.2.1"))).status).toBe(429);
    expect((await send(errorEnvelope(), from("192.0.2.2"))).status).toBe(200);
  });
});

describe("whom the tunnel lets in", () => {
  it.each([
    ["a page of the same origin", { "Sec-Fetch-Site": "same-origin" }, 200],
    ["a visitor's own doing", { "Sec-Fetch-Site": "none" }, 200],
    ["another origin of the same site", { "Sec-Fetch-Site": "same-site" }, 403],
    ["another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a word that no browser says", { "Sec-Fetch-Site": "nonsense" }, 403],
    [
      "an old browser's page of this host",
      { Origin: "http://own.example", Host: "own.example" },
      200,
    ],
    ["the host with its port", { Origin: "https://own.example", Host: "Own.Example:443" }, 200],
    ["another port", { Origin: "http://own.example:81", Host: "own.example:80" }, 403],
    ["another host", { Origin: "http://other.example", Host: "own.example" }, 403],
    ["an opaque origin", { Origin: "null" }, 403],
    ["a client that is no browser", {}, 200],
    [
      "a host that only an untrusted client names",
      { Origin: "http://a.example", Host: "b.example", "X-Forwarded-Host": "a.example" },
      403,
    ],
  ])("%s: %j gives %i", async (_who, headers, status) => {
    const { send } = await startTunnel();
    expect((await send(errorEnvelope(), headers)).status).toBe(status);
  });

  it("believes a trusted proxy's name of the host", async () => {
    const { send } = await startTunnel({ ...behindProxy });
    const headers = {
      Origin: "https://own.example",
      Host: "10.0.0.1",
      "X-Forwarded-Host": "own.example",
    };
    expect((await send(errorEnvelope(), headers)).status).toBe(200);
  });

  const a = "192.0.2.1";
  it.each<[string, TunnelSetting, ...string[]]>([
    ["each address apart", { rate: 2, ...behindProxy }, a, a, `${a} 429`, "192.0.2.2"],
    [
      "all together, but for what was refused before",
      { rate: 2, totalRate: 3, ...behindProxy },
      ...[a, a, `${a} 429`, `${a} 429`, `${a} 429`, "192.0.2.2", "192.0.2.3 429"],
    ],
    [
      "an IPv6 network of one subscriber as one address",
      { rate: 1, ...behindProxy },
      ...["2001:db8:0:1::1", "2001:db8::1:ffff:0:0:1 429", "2001:db8:0:2::1"],
    ],
    ["an untrusted client's name for itself for nothing", { rate: 1 }, a, "192.0.2.2 429"],
  ])("counts %s", async (_whom, options, ...course) => {
    const { send } = await startTunnel(options);
    for (const request of course) {
      const [address = "", refused] = request.split(" ");
      const said = await send(errorEnvelope(), from(address));
      if (refused) expectPutOff(said, 429, "rate_limited");
      else expect(said.status, request).toBe(200);
    }
  });

  it("counts the bytes of an address after decompression, and answers 429 when they are too many", async () => {
    const { send, stored } = await startTunnel({ rate: 100, ...behindProxy });
    const zeros = gzipSync(large);
    expect(zeros.length).toBeLessThan(3000);
    const report = (address: string) =>
      send(zeros, { ...from(address), "Content-Encoding": "gzip" });
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await report("192.0.2.1")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(stored()).toHaveLength(5);
    const small = await send(errorEnvelope(), from("192.0.2.1"));
    expectPutOff(small, 429, "rate_limited");
    expect((await report("192.0.2.2")).status).toBe(200);
  });

  it.each([
    ["hold nothing", 0],
    ["turn out to be damaged", 1],
  ])("counts compressed bytes that %s", async (_what, damaged) => {
    const { send } = await startTunnel({ rate: 100 });
    const empty = gzipSync("");
    const body = Buffer.concat([...Array(50_000).fill(empty), empty.subarray(damaged)]);
    const statuses = [];
    for (let n = 0; n < 12; n++) {
      statuses.push((await send(body, { "Content-Encoding": "gzip" })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
  });

  it("counts the bytes of all addresses together", async () => {
    const { send } = await startTunnel({ rate: 100, totalRate: 60, ...behindProxy });
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      statuses.push((await send(large, from(`192.0.2.${n}`))).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it("counts what is parsed ten times, as it costs", async () => {
    const { send } = await startTunnel({ rate: 10, ...behindProxy });
    const event = { event_id: eventId(), extra: "x".repeat(50_000) };
    const report = (header: Record<string, unknown>) =>
      envelopeOf(header, [{ type: "event" }, JSON.stringify(event)]);
    const statuses = async (header: Record<string, unknown>, address: string) => {
      const said = [];
      for (let n = 0; n < 3; n++) said.push((await send(report(header), from(address))).status);
      return said;
    };
    expect(await statuses({}, "192.0.2.1")).toEqual([200, 200, 200]);
    expect(await statuses({ minimal: "build" }, "192.0.2.2")).toEqual([200, 200, 429]);
  });

  it("parses no more than the rate of an address allows, however many it has begun at once", async () => {
    let [begun, parsed] = [0, 0];
    const { port } = await startTunnel({
      rate: 10,
      clientOf: () => {
        begun += 1;
        return { address: "192.0.2.1", behindTrustedProxy: false };
      },
      receive: async (_envelope, _request, countParsing) => {
        await nextTurn();
        countParsing();
        parsed += 1;
        return "unwanted";
      },
    });
    const body = envelopeOf({}, [{ type: "event" }, Buffer.alloc(50_000, "x")]);
    const requests = Array.from({ length: 10 }, () => {
      const headers = { "Content-Length": body.length };
      const request = http.request({ port, method: "POST", agent: false, headers });
      request.flushHeaders();
      return request;
    });
    await expect.poll(() => begun).toBe(10);
    const answers = requests.map(async (request) => {
      const [response] = await once(request.end(body), "response");
      return response.statusCode;
    });
    expect((await Promise.all(answers)).filter((status) => status !== 429)).toEqual([200]);
    expect(parsed).toBe(1);
  });

  it("counts a visitor's message only once it is stored, so that trying again costs nobody a message", async () => {
    let isAway = true;
    const { send } = await startTunnel({
      append: async () => {
        if (isAway) throw new OutboxError("busy", "The database is away.");
      },
    });
    const messages = envelopeOf({}, [{ type: "feedback" }, "{}"], [{ type: "feedback" }, "{}"]);
    for (let n = 0; n < 7; n++) expect((await send(messages)).status).toBe(503);
    isAway = false;
    for (let n = 0; n < 5; n++) expect((await send(messages)).status).toBe(200);
    expectPutOff(await send(messages), 429, "rate_limited");
  });

  it("lets the largest envelope pass at the smallest rate", async () => {
    const { send } = await startTunnel({ rate: 1 });
    expect((await send(large)).status).toBe(200);
  });

  it("says 400, not 503, to what the outbox can't store for what it holds", async () => {
    const { send } = await startTunnel({
      append: async () => {
        throw new OutboxError("malformed", "The report can't be stored.");
      },
    });
    expect(await send(errorEnvelope())).toMatchObject({
      status: 400,
      body: { error: "unstorable" },
    });
  });

  describe("where an envelope bears the id of a server's event, as an error page shows it", () => {
    const id = newServerEventId();
    const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const escaped = [...id].map((digit) => `\\u00${digit.charCodeAt(0).toString(16)}`).join("");
    const event = (given: string) => `{"event_id":"${given}","message":"in its place"}`;
    const deep = `{"a":${"[".repeat(200)}${"]".repeat(200)},"event_id":"${id}"}`;

    it.each([
      ["for an error", envelopeOf({ event_id: id }, [{ type: "event" }, event(id)])],
      ["in its header alone", envelopeOf({ event_id: id }, [{ type: "event" }, "{}"])],
      ["in its event alone", envelopeOf({}, [{ type: "event" }, event(id)])],
      ["for feedback", envelopeOf({}, [{ type: "feedback" }, event(id)])],
      ["for a transaction", envelopeOf({}, [{ type: "transaction" }, event(id)])],
      ["for a file alone", envelopeOf({ event_id: id }, [{ type: "attachment" }, "text"])],
      ["without the SDK", envelopeOf({ minimal: true }, [{ type: "event" }, event(id)])],
      ["with dashes", envelopeOf({}, [{ type: "event" }, event(dashed.toUpperCase())])],
      [
        "with dashes among its last digits",
        envelopeOf({}, [{ type: "event" }, event(id.replace(/(....)$/, "-$1"))]),
      ],
      [
        "under an escaped name",
        envelopeOf({}, [{ type: "event" }, `{"\\u0065vent_id":"${dashed}"}`]),
      ],
      [
        "in another script's digits",
        envelopeOf({}, [{ type: "event" }, event(`${id.slice(1)}３`)]),
      ],
      [
        "as a long URN",
        envelopeOf({ event_id: "urn:".repeat(20) + id }, [{ type: "event" }, "{}"]),
      ],
      ["in braces", envelopeOf({ event_id: `{${dashed}}` }, [{ type: "event" }, "{}"])],
      ["written as escapes", envelopeOf({}, [{ type: "event" }, event(escaped)])],
      ["in what can't be parsed", envelopeOf({}, [{ type: "event" }, deep])],
    ])("it is refused: %s", async (_, envelope) => {
      const { send, stored } = await startTunnel();
      const refused = { status: 400, body: { error: "server_event_id" } };
      expect(await send(envelope)).toMatchObject(refused);
      expect(stored()).toEqual([]);
    });

    const about = JSON.stringify({
      event_id: eventId(),
      contexts: { feedback: { associated_event_id: id } },
    });
    it.each([
      ["feedback", envelopeOf({ event_id: eventId() }, [{ type: "feedback" }, about])],
      [
        "feedback of the older form",
        envelopeOf({ event_id: id }, [{ type: "user_report" }, event(id)]),
      ],
      ["an error with it among its tags", errorEnvelope(undefined, `see ${id}`)],
    ])("what is only about it is taken: %s", async (_, envelope) => {
      const { send } = await startTunnel();
      expect((await send(envelope)).status).toBe(200);
    });
  });

  it("leaves others their rate however many networks of one subscriber send", async () => {
    const { send } = await startTunnel({ rate: 10, totalRate: 160, ...behindProxy });
    const report = (address: string) => send(errorEnvelope(), from(address));
    const statuses = [];
    for (let n = 0; n < 30; n++) statuses.push((await report(`2001:db8:1:${n}::1`)).status);
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(10).fill(429)]);
    expect((await report("192.0.2.1")).status).toBe(200);
    expect((await report("2001:db8:2::1")).status).toBe(200);
  });

  it.each([
    ["evil, 192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:4711", "192.0.2.1"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["192.0.2.1:port", "127.0.0.1"],
    ["<script>", "127.0.0.1"],
  ])(
    "keeps of the forwarded %s the address %s, where it is to be passed on",
    async (name, kept) => {
      for (const reportClientIp of [true, false]) {
        const { send, outbox } = await startTunnel({ reportClientIp, ...behindProxy });
        await send(errorEnvelope(), from(name));
        const [report] = await outbox.claim({ limit: 1, without: 0 });
        expect(report?.clientAddress).toBe(reportClientIp ? kept : null);
      }
    },
  );
});

describe("when the service has asked for less", () => {
  it("answers 429 to what the service doesn't take, and passes its limits on", async () => {
    const { send, limits, stored } = await startTunnel();
    limits.learn(429, { "x-sentry-rate-limits": "120:transaction:organization" });
    const said = await send(transactionEnvelope());
    expect(said).toMatchObject({ status: 429, body: { error: "service_limited" } });
    expect(said.headers["retry-after"]).toMatch(/^1[012]\d$/);
    expect(said.headers["x-sentry-rate-limits"]).toMatch(/^1[012]\d:transaction:organization$/);
    expect(stored()).toEqual([]);
  });

  it.each(["event", "feedback", "user_report", "attachment"])(
    "takes %s all the same, and keeps its limit from SDKs, which would drop more",
    async (type) => {
      const { send, limits, stored } = await startTunnel();
      const headers = "120:error;feedback;attachment;session:organization";
      limits.learn(429, { "x-sentry-rate-limits": headers });
      const said = await send(envelopeOf({}, [{ type }, "{}"]));
      expect(said.status).toBe(200);
      expect(said.headers["x-sentry-rate-limits"]).toMatch(/^1[012]\d:session:organization$/);
      expect(stored()).toHaveLength(1);
    },
  );

  it("takes what holds something that the service takes", async () => {
    const { send, limits } = await startTunnel();
    limits.learn(429, { "x-sentry-rate-limits": "120:profile:organization" });
    const mixed = envelopeOf({}, [{ type: "transaction" }, "{}"], [{ type: "profile" }, "{}"]);
    expect((await send(mixed)).status).toBe(200);
    expect((await send(envelopeOf({}, [{ type: "profile" }, "{}"]))).status).toBe(429);
  });

  it("takes errors alone when the service takes nothing, and names all other categories", async () => {
    const { send, limits, stored } = await startTunnel();
    limits.learn(429, {});
    expect((await send(envelopeOf({}, [{ type: "client_report" }, "{}"]))).status).toBe(429);
    const { status, headers } = await send(errorEnvelope());
    expect(status).toBe(200);
    expect(headers["x-sentry-rate-limits"]).toMatch(
      /^\d+:default;transaction;span;session;replay;/,
    );
    expect(headers["x-sentry-rate-limits"]).not.toMatch(/error|feedback|attachment/);
    expect(stored()).toHaveLength(1);
  });
});

describe("against abuse, the tunnel", () => {
  it.each([
    ["stands still", { intervalMs: 50 }, "Content-Length: 100\r\n\r\n{}\n"],
    ["takes too long", { totalMs: 100 }, "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"],
  ])("hangs up on a body that %s", async (_what, limits, rest) => {
    const { port, stored } = await startTunnel(limits);
    const heard = await sayAndWait(port, `POST / HTTP/1.1\r\nHost: own.example\r\n${rest}`);
    expect(heard).toMatch(/^HTTP\/1.1 408 /);
    expect(heard).toContain('"error":"incomplete"');
    expect(stored()).toEqual([]);
  });

  it("hangs up on a body that comes a byte at a time, though it never stands still", async () => {
    const { port } = await startTunnel({ intervalMs: 200 });
    const socket = connect(port, "127.0.0.1");
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    socket.on("error", () => {});
    socket.write("POST / HTTP/1.1\r\nHost: own.example\r\nContent-Length: 500\r\n\r\n");
    const drip = setInterval(() => socket.write("x"), 20);
    await new Promise((resolve) => socket.on("close", resolve));
    clearInterval(drip);
    expect(heard).toContain('"error":"incomplete"');
  });

  it("hangs up on a body in chunks of one byte, and takes one of ordinary chunks", async () => {
    const { port, send } = await startTunnel();
    const heard = await sayAndWait(
      port,
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2_000)}`,
    );
    expect(heard).toMatch(/^HTTP\/1.1 400 /);
    expect(heard).toContain('"error":"fragmented"');
    const body = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(mebibyte)]);
    const pieces = Array.from({ length: Math.ceil(body.length / 1_400) }, (_, n) =>
      body.subarray(n * 1_400, (n + 1) * 1_400),
    );
    expect((await send(pieces)).status).toBe(200);
  });

  it("holds no more than it has reserved while many reports wait for the disk", async () => {
    const memory = new BodyMemory(2 * mebibyte);
    const waiting: (() => void)[] = [];
    const append = () => new Promise<void>((resolve) => waiting.push(resolve));
    const { send } = await startTunnel({ memory, append, ...behindProxy });
    // A kilobyte as it comes, and a thousand times as much as it is stored.
    const body = gzipSync(envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(mebibyte)]));
    const refused: number[] = [];
    const all: Promise<unknown>[] = [];
    for (let n = 1; n <= 90; n++) {
      const headers = { "Content-Encoding": "gzip", ...from(`192.0.2.${n}`) };
      const sent = send(body, headers).then(({ status }) => status !== 200 && refused.push(status));
      all.push(sent);
      await expect.poll(() => waiting.length + refused.length, { interval: 1 }).toBe(n);
    }
    expect(waiting.length).toBeLessThan(64);
    expect(new Set(refused)).toEqual(new Set([503]));
    for (const stored of waiting) stored();
    await Promise.all(all);
    expect(memory.take(64 * mebibyte)).toBe(true);
  });

  it("lets a small refused body pass and keeps the connection", async () => {
    const { port } = await startTunnel();
    const refused = "PUT / HTTP/1.1\r\nHost: own.example\r\nContent-Length: 5\r\n\r\n";
    const last = "PUT / HTTP/1.1\r\nHost: own.example\r\nConnection: close\r\n\r\n";
    const heard = await sayAndWait(port, `${refused}12345${last}`);
    expect(heard.match(/HTTP\/1.1 405 /g)).toHaveLength(2);
  });

  it("takes many compressed bodies at once, one after the other", async () => {
    const { send, stored } = await startTunnel();
    const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    const said = await Promise.all(
      Array.from({ length: 12 }).flatMap(() =>
        Object.entries(encodings).map(([encoding, compress]) =>
          send(compress(errorEnvelope()), { "Content-Encoding": encoding }),
        ),
      ),
    );
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([200]));
    expect(stored()).toHaveLength(36);
  });

  it("refuses 30 MB bodies, declared and not, and gzip bombs, in bounded memory", async () => {
    const { send, stored } = await startTunnel();
    const piece = Buffer.alloc(mebibyte);
    const pieces = Array.from({ length: 30 }, () => piece);
    const bomb = gzipSync(Buffer.alloc(100 * mebibyte));
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 5; round++) {
      const said = await Promise.all([
        send(pieces, { "Content-Length": 30 * mebibyte }),
        send(pieces),
        send(bomb, { "Content-Encoding": "gzip" }),
      ]);
      expect(said.map(({ status }) => status)).toEqual([413, 413, 413]);
    }
    // 5 rounds of 60 MB sent and 100 MB packed: were any of it kept, it would show.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * mebibyte);
    expect(stored()).toEqual([]);
  });

  it("forgets a client that breaks off, and goes on", async () => {
    const { port, send, lines } = await startTunnel();

    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{}", () => {
          socket.resetAndDestroy();
        });
      });
      socket.on("close", () => resolve());
    });
    expect((await send(errorEnvelope())).status).toBe(200);
    expect(lines).toEqual([]);
  });
});
