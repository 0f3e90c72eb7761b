import type { GroupState } from "@/lib/outbox/outbox";
import type { ErrorGroup } from "./error-groups";

/**
 * - `open`: nobody has decided anything about it
 * - `came-back`: resolved, and seen again since
 * - `resolved`, `ignored`: as somebody has decided
 */
export type GroupStatus = "open" | "came-back" | "resolved" | "ignored";

/** What was decided, by the id that a group had at that time. */
export type GroupStates = ReadonlyMap<string, GroupState>;

export function byGroup(states: readonly GroupState[]): GroupStates {
  return new Map(states.map((one) => [one.group, one]));
}

export function statusOf(group: ErrorGroup, states: GroupStates): GroupStatus {
  const decided = decisionsAbout(group, states)[0];
  if (!decided) return "open";
  if (decided.state === "ignored") return "ignored";
  return group.lastAt > decided.since ? "came-back" : "resolved";
}

/**
 * What was decided about a group under its present id and under the one that most of its errors had
 * before.
 *
 * @returns the latest decision first
 */
export function decisionsAbout(group: ErrorGroup, states: GroupStates): GroupState[] {
  if (states.size === 0) return [];
  const found = [group.id, group.inheritedId].flatMap((id) => (id && states.get(id)) || []);
  return found.sort((a, b) => b.since - a.since);
}

/** Whether an error was seen for the first time in the release that runs now. */
export function isNew(group: ErrorGroup, runningRelease: string): boolean {
  return group.events.at(-1)?.release === runningRelease;
}
