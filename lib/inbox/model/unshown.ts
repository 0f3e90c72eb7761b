import type { EnvelopeItem } from "@/lib/envelope/read-envelope";

/** Kinds of items that the outbox keeps, and the inbox shows only the number of. */
export const unshownKinds = [
  "logs",
  "metrics",
  "checkIns",
  "sessions",
  "replays",
  "profiles",
] as const;
export type UnshownKind = (typeof unshownKinds)[number];

/** How many of each; none of the others. */
export type Unshown = Partial<Record<UnshownKind, number>>;

/** A recording comes with its `replay_event`, which is counted. */
const ofItemType: ReadonlyMap<string, UnshownKind> = new Map([
  ["log", "logs"],
  ["metric", "metrics"],
  ["trace_metric", "metrics"],
  ["statsd", "metrics"],
  ["check_in", "checkIns"],
  ["session", "sessions"],
  ["sessions", "sessions"],
  ["replay_event", "replays"],
  ["profile", "profiles"],
  ["profile_chunk", "profiles"],
]);

/** Sentry's containers hold no more logs or metrics. */
const maxInContainer = 1000;

/** Leaves out items of kinds that are shown, and those that count what was dropped. */
export function unshownItems(items: readonly EnvelopeItem[]): Unshown {
  const counts: Unshown = {};
  for (const { type, header } of items) {
    const kind = ofItemType.get(type);
    if (!kind) continue;
    counts[kind] = (counts[kind] ?? 0) + countIn(header.item_count);
  }
  return counts;
}

/** @param itemCount a client's word */
function countIn(itemCount: unknown): number {
  if (!Number.isInteger(itemCount)) return 1;
  return Math.min(Math.max(itemCount as number, 1), maxInContainer);
}
