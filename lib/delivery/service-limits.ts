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
/** No limit lasts longer. */
const maxMs = 24 * 60 * 60 * 1000;
/** By how much the clocks of processes may differ. */
const maxClockDifferenceMs = 60_000;
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

/**
 * Milliseconds since the epoch. A limit that was told in the future counts for nothing: the clock has
 * been set back, and the limit would last longer by that.
 */
interface Limit {
  since: number;
  until: number;
}

type NamedLimit = [name: string, limit: Limit];

const none: Limit = { since: 0, until: 0 };

interface SerializedLimits {
  service: string;
  /** Older servers write no `since`. */
  limits: [name: string, until: number, since?: number][];
  /** When measuring is worth its cost again. */
  measurementsFrom?: number;
  measurementsSince?: number;
}

/**
 * The service's rate limits: which categories it has asked not to be sent for a while.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export class ServiceLimits {
  /** By category. */
  readonly #limits = new Map<string, Limit>();
  /** Of this process alone: browsers are not told, as their SDK would drop errors. */
  #held: Limit & { categories: CategorySet } = { ...none, categories: 0 };
  #unmeasured = none;
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
    const now = this.now();
    const held = this.#heldNow() | (categories & highPriorityCategories);
    this.#held = { since: now, until: now + holdMs, categories: held };
  }

  #heldNow(): CategorySet {
    return counts(this.#held, this.now()) ? this.#held.categories : 0;
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
    return !counts(this.#unmeasured, this.now());
  }

  /** @returns milliseconds until the limits of all these categories have ended */
  wait(categories: CategorySet): number {
    const ends = this.#active()
      .filter(([name]) => name === all || (categorySet([name]) & categories) !== 0)
      .map(([, { until }]) => until);
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
    for (const [name, { until }] of this.#active()) {
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
    const unmeasured = this.takesMeasurements() ? undefined : this.#unmeasured;
    const serialized: SerializedLimits = {
      service: this.service,
      limits: this.#active().map(([name, { since, until }]) => [name, until, since]),
      measurementsFrom: unmeasured?.until,
      measurementsSince: unmeasured?.since,
    };
    return JSON.stringify(serialized);
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
      measurementsSince,
    } = JSON.parse(serialized ?? "{}") as Partial<SerializedLimits>;
    if (service !== undefined && service !== this.service) return true;
    const now = this.now();
    const unmeasured = readLimit(measurementsFrom, measurementsSince);
    if (unmeasured) this.#unmeasured = later(unmeasured, this.#unmeasured, now);
    const own = new Map(this.#active());
    const restored = new Map<string, Limit>();
    for (const [name, until, since] of limits) {
      const limit = readLimit(until, since);
      if (!limit || typeof name !== "string" || !isKnown(name) || !counts(limit, now)) continue;
      restored.set(name, limit);
      this.#set(name, later(limit, own.get(name) ?? none, now));
    }
    return [...own].every(([name, { until }]) => until <= (restored.get(name) ?? none).until);
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
    const limit = this.#limits.get(name) ?? none;
    const known = counts(limit, now) ? limit.until : 0;
    if (until <= now || until <= known) return false;
    // Some services repeat a limit with each answer, so that its end always moves a little.
    if (until - known < ms / 100) return false;
    this.#set(name, { since: now, until });
    return true;
  }

  #set(name: string, limit: Limit): void {
    const { since, until } = limit;
    this.#limits.set(name, limit);
    if (name !== "transaction" && name !== all) return;
    const now = this.now();
    const series = this.#series;
    const goesOn = series && series.from <= now && now <= series.until + noMeasurementsMs;
    const from = goesOn ? series.from : now;
    this.#series = { from, until };
    if (until - from > noMeasurementsMs) this.#unmeasured = { since, until };
  }

  /** @param minMs how much longer a limit must last */
  #active(minMs = 0): NamedLimit[] {
    if (this.#limits.size === 0) return [];
    const now = this.now();
    for (const [name, limit] of this.#limits) if (!counts(limit, now)) this.#limits.delete(name);
    return [...this.#limits].filter(([, { until }]) => until > now + minMs);
  }
}

function counts({ since, until }: Limit, now: number): boolean {
  return since <= now + maxClockDifferenceMs && now < until;
}

/** @returns the limit that ends later, of those that count; `one` if neither does */
function later(one: Limit, other: Limit, now: number): Limit {
  return counts(other, now) && (!counts(one, now) || other.until > one.until) ? other : one;
}

/** @returns nothing if these are no limit, or one that lasts longer than any */
function readLimit(until: unknown, since: unknown): Limit | undefined {
  if (!Number.isSafeInteger(until)) return undefined;
  const limit = { since: Number(since ?? Number(until) - maxMs), until: Number(until) };
  return limit.until - limit.since <= maxMs ? limit : undefined;
}

/** A service may name categories that no report here has. There are too many names to keep them. */
function isKnown(name: string): boolean {
  return name === all || categorySet([name]) !== 0;
}

function categoriesOf(limits: NamedLimit[]): CategorySet {
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
