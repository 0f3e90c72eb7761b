import {
  type CategorySet,
  categoryNames,
  categorySet,
  everyCategory,
  highPriorityCategories,
  internalOnly,
  priorityOf,
} from "@/lib/envelope/categories";

const defaultSeconds = 60;
/** No limit lasts longer. One that seems to is of a clock that was set back, and does not count. */
const maxSeconds = 24 * 60 * 60;
/** Reports of low priority wait for a limit that ends within this time. */
const maxWaitMs = 60_000;
/** How long errors are held back after the service refused one by a limit whose name is not known. */
const holdMs = 5000;
/**
 * A limit of transactions that lasts longer than this means that the service takes none. So do
 * shorter ones that follow each other, each within this time after the end of the one before.
 */
const noMeasurementsMs = 10 * 60_000;
/** An empty name means all categories, as in the header. */
const all = "";

/** A service's names for quotas of a category that count something else, such as bytes. */
const otherNames = new Map([
  ["attachment_item", "attachment"],
  ["log_byte", "log_item"],
  ["trace_metric", "metric"],
  ["profile_chunk", "profile"],
  ["profile_chunk_ui", "profile"],
]);

interface SerializedLimits {
  service: string;
  limits: [name: string, until: number][];
  /** When measuring is worth its cost again, in milliseconds since the epoch. */
  measurementsFrom?: number;
}

/**
 * The service's rate limits: which categories it has asked not to be sent for a while.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export class ServiceLimits {
  /** When the limit of each category ends, in milliseconds since the epoch. */
  readonly #until = new Map<string, number>();
  /** Of this process alone: browsers are not told, as their SDK would drop errors. */
  #held: { categories: CategorySet; until: number } = { categories: 0, until: 0 };
  #measurementsFrom = Number.NEGATIVE_INFINITY;
  /** Limits of transactions that follow each other: when the first began, and when the last ends. */
  #series: { from: number; until: number } | undefined;

  /**
   * @param now milliseconds since the epoch
   * @param service whose limits they are, such as the project's URL; serialized limits of another
   *   service don't count
   * @param feedbackIsError whether feedback is sent as an event, which a limit of errors refuses too
   */
  constructor(
    private readonly now: () => number = Date.now,
    private readonly service = "",
    private readonly feedbackIsError = false,
  ) {}

  /**
   * Learns from the service's answer to one envelope.
   *
   * @param categories of the envelope
   * @returns whether that changed a limit
   */
  learn(
    status: number,
    headers: { "x-sentry-rate-limits"?: string; "retry-after"?: string },
    categories: CategorySet = 0,
  ): boolean {
    const now = this.now();
    if (status < 300 && (categories & categorySet(["transaction"])) !== 0) this.#series = undefined;
    const limits = headers["x-sentry-rate-limits"];
    if (limits !== undefined) {
      const parts = limits.split(",").filter((part) => part.trim() !== "");
      const changed = parts.map((part) => this.#learnOne(part, now)).some(Boolean);
      return (status === 429 && this.#limitRefused(categories, now)) || changed;
    }
    if (status !== 429) return false;
    return this.#limit(all, retryAfterSeconds(headers["retry-after"], now), now);
  }

  /** @returns the categories that the service limits now */
  limited(): CategorySet {
    return categoriesOf(this.#active());
  }

  /** @returns the categories that are limited or held back now */
  unsendable(): CategorySet {
    return this.limited() | this.#heldNow();
  }

  /**
   * Holds back what is of high priority in a refused report for a few seconds, whatever limit the service
   * meant: the others are delivered meanwhile.
   */
  hold(categories: CategorySet): void {
    this.#held = {
      categories: this.#heldNow() | (categories & highPriorityCategories),
      until: this.now() + holdMs,
    };
  }

  #heldNow(): CategorySet {
    return isAhead(this.#held.until, this.now(), holdMs) ? this.#held.categories : 0;
  }

  /** @returns the categories that are limited for longer than reports of low priority wait */
  limitedForLong(): CategorySet {
    return categoriesOf(this.#active(maxWaitMs));
  }

  /**
   * Whether measuring is worth its cost. It is not until the end of a limit of transactions if the
   * service has then taken none for more than ten minutes: some take none at all.
   */
  takesMeasurements(): boolean {
    return !isAhead(this.#measurementsFrom, this.now());
  }

  /** @returns milliseconds until the limits of all these categories have ended */
  wait(categories: CategorySet): number {
    const ends = this.#active()
      .filter(([name]) => name === all || (categorySet([name]) & categories) !== 0)
      .map(([, until]) => until);
    return ends.length === 0 ? 0 : Math.max(...ends) - this.now();
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

  /** The counterpart of `restore`. */
  serialize(): string {
    const measurementsFrom = this.takesMeasurements() ? undefined : this.#measurementsFrom;
    return JSON.stringify({ service: this.service, limits: this.#active(), measurementsFrom });
  }

  /**
   * Adds the limits of a serialized instance, if they are the same service's. Limits only grow.
   *
   * @returns false if the serialized instance lacks a limit that this one has
   * @throws {SyntaxError} if it is no JSON
   */
  restore(serialized: string | undefined): boolean {
    const {
      service,
      limits = [],
      measurementsFrom,
    } = JSON.parse(serialized ?? "{}") as Partial<SerializedLimits>;
    if (service !== undefined && service !== this.service) return true;
    const now = this.now();
    if (typeof measurementsFrom === "number" && isAhead(measurementsFrom, now)) {
      const known = this.takesMeasurements() ? 0 : this.#measurementsFrom;
      this.#measurementsFrom = Math.max(measurementsFrom, known);
    }
    const own = new Map(this.#active());
    const restored = new Map(limits.filter(isLimit).filter(([, until]) => isAhead(until, now)));
    for (const [name, until] of restored) this.#set(name, Math.max(until, own.get(name) ?? 0));
    return [...own].every(([name, until]) => until <= (restored.get(name) ?? 0));
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
    const ms = Math.min(seconds, maxSeconds) * 1000;
    const until = now + ms;
    const end = this.#until.get(name) ?? 0;
    const known = isAhead(end, now) ? end : 0;
    if (until <= now || until <= known) return false;
    // Some services repeat a limit with each answer, so that its end always moves a little.
    if (until - known < ms / 100) return false;
    this.#set(name, until);
    return true;
  }

  #set(name: string, until: number): void {
    this.#until.set(name, until);
    if (name !== "transaction" && name !== all) return;
    const now = this.now();
    const series = this.#series;
    const goesOn = series && series.from <= now && now <= series.until + noMeasurementsMs;
    const from = goesOn ? series.from : now;
    this.#series = { from, until };
    if (until - from > noMeasurementsMs) this.#measurementsFrom = until;
  }

  /** @param minMs how much longer a limit must last */
  #active(minMs = 0): [string, number][] {
    if (this.#until.size === 0) return [];
    const now = this.now();
    for (const [name, until] of this.#until) if (!isAhead(until, now)) this.#until.delete(name);
    return [...this.#until].filter(([, until]) => until > now + minMs);
  }
}

function isAhead(until: number, now: number, maxMs = maxSeconds * 1000): boolean {
  return until > now && until <= now + maxMs;
}

/** A service may name categories that no report here has. There are too many names to keep them. */
function isKnown(name: string): boolean {
  return name === all || categorySet([name]) !== 0;
}

function isLimit([name, until]: [name: unknown, until: unknown]): boolean {
  return typeof name === "string" && isKnown(name) && Number.isSafeInteger(until);
}

function categoriesOf(limits: [name: string, until: number][]): CategorySet {
  if (limits.some(([name]) => name === all)) return everyCategory;
  return categorySet(limits.map(([name]) => name)) & ~internalOnly;
}

/** Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterSeconds(value: string | undefined, now: number): number {
  if (value === undefined) return defaultSeconds;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value));
  const date = Date.parse(value);
  return Number.isNaN(date) ? defaultSeconds : Math.max(0, Math.ceil((date - now) / 1000));
}
