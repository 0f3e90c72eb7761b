import { runtimeConfig } from "@/lib/config/runtime";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { singleton } from "@/lib/singleton";
import { ErrorGroups } from "./model/error-groups";
import { FiledErrors } from "./model/filed-errors";
import { FiledFeedback } from "./model/filed-feedback";
import { FiledPerformance } from "./model/filed-performance";
import { FiledReports } from "./model/filed-reports";
import { Filer } from "./model/filer";
import type { Sources } from "./views/page-data";

interface Inbox extends Sources {
  filer: Filer;
}

/** The inbox of this process. */
export function inbox(): Inbox {
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

/** Files reports from now on. Does nothing where a service gets the reports. */
export function startFiling(): void {
  if (!runtimeConfig().dsn) inbox().filer.start();
}

/** Files what can be filed at once, and no more. Does nothing where nothing is filed. */
export async function stopFiling(): Promise<void> {
  if (!runtimeConfig().dsn) await inbox().filer.stop(maxStopMs);
}
