import type { Driver } from "@/lib/relay/outbox/driver";
import type { StoredReport } from "@/lib/relay/outbox/outbox";
import type { Unshown } from "./digest";

export interface ReportCounts {
  /** Including those with nothing to show. */
  reports: number;
  /** Numbers of items. */
  unshown: Unshown;
  /** Items that could not be read, and reports that could not be filed. */
  unreadable: number;
  /** Items that were too old or too many. */
  dropped: number;
}

/** All promises may reject with an OutboxError. */
export class FiledReports {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  /** @returns the report, or nothing if it is not kept any longer */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.driver.read<StoredReport>({
      text: `select report_id as id, kept_at as "receivedAt", origin, server, categories, envelope
        from {kept_reports} where report_id = $1`,
      values: [id],
    });
    return found;
  }

  async counts(): Promise<ReportCounts> {
    const quantities = await this.driver.read<{ kind: string; quantity: number }>({
      text: `select kind, cast(sum(quantity) as bigint) as quantity from {unfiled_items}
          group by kind
        union all select 'report', count(*) from {kept_reports}
        union all select 'dropped', cast(coalesce(sum(quantity), 0) as bigint) from {drops}`,
    });
    const ofKind = Object.fromEntries(quantities.map((one) => [one.kind, one.quantity]));
    const { report = 0, unreadable = 0, dropped = 0, ...unshown } = ofKind;
    return { reports: report, unshown, unreadable, dropped };
  }
}
