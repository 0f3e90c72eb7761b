import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { readFilter } from "@/lib/inbox/error-filter";
import { FiledErrors } from "@/lib/inbox/filed-errors";
import { FiledFeedback } from "@/lib/inbox/filed-feedback";
import { Filer } from "@/lib/inbox/filer";
import { formatter } from "@/lib/inbox/formatter";
import { viewNames } from "@/lib/inbox/hrefs";
import { listView } from "@/lib/inbox/list-view";
import { listData } from "@/lib/inbox/page-data";
import { type Contents, ReportIndex } from "@/lib/inbox/report-index";
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
  left: number;
  unreadable: number;
  heapMb: number;
  rssMb: number;
  first: Cost;
  refreshes: Cost[];
}

const [file = ""] = process.argv.slice(2);
const outbox = new SqliteOutbox({ file, bounds: inboxBounds, log: () => {} });
// Opened by now, as in a server that takes reports.
await outbox.stats();
const reports = new ReportIndex(outbox);
const errors = new FiledErrors(outbox.rows);
const feedback = new FiledFeedback(outbox.rows);
const filer = new Filer(outbox.rows, {
  release: "1",
  // No stack is resolved in time, and none waits any longer.
  resolver: async (frames) => frames.map(() => ({ resolved: false, late: true })),
  now: () => Date.now() + 120_000,
});

/** What a page of the list does. */
async function show(): Promise<Contents> {
  await filer.file();
  const now = Date.now();
  const format = formatter(now);
  const name = viewNames[now % viewNames.length] ?? "errors";
  const filter = readFilter(new URLSearchParams());
  const query = { name, page: 1, filter, runningRelease: "1", now };
  const { contents, asked } = await listData({ reports, errors, feedback }, query);
  JSON.stringify(listView(contents, asked, format));
  return contents;
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

let contents: Contents | undefined;
const look = () =>
  measure(async () => {
    contents = await show();
  });
const first = await look();
const refreshes: Cost[] = [];
for (let n = 0; n < 10; n += 1) {
  await outbox.append(fullReport(inboxBounds.maxReports + 1 + n), "browser");
  refreshes.push(await look());
}
const { heapUsed, rss } = process.memoryUsage();
const figures: InboxFigures = {
  reports: contents?.reports ?? 0,
  errors: (await errors.counts()).others,
  left: contents?.left ?? 0,
  unreadable: contents?.unreadable ?? 0,
  heapMb: Math.round(heapUsed / 2 ** 20),
  rssMb: Math.round(rss / 2 ** 20),
  first,
  refreshes,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
outbox.close();
