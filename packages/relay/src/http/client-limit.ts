import { networkKey, rateKey } from "./client-address.ts";
import { RateLimit } from "./rate-limit.ts";

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
