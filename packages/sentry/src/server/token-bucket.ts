export interface Rate {
  burst: number;
  perMinute: number;
}

/** Begins full, and fills up again with time. */
export class TokenBucket {
  #tokens: number;
  #time: number;

  /** @param now milliseconds of any clock that only goes forward */
  constructor(
    private readonly rate: Rate,
    private readonly now = () => performance.now(),
  ) {
    this.#tokens = rate.burst;
    this.#time = now();
  }

  /** Whether `take` would take one. */
  has(): boolean {
    const { burst, perMinute } = this.rate;
    const time = this.now();
    this.#tokens = Math.min(burst, this.#tokens + ((time - this.#time) / 60_000) * perMinute);
    this.#time = time;
    return this.#tokens >= 1;
  }

  /** @returns whether there was one to take */
  take(): boolean {
    const had = this.has();
    if (had) this.#tokens -= 1;
    return had;
  }
}
