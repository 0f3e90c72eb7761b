import type { Log } from "../log.ts";

/** The least time between two lines that say what the service limits. */
const tellMs = 60_000;

/** Tells the log that the service limits something, and that this is over. */
export class ToldOfLimits {
  /** The limits that were told, by their categories; empty once their end was told. */
  #limits = "";
  #toldAt = Number.NEGATIVE_INFINITY;
  /** When something was limited last. */
  #limitedAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds of any clock that only goes forward. */
  constructor(private readonly options: { log: Log; now: () => number }) {}

  /**
   * To be called now and then. Some services limit a category for a minute, again and again, or move the end of a
   * limit with each answer: that is one limit, which is told once.
   *
   * @param limited how many milliseconds each limit lasts, by category
   */
  tell(limited: Record<string, number>): void {
    const { log, now } = this.options;
    const entries = Object.entries(limited).sort();
    const categories = entries.map(([name]) => name).join(", ");
    const at = now();
    if (categories !== "") this.#limitedAt = at;
    const since = categories === "" ? this.#limitedAt : this.#toldAt;
    if (categories === this.#limits || at - since < tellMs) return;
    this.#limits = categories;
    if (categories === "") {
      log("info", "service limits reports no more");
      return;
    }
    this.#toldAt = at;
    const seconds = entries.map(([, ms]) => Math.ceil(ms / 1000)).join(", ");
    log("warn", "service limits reports", { categories, seconds });
  }
}
