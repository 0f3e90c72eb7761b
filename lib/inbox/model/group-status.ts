import type { ErrorGroup } from "./filed-errors";

/**
 * - `open`: nobody has decided anything about it
 * - `came-back`: resolved, and seen again since
 * - `resolved`, `ignored`: as somebody has decided
 */
export type GroupStatus = "open" | "came-back" | "resolved" | "ignored";

export function statusOf({
  decision,
  lastAt,
}: Pick<ErrorGroup, "decision" | "lastAt">): GroupStatus {
  if (!decision) return "open";
  if (decision.state === "ignored") return "ignored";
  return lastAt > decision.since ? "came-back" : "resolved";
}
