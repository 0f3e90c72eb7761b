import {
  type Category,
  type CategorySet,
  categoryNames,
  categorySet,
  everyCategory,
  highPriorityCategories,
  internalOnly,
  isSendable,
  primaryCategories,
} from "../envelope/categories.ts";
import type { AnswerHeaders } from "./service-answer.ts";

const defaultSeconds = 60;
/** No limit lasts longer. */
const maxMs = 24 * 60 * 60 * 1000;
/** Reports of low priority wait for a limit that ends within this time. */
const maxWaitMs = 60_000;
/** How long errors wait after the service refused one by a limit whose name is not known. */
const holdSeconds = 5;

/** Quotas of a category that count something else, such as bytes. */
const otherNames = new Map([
  ["attachment_item", "attachment"],
  ["log_byte", "log_item"],
  ["trace_metric", "metric"],
  ["profile_chunk", "profile"],
  ["profile_chunk_ui", "profile"],
]);

/**
 * Which categories the service has asked not to be sent for a while. Each process learns it for itself.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export class ServiceLimits {
  /** When the limit of each category ends. Client reports have none but one on everything. */
  readonly #ends = new Map<Category, number>();

  /**
   * @param now milliseconds of any clock that only goes forward
   * @param feedbackIsError whether feedback is sent as an event, which a limit of errors refuses too
   */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly feedbackIsError = false,
  ) {}

  /**
   * Learns from the answer to one envelope. What it refuses by a limit whose name is not known is limited all the
   * same: measurements for a minute, errors or feedback for a moment, so that the others are delivered meanwhile.
   *
   * @param categories that were in it
   * @returns what the answer names, and limits from now on
   */
  learn(status: number, headers: AnswerHeaders, categories: CategorySet = 0): CategorySet {
    const now = this.now();
    const told = limitsIn(status, headers, this.feedbackIsError);
    for (const [limited, seconds] of told) this.#limit(limited, seconds, now);
    const named = told.reduce((set, [limited]) => set | limited, 0) & this.#limitedAt(now);
    if (status === 429 && (named & categories) === 0) {
      const high = categories & primaryCategories || categories & highPriorityCategories;
      const seconds = high ? holdSeconds : defaultSeconds;
      this.#limit(high || categories & ~internalOnly, seconds, now);
    }
    return named;
  }

  /** Whether a report can be sent now, without the items of a limited category. */
  mayGo(categories: CategorySet): boolean {
    return isSendable(categories, this.limited());
  }

  limited(): CategorySet {
    return this.#limitedAt(this.now());
  }

  /** @returns the categories that are limited for longer than reports of low priority wait */
  limitedForLong(): CategorySet {
    return this.#limitedAt(this.now() + maxWaitMs);
  }

  /** Whether measuring is worth its cost: not while transactions would be dropped. */
  takesMeasurements(): boolean {
    return (this.limitedForLong() & categorySet(["transaction"])) === 0;
  }

  /** @returns milliseconds until all limits of these categories have ended */
  wait(categories: CategorySet): number {
    const now = this.now();
    const ends = categoryNames(categories).map((name) => this.#ends.get(name) ?? now);
    return Math.max(now, ...ends) - now;
  }

  /** @returns milliseconds until the limit of each category ends; `all` is one on everything, beside longer ones */
  remaining(): Record<string, number> {
    const now = this.now();
    const all = Math.max(this.#ends.get("internal") ?? now, now);
    const longer = [...this.#ends].filter(([, end]) => end > all);
    const told = all > now ? [...longer, ["all", all] as const] : longer;
    return Object.fromEntries(told.map(([name, end]) => [name, end - now]));
  }

  /**
   * The limits for an SDK, as a value of `X-Sentry-Rate-Limits`; undefined if there are none. Those of
   * high priority are left out: an SDK drops what is limited, where the dispatcher keeps it.
   */
  header(): string | undefined {
    const now = this.now();
    const byEnd = new Map<number, Category[]>();
    for (const name of categoryNames(this.#limitedAt(now) & ~highPriorityCategories)) {
      const end = this.#ends.get(name) ?? now;
      byEnd.set(end, [...(byEnd.get(end) ?? []), name]);
    }
    const parts = [...byEnd].map(
      ([end, names]) => `${Math.ceil((end - now) / 1000)}:${names.join(";")}:organization`,
    );
    return parts.join(", ") || undefined;
  }

  #limit(categories: CategorySet, seconds: number, now: number): void {
    const end = now + Math.min(seconds * 1000, maxMs);
    for (const name of categoryNames(categories)) {
      this.#ends.set(name, Math.max(end, this.#ends.get(name) ?? end));
    }
  }

  #limitedAt(time: number): CategorySet {
    const limits = [...this.#ends].filter(([, end]) => end > time);
    return categorySet(limits.map(([name]) => name));
  }
}

function limitsIn(
  status: number,
  headers: AnswerHeaders,
  feedbackIsError: boolean,
): [limited: CategorySet, seconds: number][] {
  const limits = headers["x-sentry-rate-limits"];
  if (limits === undefined) {
    return status === 429 ? [[everyCategory, retryAfterSeconds(headers)]] : [];
  }
  const parts = limits.split(",").filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const [seconds = "", text = "", , , namespaces = ""] = part.trim().split(":");
    const given = Number.parseInt(seconds, 10);
    const names = text.split(";").map((name) => otherNames.get(name.trim()) ?? name.trim());
    if (feedbackIsError && names.includes("error")) names.push("feedback");
    // An empty name means all. No limit but that one applies to reports about lost reports.
    let limited = names.includes("") ? everyCategory : categorySet(names) & ~internalOnly;
    // A limit of metrics counts only if it covers all namespaces, or `custom`.
    if (!/^$|(^|;)custom(;|$)/.test(namespaces)) limited &= ~categorySet(["metric_bucket"]);
    return [limited, given >= 0 ? given : defaultSeconds];
  });
}

/**
 * A date counts by the clock of the service, which says in its answer how late it is.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function retryAfterSeconds({ "retry-after": value = "", date = "" }: AnswerHeaders): number {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value));
  const ms = Date.parse(value) - Date.parse(date);
  return Number.isNaN(ms) ? defaultSeconds : Math.max(0, Math.ceil(ms / 1000));
}
