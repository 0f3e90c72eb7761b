import { startService } from "../support/service.ts";
import { comparisonApp } from "./support/comparison-apps.ts";
import { visit } from "./support/load.ts";
import { documentedSignpost, unreportedSignpost } from "./support/own-pages.ts";
import { processorTime } from "./support/processes.ts";
import { buildSignpost, startNext, startSignpost } from "./support/servers.ts";
import { interleaved, lowerMean, median } from "./support/statistics.ts";
import { milliseconds, printTable, ratio } from "./support/table.ts";

const rounds = 12;
const load = { requests: 300, concurrency: 8 };
const warmUp = { requests: 1500, concurrency: 8 };
const unreported = "nothing reported";

/**
 * Processor time per request of `/server`: the same pages unreported, with Sentry's guide, and Signpost,
 * without metrics and with them.
 */
export async function server(): Promise<void> {
  await buildSignpost();
  const service = await startService();
  const env = { SENTRY_DSN: service.dsn, SENTRY_TRACES_SAMPLE_RATE: "0.1" };
  const documented = await comparisonApp("documented", documentedSignpost());
  const servers = {
    [unreported]: await startNext(await comparisonApp("unreported", unreportedSignpost())),
    "documented Sentry set-up": await startNext(documented, env),
    Signpost: await startSignpost(env),
    "Signpost with METRICS_TOKEN": await startSignpost({ ...env, METRICS_TOKEN: "x".repeat(16) }),
  };
  const names = Object.keys(servers) as (keyof typeof servers)[];
  for (const name of names) await visit(`${servers[name].origin}/server`, warmUp);
  const cost = await interleaved(rounds, names, async (name) => {
    const { origin, pid } = servers[name];
    const before = processorTime(pid);
    await visit(`${origin}/server`, load);
    return (processorTime(pid) - before) / load.requests;
  });
  console.log(
    `Processor time per request of Signpost's /server: ${rounds} interleaved rounds of` +
      ` ${load.requests} requests, ${load.concurrency} at a time. Errors all, traces 10 %.\n`,
  );
  printTable(
    ["reporting", "÷ nothing reported, median", "lower half", "median", "lower half"],
    names.map((name) => [
      name,
      ratio(median(cost[name]) / median(cost[unreported])),
      ratio(lowerMean(cost[name]) / lowerMean(cost[unreported])),
      milliseconds(median(cost[name])),
      milliseconds(lowerMean(cost[name])),
    ]),
  );
  console.log(`\n${service.envelopes.length} envelopes reached the service meanwhile.`);
  for (const name of names) await servers[name].stop();
}
