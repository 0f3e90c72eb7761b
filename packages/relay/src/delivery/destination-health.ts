import type { Log } from "../log.ts";
import { backoff } from "../timing.ts";
import { Refusal } from "./destination.ts";

/** How many new reports may fail one after another before there is another pause. */
const maxProbes = 32;
/** Reports that failed before add no more to a pause that is as long as after so many: 4 s. */
const maxRetryPauses = 3;
/** The least time between two lines that say that the service takes nothing. */
const tellMs = 60_000;

/**
 * A circuit breaker, which tells the log. A destination that fails is left alone for 1 s to 60 s, unless it has
 * taken another report since. Then reports are tried one at a time until it takes one. If new ones fail, others
 * are tried at once, up to 32: it may be the reports that it can't process. Each waits by its own attempts.
 */
export class DestinationHealth {
  /** When the destination failed last, by the option `now`. */
  failedAt = Number.NEGATIVE_INFINITY;
  /** How many reports it has taken, or refused for good. */
  answers = 0;
  /** Since the last answer. While there are any, reports are tried one at a time. */
  pauses = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #probes = 0;
  #isTold = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds of any clock that only goes forward. */
  constructor(private readonly options: { log: Log; now(): number; random(): number }) {}

  /** Whether the destination is left alone because it took nothing. */
  get isPaused(): boolean {
    return this.options.now() < this.#pausedUntil;
  }

  endPause(): void {
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  /** The destination has answered. */
  succeed(): void {
    if (this.#isTold) this.options.log("info", "service takes reports again");
    this.#isTold = false;
    this.answers++;
    this.pauses = 0;
    this.endPause();
  }

  /** @param isNew whether the report has not failed before */
  fail(isNew: boolean, cause: unknown): void {
    const { now, random } = this.options;
    this.failedAt = now();
    // A refusal has its own line.
    if (!(cause instanceof Refusal)) this.#tell(isNew || this.pauses > 0, cause);
    if (this.pauses > 0 && isNew && ++this.#probes < maxProbes) return;
    this.#probes = 0;
    if (isNew || this.pauses < maxRetryPauses) this.pauses++;
    this.#pausedUntil = now() + backoff(this.pauses, random());
  }

  /** What is told is told as over, too: at most once a minute. @param isOutage not one report that fails again */
  #tell(isOutage: boolean, cause: unknown): void {
    const { log, now } = this.options;
    if (this.#isTold || now() - this.#toldAt < tellMs) return;
    this.#isTold = true;
    this.#toldAt = now();
    const event = isOutage ? "service takes no reports" : "service fails a report again";
    log("warn", event, { cause: String(cause) });
  }
}
