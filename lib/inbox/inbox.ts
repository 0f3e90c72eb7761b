import { addTables, type Driver, outbox, runtimeConfig, singleton } from "@signpost/sentry/server";
import { inboxConfig as appConfig } from "@/lib/config";
import { InboxDestination } from "./destination";
import { ErrorGroups } from "./model/error-groups";
import { FiledFeedback } from "./model/feedback";
import { FiledPerformance } from "./model/filed-performance";
import { FiledReports } from "./model/filed-reports";
import { boundsOf, pruneLater } from "./pruning";
import { inboxTables } from "./tables";

/**
 * Has the inbox's tables beside the outbox. Must be called before the first use of either. Where a service gets
 * the reports, none are filed: what was filed before is still removed in its time, and an inbox that this build
 * can't use must not stop what goes to the service.
 */
export function addInboxTables(): void {
  addTables({ ...inboxTables, isOptional: runtimeConfig().dsn !== undefined });
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

/** Whether there are tables of the inbox that this build can use. */
async function areThere(driver: Driver): Promise<boolean> {
  const { name, migrations } = inboxTables;
  const newest = migrations.at(-1)?.version ?? 0;
  const text = "select * from {versions} where name = $1";
  type Found = { version: number; latest?: number | null };
  // The outbox logs why it can't be read.
  const [found] = await driver.read<Found>({ text, values: [name] }).catch(() => []);
  return (
    found !== undefined && found.version <= newest && (found.latest ?? found.version) >= newest
  );
}

/** Removes what was filed in its time from now on, also where a service gets the reports. */
export function startPruning(): void {
  singleton("pruning", () => {
    const { driver } = outbox();
    const prune = async () => {
      if (await areThere(driver)) await pruneLater(driver, boundsOf(appConfig()));
    };
    void prune();
    return setInterval(prune, pruneMs).unref();
  });
}
