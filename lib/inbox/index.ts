import { outbox } from "@/lib/outbox";
import { ReportIndex } from "./report-index";

const key = Symbol.for("signpost.inbox");

/** The process's one inbox. Shared through `globalThis`: Next bundles each page for itself. */
export function inbox(): ReportIndex {
  const shared = globalThis as unknown as Record<symbol, ReportIndex | undefined>;
  shared[key] ??= new ReportIndex(outbox());
  return shared[key];
}
