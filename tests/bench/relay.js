import { setTimeout as wait } from "node:timers/promises";
import { startPostgres } from "../support/postgres.js";
import { comparisonApp } from "./support/comparison-apps.js";
import { storm, visit } from "./support/load.js";
import { processorTime, processorWait, residentMemory } from "./support/processes.js";
import { relayApp, rewritePort } from "./support/relay-app.js";
import { startNext, startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { startSink } from "./support/sink.js";
import { interleaved, lowerMean, median, quantile } from "./support/statistics.js";
import { mebibytes, milliseconds, printTable, ratio } from "./support/table.js";

const rounds = 8;
const load = { rate: 300, seconds: 3 };
const stormLoad = { rate: 500, seconds: 4 };
const stormRounds = 6;
const servers = [1, 2, 4];
const backlog = 4000;

/** Both engines, by the variables that choose them. @typedef {Record<string, string>} Engine */

/** What an envelope costs, and what the service's absence costs visitors and memory. */
export async function relay() {
  await buildSignpost();
  const sink = await startSink(rewritePort);
  // As it runs in production: it waits for the disk.
  const postgres = await startPostgres([]);
  const engine = (/** @type {string} */ schema) => ({
    DATABASE_URL: postgres.url,
    DATABASE_SCHEMA: schema,
  });
  await costPerEnvelope(sink, engine("cost"));
  await serviceDead(sink, "SQLite", {});
  await serviceDead(sink, "Postgres", engine("dead"));
  await deliveredPerSecond(sink, engine);
  await postgres.stop();
}

/**
 * @param {import("./support/sink.js").Sink} sink
 * @param {Engine} postgres
 */
async function costPerEnvelope(sink, postgres) {
  const folder = await comparisonApp("relay", relayApp);
  const servers = {
    "Next's rewrite": { server: await startNext(folder), path: "/rewritten" },
    "fetch in an API route": { server: await startNext(folder), path: "/api/fetched" },
    "Signpost, SQLite": {
      server: await startSignpost({ SENTRY_DSN: sink.dsn, SENTRY_RESOLVE_STACKS: "off" }),
      path: "/api/relay",
    },
    "Signpost, SQLite, stacks resolved": {
      server: await startSignpost({ SENTRY_DSN: sink.dsn }),
      path: "/api/relay",
    },
    "Signpost, Postgres": {
      server: await startSignpost({
        SENTRY_DSN: sink.dsn,
        SENTRY_RESOLVE_STACKS: "off",
        ...postgres,
      }),
      path: "/api/relay",
    },
  };
  const names = /** @type {(keyof typeof servers)[]} */ (Object.keys(servers));
  const measure = async (/** @type {keyof typeof servers} */ name) => {
    const { server, path } = servers[name];
    await sink.forget();
    const before = processorTime(server.pid);
    const { accepted, statuses } = await storm(server.origin + path, load);
    if (accepted.length !== load.rate * load.seconds) {
      throw new Error(`${name} did not take all: ${JSON.stringify(statuses)}`);
    }
    await untilTaken(sink, accepted.length);
    return (processorTime(server.pid) - before) / accepted.length;
  };
  // The processes take a while to become as fast as they get.
  for (let warmUp = 0; warmUp < 3; warmUp += 1) for (const name of names) await measure(name);
  const cost = await interleaved(rounds, names, measure);

  console.log(
    `Processor time per envelope of 3 kB, until the service has it: ${rounds} interleaved rounds of` +
      ` ${load.seconds} s at ${load.rate}/s. Signpost's is on disk before it is answered. Of Postgres` +
      " only the app's part is counted.\n",
  );
  const anchor = cost["Next's rewrite"];
  printTable(
    ["way", "median", "lower half", "median", "lower half"],
    names.map((name) => [
      name,
      ratio(median(cost[name]) / median(anchor)),
      ratio(lowerMean(cost[name]) / lowerMean(anchor)),
      milliseconds(median(cost[name])),
      milliseconds(lowerMean(cost[name])),
    ]),
  );
  for (const name of names) await servers[name].server.stop();
}

/**
 * @param {import("./support/sink.js").Sink} sink
 * @param {string} name of the engine
 * @param {Engine} engine
 */
async function serviceDead(sink, name, engine) {
  await sink.behave("dead");
  const server = await startSignpost({ SENTRY_DSN: sink.dsn, ...engine });
  const page = `${server.origin}/server`;
  await visit(page, { requests: 1000, concurrency: 8 });
  const quietMemory = residentMemory(server.pid);

  /** @type {{ quiet: number[], storm: number[] }} */
  const times = { quiet: [], storm: [] };
  /** @type {{ quiet: number[], storm: number[] }} p99 of each round */
  const rounds99 = { quiet: [], storm: [] };
  /** @type {string[][]} */
  const memory = [["before", mebibytes(quietMemory), "0"]];
  const used = { quiet: usage(), storm: usage() };
  let accepted = 0;
  for (let round = 0; round < stormRounds; round += 1) {
    const quiet = await used.quiet(server.pid, () => visitFor(page, stormLoad.seconds));
    const [during, { accepted: taken, statuses }] = await used.storm(server.pid, () =>
      Promise.all([
        visitFor(page, stormLoad.seconds),
        storm(`${server.origin}/api/relay`, stormLoad),
      ]),
    );
    if (taken.length !== stormLoad.rate * stormLoad.seconds) {
      throw new Error(`Not all were taken: ${JSON.stringify(statuses)}`);
    }
    accepted += taken.length;
    times.quiet.push(...quiet);
    times.storm.push(...during);
    rounds99.quiet.push(quantile(quiet, 0.99));
    rounds99.storm.push(quantile(during, 0.99));
    memory.push([
      `after storm ${round + 1}`,
      mebibytes(residentMemory(server.pid)),
      String(accepted),
    ]);
  }

  console.log(
    `\n${name}: /server while ${stormLoad.rate} envelopes/s arrive and the service is dead, against quiet:` +
      ` ${stormRounds} interleaved rounds of ${stormLoad.seconds} s, 50 visits a second.\n`,
  );
  const row = (
    /** @type {string} */ name,
    /** @type {number} */ quiet,
    /** @type {number} */ busy,
  ) => [name, ratio(busy / quiet), milliseconds(quiet), milliseconds(busy)];
  printTable(
    ["waiting", "storm / quiet", "quiet", "storm"],
    [
      row("p50", quantile(times.quiet, 0.5), quantile(times.storm, 0.5)),
      row("p99", quantile(times.quiet, 0.99), quantile(times.storm, 0.99)),
      row("p99, median of rounds", median(rounds99.quiet), median(rounds99.storm)),
      row("p99, lower half of rounds", lowerMean(rounds99.quiet), lowerMean(rounds99.storm)),
    ],
  );
  const perEnvelope = (used.storm.sum.processor - used.quiet.sum.processor) / accepted;
  console.log(
    `\nThe storm costs ${milliseconds(perEnvelope)} of processor time per envelope. The server found no` +
      ` processor free for ${share(used.quiet)} of the quiet time and ${share(used.storm)} of the storm:` +
      " what that says of the waiting is the machine's, not Signpost's.",
  );
  console.log("\nMemory while the service is dead:\n");
  printTable(["", "resident", "envelopes kept"], memory);
  await server.stop();
}

/**
 * How fast a backlog leaves, by one to four servers on one Postgres.
 *
 * @param {import("./support/sink.js").Sink} sink
 * @param {(schema: string) => Engine} engine
 */
async function deliveredPerSecond(sink, engine) {
  /** @type {string[][]} */
  const rows = [];
  for (const count of servers) {
    await sink.behave("dead");
    await sink.forget();
    const env = { SENTRY_DSN: sink.dsn, ...engine(`delivered_${count}`) };
    const first = await startSignpost(env);
    const { accepted } = await storm(`${first.origin}/api/relay`, {
      rate: 500,
      seconds: backlog / 500,
    });
    await first.stop();
    await sink.behave("ok");
    const begin = performance.now();
    const started = await Promise.all(Array.from({ length: count }, () => startSignpost(env)));
    const ready = performance.now();
    await untilTaken(sink, accepted.length);
    const seconds = (performance.now() - ready) / 1000;
    rows.push([String(count), (accepted.length / seconds).toFixed(0), milliseconds(ready - begin)]);
    await Promise.all(started.map((server) => server.stop()));
  }
  console.log(`\nDelivered per second of a backlog of ${backlog} in Postgres:\n`);
  printTable(["servers", "envelopes/s", "their start"], rows);
}

/** Sums up what a process uses while something goes on. */
function usage() {
  const sum = { processor: 0, waited: 0, elapsed: 0 };
  /**
   * @template T
   * @param {number} pid
   * @param {() => Promise<T>} run
   * @returns {Promise<T>}
   */
  const during = async (pid, run) => {
    const before = [processorTime(pid), processorWait(pid), performance.now()];
    const result = await run();
    const after = [processorTime(pid), processorWait(pid), performance.now()];
    const [processor = 0, waited = 0, elapsed = 0] = after.map(
      (now, at) => now - (before[at] ?? 0),
    );
    sum.processor += processor;
    sum.waited += waited;
    sum.elapsed += elapsed;
    return result;
  };
  return Object.assign(during, { sum });
}

/** @param {ReturnType<typeof usage>} usage */
function share({ sum }) {
  return `${((100 * sum.waited) / sum.elapsed).toFixed(0)} %`;
}

/**
 * Visits a page 50 times a second, however long the answers take.
 *
 * @param {string} url
 * @param {number} seconds
 * @returns {Promise<number[]>} milliseconds of each
 */
async function visitFor(url, seconds) {
  const visits = [];
  for (let at = 0; at < seconds * 50; at += 1) {
    visits.push(visit(url, { requests: 1, concurrency: 1 }));
    await wait(20);
  }
  return (await Promise.all(visits)).flat();
}

/**
 * @param {import("./support/sink.js").Sink} sink
 * @param {number} count
 */
async function untilTaken(sink, count) {
  const end = performance.now() + 30_000;
  while ((await sink.taken()).length < count) {
    if (performance.now() > end) throw new Error(`The service never got all ${count} envelopes.`);
    await wait(50);
  }
}
