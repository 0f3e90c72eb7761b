/**
 * The categories by which a service limits and counts reports, with the types of items in each. Each
 * category is one bit of a `CategorySet`, by its place.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/#definitions
 * Add new ones at the end only: sets are stored as numbers.
 */
const itemTypes = {
  default: [],
  error: ["event"],
  transaction: ["transaction"],
  span: ["span"],
  session: ["session", "sessions"],
  attachment: ["attachment"],
  feedback: ["user_report", "feedback"],
  replay: ["replay_event", "replay_recording", "replay_video"],
  profile: ["profile", "profile_chunk"],
  monitor: ["check_in"],
  security: ["raw_security"],
  log_item: ["log"],
  metric: ["metric", "trace_metric"],
  metric_bucket: ["statsd"],
  internal: ["client_report"],
};

export type Category = keyof typeof itemTypes;

/** A set of categories as the sum of their bits. */
export type CategorySet = number;

const categories = Object.keys(itemTypes) as Category[];
const ofItemType: ReadonlyMap<string, Category> = new Map(
  categories.flatMap((category) => itemTypes[category].map((type) => [type, category])),
);

/** @param itemType the `type` of an item header; unknown ones count as "default" */
export function categoryOf(itemType: string): Category {
  return ofItemType.get(itemType) ?? "default";
}

/** @param names unknown ones are ignored */
export function categorySet(names: Iterable<string>): CategorySet {
  let set = 0;
  for (const name of names) {
    const bit = categories.indexOf(name as Category);
    if (bit >= 0) set |= 1 << bit;
  }
  return set;
}

/** The counterpart of `categorySet`. */
export function categoryNames(set: CategorySet): Category[] {
  return categories.filter((_, bit) => (set & (1 << bit)) !== 0);
}

export const everyCategory: CategorySet = categorySet(categories);

/** Client reports, which count dropped reports: no rate limit applies to them. */
export const internalOnly: CategorySet = categorySet(["internal"]);

/**
 * What nobody can get again: errors and crashes, what visitors wrote, and what is attached to
 * either. Whether a report has one of them is stored with it: see `low` in packages/relay/src/outbox/tables.ts.
 */
export const highPriorityCategories: CategorySet = categorySet(["error", "feedback", "attachment"]);

/**
 * Errors, crashes and feedback themselves, without what is attached to them. They wait for the end of a
 * limit, however long it lasts; what is attached to them waits with them, or is left behind.
 */
export const primaryCategories: CategorySet = categorySet(["error", "feedback"]);

/**
 * What is of low priority holds measurements, sessions or client reports, and nothing else: it
 * makes room in the outbox for what is of high priority, and is delivered after it.
 */
export type Priority = "high" | "low";

export function priorityOf(categories: CategorySet): Priority {
  return (categories & highPriorityCategories) === 0 ? "low" : "high";
}

/**
 * Whether a report can be sent: the service takes something in it, and limits no error or feedback in
 * it. The items that it limits are then left out, as Sentry's SDKs do.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/#rate-limit-enforcement
 *
 * @param limited what the service doesn't take now
 */
export function isSendable(categories: CategorySet, limited: CategorySet): boolean {
  return (categories & limited & primaryCategories) === 0 && (categories & ~limited) !== 0;
}
