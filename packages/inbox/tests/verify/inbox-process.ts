import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { pageDocument } from "@/packages/inbox/src/pages/documents";
import { filedBounds } from "@/packages/inbox/src/pruning";
import { readFilter, viewNames } from "@/packages/inbox/src/views/hrefs";
import { type ListView, listData } from "@/packages/inbox/src/views/page-data";
import { countIn, filerOf, sourcesOf } from "@/packages/inbox/tests/support/inbox";
import { Outbox } from "@/packages/relay/src/outbox/outbox";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { everyTable } from "@/tests/support/outboxes";
import { crowd, fullReport } from "./crowded-inbox";

/** What one step took: milliseconds of processor time, and of the event loop's longest turn. */
interface Cost {
  cpuMs: number;
  turnMs: number;
}

/** Written to the standard output as one line of JSON. */
export interface InboxFigures {
  reports: number;
  errors: number;
  measurements: number;
  unreadable: number;
  heapMb: number;
  rssMb: number;
  first: Cost;
  refreshes: Cost[];
  /** How long it took until all was filed. */
  filingMs: number;
}

// Fills an inbox in a file, `FILE`, and opens it, in a process whose memory a test can limit.
const [file = ""] = process.argv.slice(2);
const driver = new SqliteDriver({ file, tables: everyTable });
const outbox = new Outbox(driver, { maxBytes: 2 ** 28, maxAgeMs: 86_400_000, log: () => {} });
const filer = filerOf(outbox, {
  release: "1",
  resolve: async (frames) => {
    // As long as reports that come together hold their memory.
    await delay(1);
    return frames.map(() => ({ resolved: false, late: false }));
  },
});
const sources = sourcesOf(outbox);

const site = { basePath: "", title: "", style: "/a.css", script: "/a.js", url: "/reports" };

/** What a page of the list does. */
async function show(n: number): Promise<ListView> {
  await filer.file();
  const now = Date.now();
  const name = viewNames[n % viewNames.length] ?? "errors";
  const filter = readFilter(new URLSearchParams());
  const query = { name, page: 1, filter, runningRelease: "1", now };
  const view = await listData(sources, query);
  await pageDocument({ view, now }, site);
  return view;
}

async function measure(work: () => Promise<void>): Promise<Cost> {
  const turns = monitorEventLoopDelay({ resolution: 1 });
  turns.enable();
  // The first turn is not counted.
  await delay(5);
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  await delay(5);
  turns.disable();
  return { cpuMs: Math.round((user + system) / 1000), turnMs: Math.round(turns.max / 1e6) };
}

const begin = performance.now();
await crowd(outbox, filer.file);
const filingMs = Math.round(performance.now() - begin);
let shown: ListView | undefined;
const look = (n: number) =>
  measure(async () => {
    shown = await show(n);
  });
const first = await look(0);
const refreshes: Cost[] = [];
for (let n = 0; n < 10; n += 1) {
  await outbox.append(fullReport(filedBounds.kept_reports.count + 1 + n), "browser");
  refreshes.push(await look(n));
}
const { heapUsed, rss } = process.memoryUsage();
const figures: InboxFigures = {
  reports: shown?.kept.reports ?? 0,
  errors: shown?.totals.errors ?? 0,
  measurements: await countIn(outbox, "measurements"),
  unreadable: shown?.kept.unreadable ?? 0,
  heapMb: Math.round(heapUsed / 2 ** 20),
  rssMb: Math.round(rss / 2 ** 20),
  first,
  refreshes,
  filingMs,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
await outbox.close();
