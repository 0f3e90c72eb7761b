import { setTimeout as wait } from "node:timers/promises";
import { startPostgres } from "../support/postgres.js";
import { type Service, startService } from "../support/service.ts";
import { bareApp, comparisonApp, config } from "./support/comparison-apps.ts";
import { storm, visit } from "./support/load.ts";
import { processorTime, processorWait, residentMemory } from "./support/processes.ts";
import { buildSignpost, startNext, startSignpost } from "./support/servers.ts";
import { interleaved, lowerMean, median, quantile } from "./support/statistics.ts";
import { mebibytes, milliseconds, printTable, ratio } from "./support/table.ts";

const rounds = 8;
const load = { rate: 300, seconds: 3 };
const stormLoad = { rate: 500, seconds: 4 };
const stormRounds = 6;
const backlog = 4000;
/** Where a rewrite leads is fixed by the build, so the service has a port of its own. */
const port = 4799;

/** What an envelope costs, and what the service's absence costs visitors and memory. */
export async function relay(): Promise<void> {
  await buildSignpost();
  const service = await startService({ port });
  // As it runs in production: it waits for the disk.
  const postgres = await startPostgres([]);
  const inSchema = (name: string) => ({ DATABASE_URL: postgres.url, DATABASE_SCHEMA: name });
  await costPerEnvelope(service, inSchema("cost"));
  await serviceDead(service, "SQLite", {});
  await serviceDead(service, "Postgres", inSchema("dead"));
  await deliveredPerSecond(service, inSchema);
  await postgres.stop();
}

/** Sentry's own `tunnelRoute` is a rewrite, which checks and keeps nothing. */
const rewriting = {
  ...bareApp,
  ...config({
    more: `rewrites: async () => [
    { source: "/rewritten", destination: "http://127.0.0.1:${port}/api/42/envelope/" },
  ],`,
  }),
};

async function costPerEnvelope(service: Service, postgres: Record<string, string>): Promise<void> {
  const unresolved = { SENTRY_DSN: service.dsn, SENTRY_RESOLVE_STACKS: "off" };
  const servers = {
    rewrite: await startNext(await comparisonApp("relay", rewriting)),
    SQLite: await startSignpost(unresolved),
    "SQLite, stacks resolved": await startSignpost({ SENTRY_DSN: service.dsn }),
    Postgres: await startSignpost({ ...unresolved, ...postgres }),
  };
  const names = Object.keys(servers) as (keyof typeof servers)[];
  const measure = async (name: keyof typeof servers) => {
    const { origin, pid } = servers[name];
    forget(service);
    const before = processorTime(pid);
    const sent = await storm(`${origin}${name === "rewrite" ? "/rewritten" : "/api/relay"}`, load);
    await service.waitFor(({ envelopes }) => envelopes.length >= sent);
    return (processorTime(pid) - before) / sent;
  };
  // The processes take a while to become as fast as they get.
  for (let warmUp = 0; warmUp < 3; warmUp += 1) for (const name of names) await measure(name);
  const cost = await interleaved(rounds, names, measure);
  console.log(
    `Processor time per envelope of 3 kB, until the service has it: ${rounds} interleaved rounds of` +
      ` ${load.seconds} s at ${load.rate}/s. Signpost's is on disk before it is answered. Of Postgres` +
      " only the app's part is counted.\n",
  );
  printTable(
    ["way", "÷ rewrite, median", "lower half", "median", "lower half"],
    names.map((name) => [
      name,
      ratio(median(cost[name]) / median(cost.rewrite)),
      ratio(lowerMean(cost[name]) / lowerMean(cost.rewrite)),
      milliseconds(median(cost[name])),
      milliseconds(lowerMean(cost[name])),
    ]),
  );
  for (const name of names) await servers[name].stop();
}

async function serviceDead(
  service: Service,
  engine: string,
  env: Record<string, string>,
): Promise<void> {
  await service.behave("refuse");
  const server = await startSignpost({ SENTRY_DSN: service.dsn, ...env });
  const page = `${server.origin}/server`;
  await visit(page, { requests: 1000, concurrency: 8 });
  const memory = [["before", mebibytes(residentMemory(server.pid)), "0"]];
  const [quiet, busy] = [rest(), rest()];
  let accepted = 0;
  for (let round = 1; round <= stormRounds; round += 1) {
    const visits = () => visitFor(page, stormLoad.seconds);
    await measured(server.pid, quiet, visits);
    await measured(server.pid, busy, async () => {
      const [times, sent] = await Promise.all([
        visits(),
        storm(`${server.origin}/api/relay`, stormLoad),
      ]);
      accepted += sent;
      return times;
    });
    const resident = mebibytes(residentMemory(server.pid));
    memory.push([`after storm ${round}`, resident, String(accepted)]);
  }
  console.log(
    `\n${engine}: /server while ${stormLoad.rate} envelopes/s arrive and the service is dead, against quiet:` +
      ` ${stormRounds} interleaved rounds of ${stormLoad.seconds} s, 50 visits a second.\n`,
  );
  const row = (name: string, of: (one: Measured) => number) => {
    return [name, ratio(of(busy) / of(quiet)), milliseconds(of(quiet)), milliseconds(of(busy))];
  };
  printTable(
    ["waiting", "storm / quiet", "quiet", "storm"],
    [
      row("p50", ({ times }) => quantile(times, 0.5)),
      row("p99", ({ times }) => quantile(times, 0.99)),
      row("p99, median of rounds", ({ p99 }) => median(p99)),
      row("p99, lower half of rounds", ({ p99 }) => lowerMean(p99)),
    ],
  );
  const share = ({ waited, elapsed }: Measured) => `${((100 * waited) / elapsed).toFixed(0)} %`;
  console.log(
    `\nThe storm costs ${milliseconds((busy.processor - quiet.processor) / accepted)} of processor time per` +
      ` envelope. The server found no processor free for ${share(quiet)} of the quiet time and ${share(busy)}` +
      " of the storm: what that says of the waiting is the machine's, not Signpost's.",
  );
  console.log("\nMemory while the service is dead:\n");
  printTable(["", "resident", "envelopes kept"], memory);
  await server.stop();
}

/** How fast a backlog leaves, by one to four servers on one Postgres. */
async function deliveredPerSecond(
  service: Service,
  inSchema: (name: string) => Record<string, string>,
): Promise<void> {
  const rows: string[][] = [];
  for (const count of [1, 2, 4]) {
    await service.behave("refuse");
    forget(service);
    const env = { SENTRY_DSN: service.dsn, ...inSchema(`delivered_${count}`) };
    const first = await startSignpost(env);
    const sent = await storm(`${first.origin}/api/relay`, { rate: 500, seconds: backlog / 500 });
    await first.stop();
    await service.behave("ok");
    const servers = await Promise.all(Array.from({ length: count }, () => startSignpost(env)));
    const ready = performance.now();
    await service.waitFor(({ envelopes }) => envelopes.length >= sent);
    const seconds = (performance.now() - ready) / 1000;
    rows.push([String(count), (sent / seconds).toFixed(0)]);
    await Promise.all(servers.map((server) => server.stop()));
  }
  console.log(`\nDelivered per second of a backlog of ${backlog} in Postgres:\n`);
  printTable(["servers", "envelopes/s"], rows);
}

function forget(service: Service): void {
  service.envelopes.length = 0;
  service.attempts.length = 0;
}

/** What rounds of one kind have shown, all in milliseconds. */
type Measured = ReturnType<typeof rest>;

function rest() {
  const none: number[] = [];
  return { times: none, p99: [...none], processor: 0, waited: 0, elapsed: 0 };
}

/** Adds a round to what was measured of its kind. */
async function measured(pid: number, sum: Measured, run: () => Promise<number[]>): Promise<void> {
  const now = () => [processorTime(pid), processorWait(pid), performance.now()] as const;
  const before = now();
  const times = await run();
  const after = now();
  sum.times.push(...times);
  sum.p99.push(quantile(times, 0.99));
  sum.processor += after[0] - before[0];
  sum.waited += after[1] - before[1];
  sum.elapsed += after[2] - before[2];
}

/** Visits a page 50 times a second, however long the answers take. @returns milliseconds of each */
async function visitFor(url: string, seconds: number): Promise<number[]> {
  const visits: Promise<number[]>[] = [];
  for (let at = 0; at < seconds * 50; at += 1) {
    visits.push(visit(url, { requests: 1, concurrency: 1 }));
    await wait(20);
  }
  return (await Promise.all(visits)).flat();
}
