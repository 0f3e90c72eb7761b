import { outbox } from "@/lib/outbox";
import { processWide } from "@/lib/process-wide.js";
import { ReportIndex } from "./report-index";

/** The inbox of this process. */
export function inbox(): ReportIndex {
  return processWide("inbox", () => new ReportIndex(outbox()));
}
