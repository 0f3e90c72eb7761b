import { outbox } from "@/lib/outbox/process-outbox";
import { processWide } from "@/lib/process-wide";
import { ReportIndex } from "./report-index";

/** The inbox of this process. */
export function inbox(): ReportIndex {
  return processWide("inbox", () => new ReportIndex(outbox()));
}
