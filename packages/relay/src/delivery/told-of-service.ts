import type { Log } from "../log.ts";

/** The least time between two lines that say that the service takes nothing, or what it limits. */
const tellMs = 60_000;

/** Tells the log that the service takes nothing or limits something, and that this is over. */
export class ToldOfService {
  #failure = false;
  #failureAt = Number.NEGATIVE_INFINITY;
  /** The limits that were told, by their categories; empty once their end was told. */
  #limits = "";
  #limitsAt = Number.NEGATIVE_INFINITY;
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
   * limit with each answer: that is one limit, which is told once.
   *
   * @param limited how many milliseconds each limit lasts, by category
   */
  limits(limited: Record<string, number>): void {
    const entries = Object.entries(limited).sort();
    const categories = entries.map(([name]) => name).join(", ");
    const at = this.now();
    if (categories !== "") this.#limitedAt = at;
    const since = categories === "" ? this.#limitedAt : this.#limitsAt;
    if (categories === this.#limits || at - since < tellMs) return;
    this.#limits = categories;
    if (categories === "") {
      this.log("info", "service limits reports no more");
      return;
    }
    this.#limitsAt = at;
    const seconds = entries.map(([, ms]) => Math.ceil(ms / 1000)).join(", ");
    this.log("warn", "service limits reports", { categories, seconds });
  }
}
