/**
 * A bounded share of a thread's time. What is not used is kept, up to a maximum. A step may take more
 * than is left: then the share is empty until as much time has come in.
 */
export class TimeShare {
  #left;
  #at;
  #burstMs;
  #share;
  #now;

  /**
   * @param bounds the most at once, and what comes in: such as 0.2 for a fifth of all time
   * @param now milliseconds of any clock that only goes forward
   */
  constructor({ burstMs, share }: { burstMs: number; share: number }, now: () => number) {
    this.#burstMs = burstMs;
    this.#share = share;
    this.#now = now;
    this.#left = burstMs;
    this.#at = now();
  }

  /** In milliseconds; 0 where more was used than there was. */
  get leftMs() {
    this.#fill();
    return Math.max(0, this.#left);
  }

  use(ms: number) {
    this.#fill();
    this.#left -= ms;
  }

  #fill() {
    const now = this.#now();
    this.#left = Math.min(this.#burstMs, this.#left + (now - this.#at) * this.#share);
    this.#at = now;
  }
}

/**
 * A clock that only goes forward and is the same in all threads: `performance.now()` begins anew in
 * each of them.
 *
 * @returns milliseconds
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
