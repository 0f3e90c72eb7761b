import { bareApp } from "./support/bare-app.js";
import { comparisonApp } from "./support/comparison-apps.js";
import { visit } from "./support/load.js";
import { documentedSignpost, unreportedSignpost } from "./support/own-pages.js";
import { processorTime } from "./support/processes.js";
import { sentrySetup } from "./support/sentry-setup.js";
import { serverPage } from "./support/server-page.js";
import { startNext, startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { startSink } from "./support/sink.js";
import { interleaved, lowerMean, median } from "./support/statistics.js";
import { kilobytes, milliseconds, printTable, ratio } from "./support/table.js";

const rounds = 12;
const load = { requests: 300, concurrency: 8 };
const warmUp = { requests: 1500, concurrency: 8 };

/** Processor time per request of `/server`: bare, with Sentry as documented, and Signpost. */
export async function server() {
  await buildSignpost();
  const sink = await startSink();
  const env = { SENTRY_DSN: sink.dsn, SENTRY_TRACES_SAMPLE_RATE: "0.1" };
  const signpost = await startSignpost(env);
  const page = await serverPage(signpost.origin);
  const servers = {
    "bare Next": await startNext(await comparisonApp("bare-server", { ...bareApp, ...page })),
    "documented Sentry set-up": await startNext(
      await comparisonApp("sentry-server", { ...bareApp, ...page, ...sentrySetup }),
      env,
    ),
    "Signpost's pages, nothing reported": await startNext(
      await comparisonApp("unreported", unreportedSignpost()),
    ),
    "the same, documented Sentry set-up": await startNext(
      await comparisonApp("documented", documentedSignpost()),
      env,
    ),
    Signpost: signpost,
  };
  const names = /** @type {(keyof typeof servers)[]} */ (Object.keys(servers));
  for (const name of names) await visit(`${servers[name].origin}/server`, warmUp);

  const cost = await interleaved(rounds, names, async (name) => {
    const { origin, pid } = servers[name];
    const before = processorTime(pid);
    await visit(`${origin}/server`, load);
    return (processorTime(pid) - before) / load.requests;
  });

  console.log(
    `Processor time per request of /server: ${rounds} interleaved rounds of ${load.requests} requests,` +
      ` ${load.concurrency} at a time. Errors all, traces 10 %. Bare Next renders the elements that` +
      " Signpost's components make, without components, languages or a document of its own.\n",
  );
  const bare = cost["bare Next"];
  const own = cost["Signpost's pages, nothing reported"];
  const rows = [];
  for (const name of names) {
    const html = await (await fetch(`${servers[name].origin}/server`)).arrayBuffer();
    rows.push([
      name,
      ratio(median(cost[name]) / median(bare)),
      ratio(lowerMean(cost[name]) / lowerMean(bare)),
      ratio(median(cost[name]) / median(own)),
      ratio(lowerMean(cost[name]) / lowerMean(own)),
      milliseconds(median(cost[name])),
      milliseconds(lowerMean(cost[name])),
      kilobytes(html.byteLength),
    ]);
  }
  printTable(
    [
      "set-up",
      "÷ bare, median",
      "lower half",
      "÷ same pages, median",
      "lower half",
      "median",
      "lower half",
      "HTML",
    ],
    rows,
  );
  console.log(`\n${(await sink.taken()).length} envelopes reached the service meanwhile.`);
  for (const name of names) await servers[name].stop();
}
