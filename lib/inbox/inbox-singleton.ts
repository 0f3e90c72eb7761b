import { addTables, outbox, runtimeConfig, singleton } from "@signpost/sentry/server";
import { appConfig } from "@/lib/base/config/app-config";
import { InboxDestination } from "./destination";
import { ErrorGroups } from "./model/error-groups";
import { FiledFeedback } from "./model/feedback";
import { FiledPerformance } from "./model/filed-performance";
import { FiledReports } from "./model/filed-reports";
import { boundsOf, pruneLater } from "./pruning";
import { inboxTables } from "./tables";

/** Creates the inbox's tables beside the outbox. Must be called before the first use of either. */
export function addInboxTables(): void {
  addTables(inboxTables);
}

/** The inbox of this process. */
export function inbox() {
  return singleton("inbox", () => {
    const { driver } = outbox();
    return {
      reports: new FiledReports(driver),
      groups: new ErrorGroups(driver),
      performance: new FiledPerformance(driver),
      feedback: new FiledFeedback(driver),
      destination: new InboxDestination({
        outbox: outbox(),
        release: runtimeConfig().release,
        bounds: boundsOf(appConfig()),
      }),
    };
  });
}

/** How often rows are removed whose time is over, where nothing more is filed. */
const pruneMs = 3_600_000;

/** Removes what was filed in its time from now on, also where a service gets the reports. */
export function startPruning(): void {
  singleton("pruning", () => {
    const prune = () => void pruneLater(outbox().driver, boundsOf(appConfig()));
    prune();
    return setInterval(prune, pruneMs).unref();
  });
}
