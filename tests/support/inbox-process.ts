import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorGroups } from "@/lib/inbox/model/error-groups";
import { FiledErrors } from "@/lib/inbox/model/filed-errors";
import { FiledFeedback } from "@/lib/inbox/model/filed-feedback";
import { FiledPerformance } from "@/lib/inbox/model/filed-performance";
import { FiledReports } from "@/lib/inbox/model/filed-reports";
import { Filer } from "@/lib/inbox/model/filer";
import { formatter } from "@/lib/inbox/views/formatter";
import { readFilter, viewNames } from "@/lib/inbox/views/hrefs";
import { type ListRequest, listView } from "@/lib/inbox/views/list-view";
import { listData } from "@/lib/inbox/views/page-data";
import { SqliteOutbox } from "@/lib/outbox/sqlite/sqlite-outbox";
import { fullReport, inboxBounds } from "./crowded-inbox";

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
}

const [file = ""] = process.argv.slice(2);
const outbox = new SqliteOutbox({
  file,
  bounds: inboxBounds,
  log: () => {},
  now: () => Date.now() + 120_000,
});
// Opened by now, as in a server that takes reports.
await outbox.stats();
const sources = {
  reports: new FiledReports(outbox),
  errors: new FiledErrors(outbox.rows),
  groups: new ErrorGroups(outbox.rows),
  performance: new FiledPerformance(outbox.rows),
  feedback: new FiledFeedback(outbox.rows),
};
const filer = new Filer(outbox.rows, {
  release: "1",
  // No stack is resolved in time, and none waits any longer: see the outbox's clock.
  resolver: async (frames) => frames.map(() => ({ resolved: false, late: true })),
});

/** What a page of the list does. */
async function show(n: number): Promise<ListRequest> {
  await filer.file();
  const now = Date.now();
  const format = formatter(now);
  const name = viewNames[n % viewNames.length] ?? "errors";
  const filter = readFilter(new URLSearchParams());
  const query = { name, page: 1, filter, runningRelease: "1", now };
  const asked = await listData(sources, query);
  JSON.stringify(listView(asked, format));
  return asked;
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

async function countOf(table: string): Promise<number | undefined> {
  const text = `select count(*) as count from {${table}}`;
  return (await outbox.rows.select<{ count: number }>({ text }))[0]?.count;
}

let shown: ListRequest | undefined;
const look = (n: number) =>
  measure(async () => {
    shown = await show(n);
  });
const first = await look(0);
const refreshes: Cost[] = [];
for (let n = 0; n < 10; n += 1) {
  await outbox.append(fullReport(inboxBounds.maxReports + 1 + n), "browser");
  refreshes.push(await look(n));
}
const { heapUsed, rss } = process.memoryUsage();
const figures: InboxFigures = {
  reports: shown?.kept.reports ?? 0,
  errors: shown?.counts.others ?? 0,
  measurements: (await countOf("measurements")) ?? 0,
  unreadable: shown?.kept.unreadable ?? 0,
  heapMb: Math.round(heapUsed / 2 ** 20),
  rssMb: Math.round(rss / 2 ** 20),
  first,
  refreshes,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
outbox.close();
