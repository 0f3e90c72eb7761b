import {
  type CategorySet,
  categoryNames,
  categorySet,
  everyCategory,
  highPriorityCategories,
  internalOnly,
  isSendable,
  isUnwanted,
  primaryCategories,
  priorityOf,
} from "../categories.ts";

const defaultSeconds = 60;
/** No limit lasts longer. */
const maxMs = 24 * 60 * 60 * 1000;
/** Reports of low priority wait for a limit that ends within this time. */
const maxWaitMs = 60_000;
/** How long errors wait after the service refused one by a limit whose name is not known. */
const holdSeconds = 5;
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

  /**
   * Learns from the answer to one envelope.
   *
   * @param categories that were in it
   * @returns what the answer limits from now on
   */
  learn(status: number, headers: LimitHeaders, categories: CategorySet = 0): CategorySet {
    const now = this.now();
    if (status < 300 && (categories & categorySet(["transaction"])) !== 0) this.#series = undefined;
    const told = limitsIn(status, headers, this.feedbackIsError);
    const named = categoriesOf(told.filter(([, seconds]) => seconds > 0));
    // Measurements that were refused by a name that is not known here are limited under their own.
    if (status === 429 && (named & categories) === 0 && priorityOf(categories) === "low") {
      for (const name of categoryNames(categories & ~internalOnly))
        told.push([name, defaultSeconds]);
    }
    for (const [name, seconds] of told) this.#limit(name, seconds, now);
    const names = new Set(told.map(([name]) => name));
    return categoriesOf(this.#active().filter(([name]) => names.has(name)));
  }

  /**
   * What becomes of a report now: it can be sent, without the items of a limited category; it waits for
   * the end of a limit; or it is not worth keeping until then.
   */
  mayGo(categories: CategorySet): "send" | "wait" | "drop" {
    if (isSendable(categories, this.limited())) return "send";
    return isUnwanted(categories, this.limitedForLong()) ? "drop" : "wait";
  }

  /** @returns the categories that are limited now */
  limited(): CategorySet {
    return categoriesOf(this.#active());
  }

  /** @returns the categories that are limited for longer than reports of low priority wait */
  limitedForLong(): CategorySet {
    return categoriesOf(this.#active(maxWaitMs));
  }

  /**
   * Limits the errors or feedback in a refused report for a moment, or what else is of high priority in
   * it: the others are delivered meanwhile.
   */
  hold(categories: CategorySet): void {
    const held = categories & primaryCategories || categories & highPriorityCategories;
    for (const name of categoryNames(held)) this.#limit(name, holdSeconds, this.now());
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

  /** @returns milliseconds until the limit of each category ends; `all` is a limit on everything */
  remaining(): Record<string, number> {
    const now = this.now();
    const active = this.#active(0, now);
    return Object.fromEntries(active.map(([name, until]) => [name || "all", until - now]));
  }

  /**
   * The limits for an SDK, as a value of `X-Sentry-Rate-Limits`; undefined if there are none. Those of
   * high priority are left out: an SDK drops what is limited, where the dispatcher keeps it.
   */
  header(): string | undefined {
    const byEnd = new Map<number, CategorySet>();
    for (const limit of this.#active()) {
      const categories = categoriesOf([limit]) & ~highPriorityCategories;
      if (categories !== 0) byEnd.set(limit[1], (byEnd.get(limit[1]) ?? 0) | categories);
    }
    const parts = [...byEnd].map(([until, categories]) => {
      const seconds = Math.ceil((until - this.now()) / 1000);
      return `${seconds}:${categoryNames(categories).join(";")}:organization`;
    });
    return parts.length === 0 ? undefined : parts.join(", ");
  }

  #limit(name: string, seconds: number, now: number): void {
    if (!isKnown(name)) return;
    const ms = Math.min(seconds * 1000, maxMs);
    const until = now + ms;
    if (ms === 0 || until <= (this.#ends.get(name) ?? now)) return;
    this.#ends.set(name, until);
    if (name === "transaction" || name === all) this.#limitMeasurements(now, until);
  }

  #limitMeasurements(now: number, until: number): void {
    const before = this.#series;
    const from = before && now <= before.until + noMeasurementsMs ? before.from : now;
    this.#series = { from, until };
    if (until - from > noMeasurementsMs) this.#measurementsFrom = until;
  }

  #active(minMs = 0, now = this.now()): [name: string, until: number][] {
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

/** The limits that an answer names. An empty name means all categories, as in the header. */
function limitsIn(
  status: number,
  headers: LimitHeaders,
  feedbackIsError: boolean,
): [name: string, seconds: number][] {
  const limits = headers["x-sentry-rate-limits"];
  if (limits === undefined) return status === 429 ? [[all, retryAfterSeconds(headers)]] : [];
  return limits
    .split(",")
    .filter((part) => part.trim() !== "")
    .flatMap((part) => {
      const [seconds = "", names = "", , , namespaces = ""] = part.trim().split(":");
      const given = Number.parseInt(seconds, 10);
      const wait = Number.isFinite(given) && given >= 0 ? given : defaultSeconds;
      return (
        names
          .split(";")
          .map((name) => name.trim())
          .map((name) => otherNames.get(name) ?? name)
          .flatMap((name) => (name === "error" && feedbackIsError ? [name, "feedback"] : [name]))
          // A limit of metrics counts only if it covers all namespaces, or `custom`.
          .filter((name) => name !== "metric_bucket" || /^$|(^|;)custom(;|$)/.test(namespaces))
          .map((name): [string, number] => [name, wait])
      );
    });
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
