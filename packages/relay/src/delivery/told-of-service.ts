import type { Log } from "../log.ts";

/** The least time between two lines that say that the service takes nothing, or what it limits. */
const tellMs = 60_000;
/** A limit that lasts so much longer than was told is told again. */
const tellAgainMs = 60 * 60_000;

/** Tells the log that the service takes nothing or limits something, and that this is over. */
export class ToldOfService {
  #failure = false;
  #failureAt = Number.NEGATIVE_INFINITY;
  /** The limits that were told, by their categories; empty once their end was told. */
  #limits = "";
  #limitsAt = Number.NEGATIVE_INFINITY;
  #limitsEnd = Number.NEGATIVE_INFINITY;
  /** When something was limited last. */
  #limitedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of any clock that only goes forward */
  constructor(
    private readonly log: Log,
    private readonly now: () => number,
  ) {}

  /** What is told is told as over, too: at most once a minute. @param isAgain it fails a report, and takes others */
  failure(isAgain: boolean, cause: unknown): void {
    if (this.#failure || this.now() - this.#failureAt < tellMs) return;
    this.#failure = true;
    this.#failureAt = this.now();
    const event = isAgain ? "service fails a report again" : "service takes no reports";
    this.log("warn", event, { cause: String(cause) });
  }

  success(): void {
    if (this.#failure) this.log("info", "service takes reports again");
    this.#failure = false;
  }

  /**
   * To be called now and then. Some services limit a category for a minute, again and again, or move the end of a
   * limit with each answer: that is one limit.
   *
   * @param limited how many milliseconds each limit lasts, by category
   */
  limits(limited: Record<string, number>): void {
    const remaining = Object.entries(limited).sort();
    if (remaining.length === 0 && this.#limits === "") return;
    const at = this.now();
    if (remaining.length === 0) {
      if (at - this.#limitedAt < tellMs) return;
      this.#limits = "";
      this.log("info", "service limits reports no more");
      return;
    }
    this.#limitedAt = at;
    const categories = remaining.map(([name]) => name).join(", ");
    const end = at + Math.max(...remaining.map(([, ms]) => ms));
    const isNews = categories !== this.#limits || end - this.#limitsEnd > tellAgainMs;
    if (!isNews || at - this.#limitsAt < tellMs) return;
    this.#limits = categories;
    this.#limitsAt = at;
    this.#limitsEnd = end;
    const seconds = remaining.map(([, ms]) => Math.ceil(ms / 1000)).join(", ");
    this.log("warn", "service limits reports", { categories, seconds });
  }
}
