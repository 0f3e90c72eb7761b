import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { maxAddresses, rateWindowSeconds } from "./limits";

/** Envelopes a minute for each key. */
export class Rate {
  readonly #limiter: RateLimiterMemory;
  /** Keys with a rate of their own in this window and the last. */
  #known = new Set<string>();
  #knownBefore = new Set<string>();
  #windowEnd = 0;

  constructor(perWindow: number) {
    this.#limiter = new RateLimiterMemory({ points: perWindow, duration: rateWindowSeconds });
  }

  /** @returns seconds until the next is welcome: 0 for now */
  async take(key: string): Promise<number> {
    try {
      await this.#limiter.consume(this.#bounded(key));
      return 0;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return Math.ceil(refused.msBeforeNext / 1000) || 1;
      throw refused;
    }
  }

  /** Whoever comes with ever new addresses fills no memory, and gets one rate for all of them. */
  #bounded(key: string): string {
    const now = performance.now();
    if (now > this.#windowEnd) {
      this.#knownBefore = this.#known;
      this.#known = new Set();
      this.#windowEnd = now + rateWindowSeconds * 1000;
    }
    if (this.#known.has(key)) return key;
    if (this.#known.size >= maxAddresses && !this.#knownBefore.has(key)) return "others";
    this.#known.add(key);
    return key;
  }
}
