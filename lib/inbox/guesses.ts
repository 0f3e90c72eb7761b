import { maxAddresses } from "@/lib/http/limits";
import { processWide } from "@/lib/process-wide.js";

/** Tokens an address may try one after another before it has to wait. */
const free = 20;
/** From then on one in so many milliseconds is looked at. */
const paceMs = 100;
/** Whoever would have to wait longer than this is not heard at all. */
const patienceMs = 5_000;

/**
 * Slows down the guessing of tokens, from each address for itself. The right one is never refused
 * for wrong ones tried before: it waits its turn like any other.
 * Source: https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export class Guesses {
  /** By address: when all that it has tried so far would have come at the pace. */
  readonly #busyUntil = new Map<string, number>();

  /**
   * @param now milliseconds of a clock that never goes back
   * @returns milliseconds to wait before the token is looked at; nothing: it must not be
   */
  charge(address: string, now: number): number | undefined {
    const key = this.#bounded(address, now);
    const busyUntil = Math.max(now, this.#busyUntil.get(key) ?? 0) + paceMs;
    const wait = busyUntil - now - free * paceMs;
    if (wait > patienceMs) return undefined;
    this.#busyUntil.set(key, busyUntil);
    return Math.max(wait, 0);
  }

  /** It has tried the right one. */
  forgive(address: string): void {
    this.#busyUntil.delete(address);
  }

  /** Whoever comes with ever new addresses fills no memory, and gets one pace for all of them. */
  #bounded(address: string, now: number): string {
    if (this.#busyUntil.size < maxAddresses || this.#busyUntil.has(address)) return address;
    for (const [key, busyUntil] of this.#busyUntil) {
      if (busyUntil <= now) this.#busyUntil.delete(key);
    }
    return this.#busyUntil.size < maxAddresses ? address : "others";
  }
}

/** The guesses that this process has counted. */
export function guesses(): Guesses {
  return processWide("inbox-guesses", () => new Guesses());
}
