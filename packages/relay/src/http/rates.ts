import { hash, randomUUID } from "node:crypto";
import { rateKey, shareKey } from "./client.ts";

/** Keys that are counted apart in one window. Further ones share counts: ever new addresses must not fill the memory. */
export const maxKeys = 20_000;
const sharedCounts = 1000;
/** So that nobody can find out with whom an address shares. */
const salt = randomUUID();
const unlimited = Number.POSITIVE_INFINITY;

/** How often each key has come in the present window. All keys have the same windows. */
class Counts {
  readonly #counts = new Map<string, number>();
  /** Of the window, by `performance.now`. */
  #end = 0;

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
  ) {}

  /**
   * @param beyond how far beyond its maximum the key may go
   * @returns seconds until the next is allowed: 0 if this is
   */
  add(key: string, amount: number, beyond: number): number {
    const now = performance.now();
    if (now >= this.#end) {
      this.#counts.clear();
      this.#end = now + this.windowMs;
    }
    const isApart = this.#counts.has(key) || this.#counts.size < maxKeys;
    const counted = isApart ? key : sharedKey(key);
    const count = Math.max((this.#counts.get(counted) ?? 0) + amount, 0);
    this.#counts.set(counted, count);
    return count > this.max + beyond ? Math.ceil((this.#end - now) / 1000) : 0;
  }
}

function sharedKey(key: string): string {
  return `shared ${hash("sha256", `${salt} ${key}`, "buffer").readUInt32LE() % sharedCounts}`;
}

interface ClientLimitOptions {
  /** How often in one window, for each address: an IPv4 address, or an IPv6 /64. */
  max: number;
  /** The same for one subscriber, who may have every /64 of an IPv6 /48. */
  networkMax: number;
  /** The same from all addresses together. */
  totalMax?: number;
  windowSeconds?: number;
}

/** What is exceeded, and the seconds until it is not. */
export interface Exceeded {
  by: "address" | "network" | "all";
  seconds: number;
}

/** Messages of visitors in a minute, whichever way they come. */
export const feedbackRate: ClientLimitOptions = { max: 10, networkMax: 75, totalMax: 600 };

/** How often something may be done from one address, from one network and from all, in each window of time. */
export class ClientLimit {
  readonly #counts: readonly (readonly [Exceeded["by"], Counts])[];

  constructor({ max, networkMax, totalMax = unlimited, windowSeconds = 60 }: ClientLimitOptions) {
    const windowMs = windowSeconds * 1000;
    this.#counts = [
      ["address", new Counts(max, windowMs)],
      ["network", new Counts(networkMax, windowMs)],
      ["all", new Counts(totalMax, windowMs)],
    ];
  }

  /**
   * What is refused to an address does not count against its network, nor that against all.
   *
   * @param amount how often it is done at once: all of that is allowed, or none
   * @returns nothing if it is allowed
   */
  take(address: string | undefined, amount = 1): Exceeded | undefined {
    return this.#count(address, amount, 0);
  }

  /**
   * Counts what was allowed once more, when it turns out to cost more than others. It stays allowed, whatever it
   * costs, unless the limit was exceeded before.
   *
   * @param amount how often it counts besides
   * @returns nothing if it stays allowed
   */
  charge(address: string | undefined, amount: number): Exceeded | undefined {
    return this.#count(address, amount, amount);
  }

  /** Takes back what was allowed and has not been done. */
  giveBack(address: string | undefined, amount = 1): void {
    this.#count(address, -amount, unlimited);
  }

  #count(address: string | undefined, amount: number, beyond: number): Exceeded | undefined {
    if (amount === 0) return undefined;
    const keys = { address: rateKey(address), network: shareKey(address), all: "all" };
    for (const [by, counts] of this.#counts) {
      // Of IPv4, the address is the network.
      if (by === "network" && keys.network === keys.address) continue;
      const seconds = counts.add(keys[by], amount, beyond);
      if (seconds > 0) return { by, seconds };
    }
    return undefined;
  }
}
