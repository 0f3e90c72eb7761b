import {
  type CategorySet,
  categoryNames,
  categorySet,
  everyCategory,
  highPriorityCategories,
  internalOnly,
  priorityOf,
} from "@/lib/relay/envelope/categories";

const defaultSeconds = 60;
/** No limit lasts longer. */
const maxMs = 24 * 60 * 60 * 1000;
/** Reports of low priority wait for a limit that ends within this time. */
const maxWaitMs = 60_000;
/** How long errors are held back after the service refused one by a limit whose name is not known. */
const holdMs = 5000;
/**
 * A limit of transactions that lasts longer means that the service takes none. So do shorter ones that
 * follow each other, each within this time after the one before.
 */
const noMeasurementsMs = 10 * 60_000;
/** An empty name means all categories, as in the header. */
const all = "";

/** Quotas of a category that count something else, such as bytes. */
const otherNames = new Map([
  ["attachment_item", "attachment"],
  ["log_byte", "log_item"],
  ["trace_metric", "metric"],
  ["profile_chunk", "profile"],
  ["profile_chunk_ui", "profile"],
]);

/** Of the service's answer. */
export interface LimitHeaders {
  "x-sentry-rate-limits"?: string;
  "retry-after"?: string;
  date?: string;
}

/**
 * Which categories the service has asked not to be sent for a while. Each process learns it for itself.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export class ServiceLimits {
  /** When each category's limit ends. */
  readonly #ends = new Map<string, number>();
  /** Of this process alone: browsers are not told, as their SDK would drop errors. */
  #held = { categories: 0, until: 0 };
  #measurementsFrom = Number.NEGATIVE_INFINITY;
  /** Limits of transactions that follow each other: when the first began, and when the last ends. */
  #series: { from: number; until: number } | undefined;

  /**
   * @param now milliseconds of any clock that only goes forward
   * @param feedbackIsError whether feedback is sent as an event, which a limit of errors refuses too
   */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly feedbackIsError = false,
  ) {}

  /** Learns from the answer to one envelope. @returns whether that changed a limit */
  learn(status: number, headers: LimitHeaders, categories: CategorySet = 0): boolean {
    const now = this.now();
    if (status < 300 && (categories & categorySet(["transaction"])) !== 0) this.#series = undefined;
    const limits = headers["x-sentry-rate-limits"];
    if (limits !== undefined) {
      const parts = limits.split(",").filter((part) => part.trim() !== "");
      const changed = parts.map((part) => this.#learnOne(part, now)).some(Boolean);
      return (status === 429 && this.#limitRefused(categories, now)) || changed;
    }
    if (status !== 429) return false;
    return this.#limit(all, retryAfterSeconds(headers), now);
  }

  /** @returns the categories that are limited now */
  limited(): CategorySet {
    return categoriesOf(this.#active());
  }

  /** @returns the categories that are limited or held back now */
  unsendable(): CategorySet {
    return this.limited() | this.#heldNow();
  }

  /** Holds back what is of high priority in a refused report: the others are delivered meanwhile. */
  hold(categories: CategorySet): void {
    const held = this.#heldNow() | (categories & highPriorityCategories);
    this.#held = { categories: held, until: this.now() + holdMs };
  }

  #heldNow(): CategorySet {
    return this.now() < this.#held.until ? this.#held.categories : 0;
  }

  /** @returns the categories that are limited for longer than reports of low priority wait */
  limitedForLong(): CategorySet {
    return categoriesOf(this.#active(maxWaitMs));
  }

  /**
   * Whether measuring is worth its cost: not until the end of a limit of transactions, if the service has
   * then taken none for more than ten minutes.
   */
  takesMeasurements(): boolean {
    return this.now() >= this.#measurementsFrom;
  }

  /** @returns milliseconds until all limits of these categories have ended */
  wait(categories: CategorySet): number {
    const own = this.#active().filter((limit) => (categoriesOf([limit]) & categories) !== 0);
    return own.length === 0 ? 0 : Math.max(...own.map(([, until]) => until)) - this.now();
  }

  /** @returns the names of the limited categories, sorted; `all` for a limit on everything */
  names(): string {
    return this.#active()
      .map(([name]) => name || "all")
      .sort()
      .join(", ");
  }

  /** @returns the limits as a value of `X-Sentry-Rate-Limits`; undefined if there are none */
  header(): string | undefined {
    const byEnd = new Map<number, string[]>();
    for (const [name, until] of this.#active()) {
      byEnd.set(until, [...(byEnd.get(until) ?? []), name]);
    }
    const parts = [...byEnd].flatMap(([until, names]) => {
      const seconds = Math.ceil((until - this.now()) / 1000);
      const named = names.filter((name) => name !== all).join(";");
      const part = named ? [`${seconds}:${named}:organization`] : [];
      return names.includes(all) ? [`${seconds}::organization`, ...part] : part;
    });
    return parts.length === 0 ? undefined : parts.join(", ");
  }

  /** Measurements that were refused by a name that is not known here are limited under their own. */
  #limitRefused(categories: CategorySet, now: number): boolean {
    const refused = categories & ~internalOnly;
    if (refused === 0 || priorityOf(categories) === "high" || this.wait(refused) > 0) return false;
    return categoryNames(refused)
      .map((name) => this.#limit(name, defaultSeconds, now))
      .some(Boolean);
  }

  #learnOne(part: string, now: number): boolean {
    const [seconds = "", names = "", , , namespaces = ""] = part.trim().split(":");
    const given = Number.parseInt(seconds, 10);
    const wait = Number.isFinite(given) && given >= 0 ? given : defaultSeconds;
    // A limit of metrics counts only if it covers all namespaces, or `custom`.
    const categories = names
      .split(";")
      .map((name) => name.trim())
      .map((name) => otherNames.get(name) ?? name)
      .flatMap((name) => (name === "error" && this.feedbackIsError ? [name, "feedback"] : [name]))
      .filter((name) => name !== "metric_bucket" || /^$|(^|;)custom(;|$)/.test(namespaces));
    return categories.map((name) => this.#limit(name, wait, now)).some(Boolean);
  }

  #limit(name: string, seconds: number, now: number): boolean {
    if (!isKnown(name)) return false;
    const ms = Math.min(seconds * 1000, maxMs);
    const until = now + ms;
    const known = this.#ends.get(name) ?? now;
    // Some services repeat a limit with each answer, so that its end always moves a little.
    if (ms === 0 || until - Math.max(known, now) < ms / 100) return false;
    this.#ends.set(name, until);
    if (name === "transaction" || name === all) this.#limitMeasurements(now, until);
    return true;
  }

  #limitMeasurements(now: number, until: number): void {
    const before = this.#series;
    const from = before && now <= before.until + noMeasurementsMs ? before.from : now;
    this.#series = { from, until };
    if (until - from > noMeasurementsMs) this.#measurementsFrom = until;
  }

  #active(minMs = 0): [name: string, until: number][] {
    const now = this.now();
    for (const [name, until] of this.#ends) if (until <= now) this.#ends.delete(name);
    return [...this.#ends].filter(([, until]) => until > now + minMs);
  }
}

/** A service may name categories that no report here has. There are too many names to keep them. */
function isKnown(name: string): boolean {
  return name === all || categorySet([name]) !== 0;
}

/** No limit but one on everything applies to reports about lost reports. */
function categoriesOf(limits: [name: string, until: number][]): CategorySet {
  return limits.reduce(
    (set, [name]) => set | (name === all ? everyCategory : categorySet([name]) & ~internalOnly),
    0,
  );
}

/**
 * A date counts by the clock of the service, which says in its answer how late it is.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function retryAfterSeconds({ "retry-after": value = "", date = "" }: LimitHeaders): number {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value));
  const ms = Date.parse(value) - Date.parse(date);
  return Number.isNaN(ms) ? defaultSeconds : Math.max(0, Math.ceil(ms / 1000));
}
