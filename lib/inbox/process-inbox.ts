import { outbox } from "@/lib/outbox";
import { processWide } from "@/lib/process-wide.js";
import { ReportIndex, type ReportSource } from "./report-index";

/** The inbox of this process. */
export function inbox(): ReportIndex {
  return processWide("inbox", () => new ReportIndex(reportSource()));
}

/** The outbox as the inbox reads it. */
function reportSource(): ReportSource {
  const source = outbox();
  return {
    list: async (range) => source.list(range),
    oldestId: async () => source.oldestId(),
    drops: async () => source.drops(),
  };
}
