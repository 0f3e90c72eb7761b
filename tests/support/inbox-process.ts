import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { filterValues, readFilter } from "@/lib/inbox/error-filter";
import { formatter } from "@/lib/inbox/formatter";
import { byGroup } from "@/lib/inbox/group-status";
import { viewNames } from "@/lib/inbox/hrefs";
import { listView } from "@/lib/inbox/list-view";
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
// Stacks wait for their source for ever.
const index = new ReportIndex(outbox, async (frames) =>
  frames.map(() => ({ resolved: false, late: true })),
);

/** What a page of the list does with the contents. */
function show(contents: Contents): number {
  const now = Date.now();
  const format = formatter(now);
  const name = viewNames[now % viewNames.length] ?? "errors";
  const values = filterValues(contents.errors);
  const filter = readFilter(new URLSearchParams());
  const asked = { name, page: 1, filter, values, states: byGroup([]), runningRelease: "1", now };
  return JSON.stringify(listView(contents, asked, format)).length;
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
    contents = await index.look();
    show(contents);
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
  errors: contents?.errors.length ?? 0,
  left: contents?.left ?? 0,
  unreadable: contents?.unreadable ?? 0,
  heapMb: Math.round(heapUsed / 2 ** 20),
  rssMb: Math.round(rss / 2 ** 20),
  first,
  refreshes,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
outbox.close();
