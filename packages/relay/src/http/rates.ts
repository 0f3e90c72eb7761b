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

  /** @returns seconds until so much more is allowed: 0 if it is now */
  wait(key: string, amount: number): number {
    if ((this.#counts.get(this.#counted(key)) ?? 0) + amount <= this.max) return 0;
    return Math.ceil((this.#end - performance.now()) / 1000);
  }

  add(key: string, amount: number): void {
    const counted = this.#counted(key);
    this.#counts.set(counted, Math.max((this.#counts.get(counted) ?? 0) + amount, 0));
  }

  #counted(key: string): string {
    const now = performance.now();
    if (now >= this.#end) {
      this.#counts.clear();
      this.#end = now + this.windowMs;
    }
    return this.#counts.has(key) || this.#counts.size < maxKeys ? key : sharedKey(key);
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
   * What is refused counts nowhere: neither an address against its network, nor a network of ever new addresses
   * against others, by the keys that it takes.
   *
   * @param amount how often it is done at once: all of that is allowed, or none
   * @returns nothing if it is allowed
   */
  take(address: string | undefined, amount = 1): Exceeded | undefined {
    return amount === 0 ? undefined : this.#count(address, amount, amount);
  }

  /**
   * Counts what was allowed once more, when it turns out to cost more than others, or nothing more. It stays
   * allowed, whatever it costs, unless the limit was exceeded before.
   *
   * @param amount how often it counts besides
   * @returns nothing if it stays allowed
   */
  charge(address: string | undefined, amount: number): Exceeded | undefined {
    return this.#count(address, amount, 0);
  }

  /** Takes back what was allowed and has not been done. */
  giveBack(address: string | undefined, amount = 1): void {
    // It takes no count from others, either.
    if (amount === 0) return;
    for (const [, counts, key] of this.#of(address)) counts.add(key, -amount);
  }

  /** @param needed how much of the amount must be allowed */
  #count(address: string | undefined, amount: number, needed: number): Exceeded | undefined {
    const all = this.#of(address);
    for (const [by, counts, key] of all) {
      const seconds = counts.wait(key, needed);
      if (seconds > 0) return { by, seconds };
    }
    for (const [, counts, key] of all) counts.add(key, amount);
    return undefined;
  }

  #of(address: string | undefined) {
    const keys = { address: rateKey(address), network: shareKey(address), all: "all" };
    // Of IPv4, the address is the network.
    return this.#counts
      .filter(([by]) => by !== "network" || keys.network !== keys.address)
      .map(([by, counts]) => [by, counts, keys[by]] as const);
  }
}
