import { readFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type Behaviour, type Service, startService } from "../support/service.ts";
import { errorEnvelope } from "./support/envelopes.ts";
import { ask } from "./support/load.ts";
import { residentMemory } from "./support/processes.ts";
import { buildSignpost, startSignpost } from "./support/servers.ts";
import { mebibytes, printTable } from "./support/table.ts";

const pages = [
  ...["/", "/de", "/ar/static", "/incremental/alpha", "/server", "/de/dynamic/a-1", "/feedback"],
  ...["/catch-all/one/two", "/optional/x", "/slow?ms=50", "/moved", "/missing", "/no-such-page"],
];
const dataOf = [
  ...["en/server.json", "de/static.json", "en/dynamic/a-1.json?id=a-1"],
  "en/incremental/alpha.json?slug=alpha",
];

/** What the service does, two seconds each, over and over. */
const weather: [name: string, behaviour: Behaviour][] = [
  ["ok", "ok"],
  ["dead", "refuse"],
  ["ok", "ok"],
  ["500", () => 500],
  ["ok", "ok"],
  ["hang", "hang"],
  ["ok", "ok"],
  // Without a time given, an SDK keeps away for a minute, which is longer than a bench.
  ["429", () => ({ status: 429, headers: { "Retry-After": "1" } })],
];

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
 * @param length seconds
 */
export async function soak(length = "60"): Promise<void> {
  const seconds = Number(length);
  if (!(seconds >= 1)) throw new Error(`Expected a number of seconds, got ${length}`);
  await buildSignpost();
  const service = await startService();
  // Only what is posted here is counted: the server's own traces would come on top.
  const server = await startSignpost({ SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0" });
  const data = `/_next/data/${readFileSync(".next/BUILD_ID", "utf8")}`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  /** Answers by kind and status. */
  const answers: Record<string, Record<string, number>> = {};
  const accepted = new Set<unknown>();
  const under: Promise<unknown>[] = [];
  const asked = async (kind: string, path: string, options: Parameters<typeof ask>[2] = {}) => {
    const { status } = await ask(agent, server.origin + path, options);
    answers[kind] ??= {};
    answers[kind][status] = (answers[kind][status] ?? 0) + 1;
    return status;
  };
  const post = (kind: string, body: Uint8Array) =>
    asked(kind, "/api/relay", { method: "POST", body });
  const good = async () => {
    const { id, body } = errorEnvelope();
    if ((await post("good envelopes", body)) === 200) accepted.add(id);
  };

  const course: string[][] = [];
  const begin = performance.now();
  for (let turn = 0; performance.now() - begin < seconds * 1000; turn += 1) {
    // Ten turns a second.
    if (turn % 20 === 0) {
      const [name, behaviour] = pick(weather, turn / 20);
      await service.behave(behaviour);
      course.push([
        `${((performance.now() - begin) / 1000).toFixed(0)} s`,
        name,
        mebibytes(residentMemory(server.pid)),
        String(accepted.size),
        String(idsAt(service).size),
      ]);
    }
    for (let at = 0; at < 4; at += 1) under.push(asked("pages", pick(pages, turn * 4 + at)));
    const headers = { "x-nextjs-data": "1" };
    under.push(asked("page data", `${data}/${pick(dataOf, turn)}`, { headers }));
    for (let at = 0; at < 10; at += 1) under.push(good());
    under.push(post("bad envelopes", Buffer.from(pick(badEnvelopes, turn))));
    await wait(100);
  }
  await Promise.all(under);
  await service.behave("ok");
  const missing = () => {
    const delivered = idsAt(service);
    return [...accepted].filter((id) => !delivered.has(id)).length;
  };
  // As long as the dispatcher may pause, and some more.
  await service.waitFor(() => missing() === 0, 120_000).catch(() => {});

  console.log(`Everything at once for ${seconds} s, the service coming and going.\n`);
  printTable(["time", "service", "resident", "accepted", "delivered"], course);
  console.log();
  const told = (statuses: Record<string, number>) =>
    Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
  printTable(
    ["", "answers (0: broken off)"],
    Object.entries(answers).map(([kind, statuses]) => [kind, told(statuses).join(", ")]),
  );
  const failed = [answers.pages, answers["page data"]]
    .flatMap((statuses) => Object.entries(statuses ?? {}))
    .filter(([status]) => /^[05]/.test(status))
    .reduce((sum, [, times]) => sum + times, 0);
  console.log(`\nPages and page data that failed: ${failed}.`);
  console.log(
    `Envelopes accepted: ${accepted.size}, missing: ${missing()},` +
      ` delivered again: ${service.envelopes.length - idsAt(service).size}.`,
  );
  console.log(`Memory at the end: ${mebibytes(residentMemory(server.pid))}.`);
  agent.destroy();
  console.log(`The server stopped with ${await server.stop()}.`);
  if (failed > 0 || missing() > 0) process.exitCode = 1;
}

function idsAt({ envelopes }: Service): Set<unknown> {
  return new Set(envelopes.map(({ header }) => header.event_id));
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}
