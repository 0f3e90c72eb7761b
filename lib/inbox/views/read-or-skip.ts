import { log, oncePerMinute } from "@/lib/log";
import type { StoredReport } from "@/lib/outbox/outbox";

const logRepeated = oncePerMinute(log);

/**
 * Reads a report that others are shown beside. Readers don't throw, whatever is in a report; should
 * one do so, only that report is missing.
 *
 * @returns nothing where reading fails
 */
export function readOrSkip<T>(
  report: StoredReport,
  read: (report: StoredReport) => T,
): T | undefined {
  try {
    return read(report);
  } catch (error) {
    logRepeated("warn", "report not read", { cause: String(error) });
    return undefined;
  }
}
