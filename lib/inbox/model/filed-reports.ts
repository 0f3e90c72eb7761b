import { log, oncePerMinute } from "@/lib/log";
import type { Outbox, StoredReport } from "@/lib/outbox/outbox";
import type { Unshown } from "./unshown";

/** What is kept, and what of it is not shown. */
export interface ReportCounts {
  /** Number of reports kept, including those with nothing to show. */
  reports: number;
  /** Number of items of kinds that are not shown. */
  unshown: Unshown;
  /** Number of items that could not be read, and of reports that could not be filed. */
  unreadable: number;
  /** Number of items that were dropped because they were too old or too many. */
  dropped: number;
}

/** Reads the reports themselves, and how much of them was filed. All promises may reject with an OutboxError. */
export class FiledReports {
  constructor(private readonly outbox: Outbox) {}

  /** @returns the stored report, or nothing if it has been dropped by now */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.outbox.list({ after: id - 1, limit: 1 });
    return found?.id === id ? found : undefined;
  }

  async counts(): Promise<ReportCounts> {
    const [drops, quantities] = await Promise.all([
      this.outbox.drops(),
      this.outbox.rows.select<{ kind: string; quantity: number }>({
        text: `select kind, cast(sum(quantity) as bigint) as quantity from {unfiled_items}
            group by kind
          union all select 'report', count(*) from {reports}
          union all select 'fault', count(*) from {filings} where fault is not null`,
      }),
    ]);
    const ofKind: Record<string, number> = Object.fromEntries(
      quantities.map(({ kind, quantity }) => [kind, quantity]),
    );
    const { report = 0, unreadable = 0, fault = 0, ...unshown } = ofKind;
    return {
      reports: report,
      unshown,
      unreadable: unreadable + fault,
      dropped: drops.reduce((sum, { quantity }) => sum + quantity, 0),
    };
  }
}

const logRepeated = oncePerMinute(log);

/**
 * Reads a report that others are shown beside. Readers don't throw, whatever is in a report; should
 * one do so, only that report is missing.
 *
 * @returns nothing where reading fails
 */
export function readOrSkip<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    logRepeated("warn", "report not read", { cause: String(error) });
    return undefined;
  }
}
