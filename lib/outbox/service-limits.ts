import {
  type CategorySet,
  categorySet,
  everyCategory,
  internalOnly,
} from "@/lib/envelope/categories";

const defaultSeconds = 60;
const longestSeconds = 24 * 60 * 60;
/** Stands for all categories, as the empty list does on the wire. */
const all = "";

/**
 * What the service has asked not to be sent for a while.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export class ServiceLimits {
  /** By category's name, milliseconds since the epoch. */
  readonly #until = new Map<string, number>();

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number = Date.now) {}

  /**
   * Takes in the answer of the service to one envelope.
   *
   * @returns whether it changed anything
   */
  learn(
    status: number,
    headers: { "x-sentry-rate-limits"?: string; "retry-after"?: string },
  ): boolean {
    const now = this.now();
    const limits = headers["x-sentry-rate-limits"];
    if (limits !== undefined) {
      const parts = limits.split(",").filter((part) => part.trim() !== "");
      return parts.map((part) => this.#learnOne(part, now)).some(Boolean);
    }
    if (status !== 429) return false;
    return this.#limit(all, retryAfterSeconds(headers["retry-after"], now), now);
  }

  /** @returns the categories that must wait just now */
  limited(): CategorySet {
    const active = this.#active();
    if (active.length === 0) return 0;
    if (active.some(([name]) => name === all)) return everyCategory;
    return categorySet(active.map(([name]) => name)) & ~internalOnly;
  }

  /** @returns milliseconds until the next limit ends, or nothing where there is none */
  next(): number | undefined {
    const ends = this.#active().map(([, until]) => until);
    return ends.length === 0 ? undefined : Math.min(...ends) - this.now();
  }

  /** @returns milliseconds until none of these categories is limited any more */
  wait(categories: CategorySet): number {
    const ends = this.#active()
      .filter(([name]) => name === all || (categorySet([name]) & categories) !== 0)
      .map(([, until]) => until);
    return ends.length === 0 ? 0 : Math.max(...ends) - this.now();
  }

  /** @returns the limits as a value of `X-Sentry-Rate-Limits`, nothing where there are none */
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

  /** For keeping beyond the process: `restore` takes it back. */
  serialize(): string {
    return JSON.stringify(this.#active());
  }

  restore(serialized: string | undefined): void {
    if (serialized === undefined) return;
    for (const [name, until] of JSON.parse(serialized) as [string, number][]) {
      this.#until.set(name, Math.max(until, this.#until.get(name) ?? 0));
    }
  }

  #learnOne(part: string, now: number): boolean {
    const [seconds = "", names = "", , , namespaces = ""] = part.trim().split(":");
    const given = Number.parseInt(seconds, 10);
    const wait = Number.isFinite(given) && given >= 0 ? given : defaultSeconds;
    // A limit of one namespace of metrics says nothing of the others.
    const categories = names
      .split(";")
      .map((name) => name.trim())
      .filter((name) => name !== "metric_bucket" || /^$|(^|;)custom(;|$)/.test(namespaces));
    return categories.map((name) => this.#limit(name, wait, now)).some(Boolean);
  }

  #limit(name: string, seconds: number, now: number): boolean {
    if (!/^[a-z_]{0,40}$/.test(name)) return false;
    const until = now + Math.min(seconds, longestSeconds) * 1000;
    if (until <= now || until <= (this.#until.get(name) ?? 0)) return false;
    this.#until.set(name, until);
    return true;
  }

  #active(): [string, number][] {
    if (this.#until.size === 0) return [];
    const now = this.now();
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name);
    return [...this.#until];
  }
}

/** Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterSeconds(value: string | undefined, now: number): number {
  if (value === undefined) return defaultSeconds;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value));
  const date = Date.parse(value);
  return Number.isNaN(date) ? defaultSeconds : Math.max(0, Math.ceil((date - now) / 1000));
}
