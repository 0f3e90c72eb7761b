import { runtimeConfig } from "@/lib/config/runtime";
import { log } from "@/lib/log";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { singleton } from "@/lib/singleton";
import { ErrorGroups } from "./model/error-groups";
import { filedBounds, pruneRows } from "./model/filed-bounds";
import { FiledErrors } from "./model/filed-errors";
import { FiledFeedback } from "./model/filed-feedback";
import { FiledPerformance } from "./model/filed-performance";
import { FiledReports } from "./model/filed-reports";
import { Filer } from "./model/filer";

/** The inbox of this process. */
export function inbox() {
  return singleton("inbox", () => {
    const { rows } = outbox();
    return {
      reports: new FiledReports(outbox()),
      errors: new FiledErrors(rows),
      groups: new ErrorGroups(rows),
      performance: new FiledPerformance(rows),
      feedback: new FiledFeedback(rows),
      filer: new Filer(rows, { release: runtimeConfig().release }),
    };
  });
}

/** How long the end of the server waits for reports that came in last, in milliseconds. */
const maxStopMs = 1_000;

/** How often rows are removed whose time is over, where nothing more is filed. */
const pruneMs = 3_600_000;

/**
 * Files reports from now on. Where a service gets the reports, it files nothing, and what was filed
 * before is still removed in its time.
 */
export function startFiling(): void {
  if (!runtimeConfig().dsn) inbox().filer.start();
  else {
    void prune();
    singleton("pruning", () => setInterval(() => void prune(), pruneMs).unref());
  }
}

async function prune(): Promise<void> {
  const { rows } = outbox();
  try {
    await pruneRows(rows, filedBounds, await rows.now());
  } catch (error) {
    log("warn", "filed reports not removed", { cause: String(error) });
  }
}

/** Files what can be filed at once, and no more. Does nothing where nothing is filed. */
export async function stopFiling(): Promise<void> {
  if (!runtimeConfig().dsn) await inbox().filer.stop(maxStopMs);
}
