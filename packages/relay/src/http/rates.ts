import { createHash, randomBytes } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type ErrorResponse, errorResponses } from "./answers.ts";
import { type Client, networkKey, rateKey } from "./client.ts";

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

interface ClientLimitOptions {
  /** How often in one window, for each address: an IPv4 address, or an IPv6 /64. */
  max: number;
  /** The same for one subscriber, who may have every /64 of an IPv6 /48. */
  networkMax: number;
  /** The same from all addresses together; no limit if missing. */
  totalMax?: number;
  windowSeconds?: number;
}

/** What is exceeded, and the seconds until it is not. */
interface Exceeded {
  by: "address" | "network" | "all";
  seconds: number;
}

/** Messages of visitors in a minute, whichever way they come. */
export const feedbackRate: ClientLimitOptions = { max: 10, networkMax: 75, totalMax: 600 };

/** How often something may be done from one address, from one network and from all: a fixed window for each. */
export class ClientLimit {
  readonly #address: RateLimit;
  readonly #network: RateLimit;
  readonly #total: RateLimit | undefined;

  constructor({ max, networkMax, totalMax, windowSeconds }: ClientLimitOptions) {
    const window = windowSeconds === undefined ? {} : { windowSeconds };
    this.#address = new RateLimit({ max, ...window });
    this.#network = new RateLimit({ max: networkMax, ...window });
    if (totalMax !== undefined) this.#total = new RateLimit({ max: totalMax, ...window });
  }

  /**
   * What is refused to an address does not count against its network, nor that against all.
   *
   * @param amount how often it is done at once
   * @returns undefined if it is allowed
   */
  async take(address: string | undefined, amount = 1): Promise<Exceeded | undefined> {
    for (const [by, limit, key] of this.#limits(address)) {
      const seconds = await limit.take(key, amount);
      if (seconds > 0) return { by, seconds };
    }
    return undefined;
  }

  /** As `take`, for what was allowed before: see `RateLimit.charge`. */
  async charge(address: string | undefined, amount: number): Promise<Exceeded | undefined> {
    for (const [by, limit, key] of this.#limits(address)) {
      const seconds = await limit.charge(key, amount);
      if (seconds > 0) return { by, seconds };
    }
    return undefined;
  }

  /**
   * Waits until it is allowed.
   *
   * @returns false if that would take longer than `maxWaitMs` altogether
   */
  async takeOrWait(address: string | undefined, maxWaitMs: number): Promise<boolean> {
    const deadline = performance.now() + maxWaitMs;
    for (const [, limit, key] of this.#limits(address)) {
      if (!(await limit.takeOrWait(key, deadline - performance.now()))) return false;
    }
    return true;
  }

  *#limits(address: string | undefined): Iterable<[Exceeded["by"], RateLimit, string]> {
    yield ["address", this.#address, rateKey(address)];
    const network = networkKey(address);
    if (network !== undefined) yield ["network", this.#network, network];
    if (this.#total) yield ["all", this.#total, "all"];
  }
}

const { rateLimited } = errorResponses;

/**
 * Bytes after decompression for which an envelope counts once more: on the wire it can be a thousand
 * times smaller. An error has a fraction of that.
 */
const bytesPerCount = 100_000;

/** How many envelopes may come from one address, from one network and from all in a minute. */
export class EnvelopeRates {
  readonly #limit: ClientLimit;

  /** @param rate envelopes a minute from one address */
  constructor(rate: number, totalRate = defaultTotalRate(rate)) {
    const networkMax = Math.max(rate, totalRate / 8);
    this.#limit = new ClientLimit({ max: rate, networkMax, totalMax: totalRate });
  }

  /**
   * Counts one envelope.
   *
   * @returns why it is refused; undefined if it is not
   */
  async take({ address }: Client): Promise<ErrorResponse | undefined> {
    return refusalOf("envelopes", await this.#limit.take(address));
  }

  /** Counts a large envelope again, once its size after decompression is known. @see take */
  async charge({ address }: Client, bytes: number): Promise<ErrorResponse | undefined> {
    const counts = Math.floor(bytes / bytesPerCount);
    if (counts === 0) return undefined;
    return refusalOf("bytes", await this.#limit.charge(address, counts));
  }
}

function refusalOf(
  what: "envelopes" | "bytes",
  exceeded: Exceeded | undefined,
): ErrorResponse | undefined {
  if (!exceeded) return undefined;
  const { by, seconds } = exceeded;
  if (by !== "all") return rateLimited(`This ${by} sends too many ${what}.`, seconds);
  return rateLimited(`Too many ${what} come from all addresses together.`, seconds);
}

/**
 * What two hundred busy addresses may send, and at least a thousand envelopes a second, which one
 * process can store.
 */
function defaultTotalRate(addressRate: number): number {
  return Math.max(200 * addressRate, 60_000);
}
