const minMs = 1000;
const maxMs = 60_000;

/**
 * Exponential back-off from 1 s to 60 s with jitter, so that many senders don't retry together.
 *
 * @param failures in a row, 1 or more
 * @param random 0 to 1
 * @returns milliseconds to wait
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(minMs * 2 ** Math.min(failures - 1, 16), maxMs);
  return Math.max(minMs, full * (1 - random / 2));
}

/** What is tried again with back-off after it has failed. */
export class Pause {
  #failures = 0;
  #until = 0;

  /** @param maxFailures the pause grows no more after so many */
  constructor(private readonly maxFailures = Number.POSITIVE_INFINITY) {}

  /** In a row. */
  get failures(): number {
    return this.#failures;
  }

  /** @param now milliseconds of a clock that only goes forward */
  isOver(now: number): boolean {
    return now >= this.#until;
  }

  /** What was tried together fails together: during a pause, nothing counts. */
  fail(now: number, random: number): void {
    if (!this.isOver(now)) return;
    this.#failures++;
    this.#until = now + backoff(Math.min(this.#failures, this.maxFailures), random);
  }

  /** Ends the pause, and forgets no failure. */
  end(): void {
    this.#until = 0;
  }

  succeed(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}
