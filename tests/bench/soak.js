import { readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { errorEnvelope } from "./support/envelopes.js";
import { ask } from "./support/load.js";
import { residentMemory } from "./support/processes.js";
import { startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { startSink } from "./support/sink.js";
import { mebibytes, printTable } from "./support/table.js";

const pages = [
  "/",
  "/de",
  "/ar/static",
  "/incremental/alpha",
  "/server",
  "/de/dynamic/a-1",
  "/catch-all/one/two",
  "/optional/x",
  "/slow?ms=50",
  "/moved",
  "/missing",
  "/feedback",
  "/no-such-page",
];
const dataOf = [
  "en/server.json",
  "de/static.json",
  "en/dynamic/a-1.json?id=a-1",
  "en/incremental/alpha.json?slug=alpha",
];

/** What the service does, a while each, over and over. @type {import("./support/sink.js").Behaviour[]} */
const weather = ["ok", "dead", "ok", 500, "ok", "hang", "ok", 429];

/** None of these may get further than the door. */
const badEnvelopes = [
  "",
  "not an envelope",
  '{"event_id":"0123456789abcdef0123456789abcdef"}\n',
  '{}\n{"type":"event","length":1000000}\n{}\n',
  '{}\n{"length":2}\n{}\n',
  `{}\n{"type":"event"}\n${"x".repeat(3_000_000)}\n`,
];

/**
 * Everything at once: visits, page data, good and bad envelopes, and a service that comes and goes.
 *
 * @param {string} [length] seconds
 */
export async function soak(length = "60") {
  const seconds = Number(length);
  if (!(seconds >= 1)) throw new Error(`Expected a number of seconds, got ${length}`);
  await buildSignpost();
  const sink = await startSink();
  // Only what is posted here is counted: the server's own traces would come on top.
  const server = await startSignpost({ SENTRY_DSN: sink.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  const data = `/_next/data/${readFileSync(".next/BUILD_ID", "utf8")}`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  /** @type {Record<string, Record<string, number>>} answers by kind and status */
  const answers = {};
  /** @type {Set<string>} */
  const accepted = new Set();
  /** @type {Promise<unknown>[]} */
  const under = [];
  const count = async (
    /** @type {string} */ kind,
    /** @type {Promise<import("./support/load.js").Answer>} */ answer,
  ) => {
    const { status } = await answer;
    answers[kind] ??= {};
    answers[kind][status] = (answers[kind][status] ?? 0) + 1;
    return status;
  };
  const get = (/** @type {string} */ kind, /** @type {string} */ path, headers = {}) =>
    count(kind, ask(agent, server.origin + path, { headers }));
  const post = (/** @type {string} */ kind, /** @type {Uint8Array} */ body) =>
    count(kind, ask(agent, `${server.origin}/api/relay`, { method: "POST", body }));
  const good = async () => {
    const { id, body } = errorEnvelope();
    if ((await post("good envelopes", body)) === 200) accepted.add(id);
  };

  /** @type {string[][]} */
  const course = [];
  const begin = performance.now();
  for (let turn = 0; performance.now() - begin < seconds * 1000; turn += 1) {
    // Ten turns a second.
    if (turn % 20 === 0) {
      const now = weather[(turn / 20) % weather.length] ?? "ok";
      await sink.behave(now);
      course.push([
        `${((performance.now() - begin) / 1000).toFixed(0)} s`,
        String(now),
        mebibytes(residentMemory(server.pid)),
        String(accepted.size),
        String(new Set(await sink.taken()).size),
      ]);
    }
    for (let at = 0; at < 4; at += 1) under.push(get("pages", pick(pages, turn * 4 + at)));
    under.push(get("page data", `${data}/${pick(dataOf, turn)}`, { "x-nextjs-data": "1" }));
    for (let at = 0; at < 10; at += 1) under.push(good());
    under.push(post("bad envelopes", Buffer.from(pick(badEnvelopes, turn))));
    await wait(100);
  }
  await Promise.all(under);
  await sink.behave("ok");
  const delivered = await untilDelivered(sink, accepted);
  const taken = await sink.taken();

  console.log(`Everything at once for ${seconds} s, the service coming and going.\n`);
  printTable(["time", "service", "resident", "accepted", "delivered"], course);
  console.log();
  printTable(
    ["", "answers"],
    Object.entries(answers).map(([kind, statuses]) => [
      kind,
      Object.entries(statuses)
        .map(([status, times]) => `${times} × ${status === "0" ? "broken off" : status}`)
        .join(", "),
    ]),
  );
  const failed = Object.entries({ ...answers.pages, ...prefixed(answers["page data"]) })
    .filter(([status]) => /^(data )?(5|0)/.test(status))
    .reduce((sum, [, times]) => sum + times, 0);
  console.log(`\nPages and page data that failed: ${failed}.`);
  console.log(
    `Envelopes accepted: ${accepted.size}, delivered: ${delivered}, missing: ${accepted.size - delivered},` +
      ` delivered again: ${taken.length - new Set(taken).size}.`,
  );
  console.log(`Memory at the end: ${mebibytes(residentMemory(server.pid))}.`);
  agent.destroy();
  console.log(`The server stopped with ${await server.stop()}.`);
  if (failed > 0 || delivered < accepted.size) process.exitCode = 1;
}

/** @param {Record<string, number>} [statuses] */
function prefixed(statuses = {}) {
  return Object.fromEntries(Object.entries(statuses).map(([key, value]) => [`data ${key}`, value]));
}

/**
 * Waits for all that was accepted, as long as the courier may pause, and some more.
 *
 * @param {import("./support/sink.js").Sink} sink
 * @param {Set<string>} accepted
 * @returns {Promise<number>} how many of them the service has
 */
async function untilDelivered(sink, accepted) {
  const end = performance.now() + 120_000;
  for (;;) {
    const taken = new Set(await sink.taken());
    const delivered = [...accepted].filter((id) => taken.has(id)).length;
    if (delivered === accepted.size || performance.now() > end) return delivered;
    await wait(500);
  }
}

/** @template T @param {readonly T[]} list @param {number} at */
function pick(list, at) {
  return /** @type {T} */ (list[at % list.length]);
}
