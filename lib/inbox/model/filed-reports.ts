import type { Drops } from "@/lib/envelope/client-report";
import type { StoredReport } from "@/lib/outbox/outbox";
import type { Rows } from "@/lib/outbox/rows";
import { type Unshown, type UnshownKind, unshownKinds } from "./unshown";

/** What the inbox needs of the outbox. */
export interface ReportSource {
  rows: Rows;
  /** @returns reports with ids over `after`, ascending */
  list(range: { after: number; limit: number }): Promise<StoredReport[]>;
  /** All reports and records that were dropped since the outbox was created. */
  drops(): Promise<Drops[]>;
}

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
  constructor(private readonly source: ReportSource) {}

  /** @returns the stored report, or nothing if it has been dropped by now */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.source.list({ after: id - 1, limit: 1 });
    return found?.id === id ? found : undefined;
  }

  async counts(): Promise<ReportCounts> {
    const [drops, quantities] = await Promise.all([this.source.drops(), this.#quantities()]);
    const quantityOf = (kind: string) => quantities.get(kind) ?? 0;
    const isUnshown = (kind: string) => (unshownKinds as readonly string[]).includes(kind);
    return {
      reports: quantityOf("report"),
      unshown: Object.fromEntries(
        [...quantities].filter(([kind]) => isUnshown(kind)) as [UnshownKind, number][],
      ),
      unreadable: quantityOf("unreadable") + quantityOf("fault"),
      dropped: drops.reduce((sum, { quantity }) => sum + quantity, 0),
    };
  }

  async #quantities(): Promise<Map<string, number>> {
    const found = await this.source.rows.select<{ kind: string; quantity: number }>({
      text: `select kind, cast(sum(quantity) as bigint) as quantity from {unfiled_items} group by kind
        union all select 'report', count(*) from {reports}
        union all select 'fault', count(*) from {filings} where fault is not null`,
    });
    return new Map(found.map(({ kind, quantity }) => [kind, quantity]));
  }
}
