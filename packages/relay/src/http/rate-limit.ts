import { createHash, randomBytes } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Keys that are counted separately. Each further one shares a count with others. */
export const maxKeys = 20_000;
/** Further keys share these counts. A client that fills a few of them blocks few others. */
export const sharedCounts = 1_024;
/** Secret, so that nobody can find keys that share a count with somebody else's. */
const salt = randomBytes(16);

interface RateLimitOptions {
  /** Requests in one window, for each key. */
  max: number;
  windowSeconds?: number;
}

/** How often each client may do something: a fixed window for each key. */
export class RateLimit {
  readonly #limiter: RateLimiterMemory;
  readonly #windowMs: number;
  /** Keys counted separately in this window and in the one before. */
  #keys = new Set<string>();
  #keysBefore = new Set<string>();
  #windowEnd = 0;

  constructor({ max, windowSeconds = 60 }: RateLimitOptions) {
    this.#limiter = new RateLimiterMemory({ points: max, duration: windowSeconds });
    this.#windowMs = windowSeconds * 1000;
  }

  /**
   * @param key usually from `rateKey`
   * @param amount for how many requests it counts: all of them are allowed, or none
   * @returns seconds until the next request is allowed: 0 if this one is
   */
  async take(key: string, amount = 1): Promise<number> {
    const refused = await this.#consume(this.#boundedKey(key), amount);
    return refused ? Math.ceil(refused.msBeforeNext / 1000) || 1 : 0;
  }

  /**
   * Counts an allowed request once more, when it turns out to cost more than others. It stays allowed,
   * whatever it costs, unless the limit was exceeded before.
   *
   * @param amount for how many requests it counts besides
   * @returns seconds until the next request is allowed: 0 if this one is
   */
  async charge(key: string, amount: number): Promise<number> {
    if (amount === 0) return 0;
    const refused = await this.#consume(this.#boundedKey(key), amount);
    if (!refused || refused.consumedPoints - amount <= this.#limiter.points) return 0;
    return Math.ceil(refused.msBeforeNext / 1000) || 1;
  }

  /**
   * Waits until a request is allowed.
   *
   * @returns false if it would take longer than `maxWaitMs`: at once, if that is known, and without
   *   counting the request
   */
  async takeOrWait(key: string, maxWaitMs: number): Promise<boolean> {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      const counted = this.#boundedKey(key);
      const refused = await this.#consume(counted);
      if (!refused) return true;
      const { points } = this.#limiter;
      const windowsAhead = Math.floor((refused.consumedPoints - points - 1) / points);
      const waitMs = Math.max(refused.msBeforeNext, 1) + windowsAhead * this.#windowMs;
      if (performance.now() + waitMs > deadline) {
        await this.#limiter.reward(counted);
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** @returns nothing if the request is allowed */
  async #consume(key: string, amount = 1): Promise<RateLimiterRes | undefined> {
    try {
      await this.#limiter.consume(key, amount);
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    }
  }

  /** A client with ever new addresses must not fill the memory. */
  #boundedKey(key: string): string {
    const now = performance.now();
    if (now > this.#windowEnd) {
      this.#keysBefore = this.#keys;
      this.#keys = new Set();
      this.#windowEnd = now + this.#windowMs;
    }
    if (this.#keys.has(key)) return key;
    if (this.#keys.size >= maxKeys && !this.#keysBefore.has(key)) return sharedKey(key);
    this.#keys.add(key);
    return key;
  }
}

function sharedKey(key: string): string {
  const hash = createHash("sha256").update(salt).update(key).digest();
  return `others ${hash.readUInt16BE(0) % sharedCounts}`;
}
