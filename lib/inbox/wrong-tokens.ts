const windowMs = 60_000;
/** Wrong tokens from one address in one window, after which it may not try again. */
const mostWrong = 30;
/** Addresses counted one by one; further ones share a count. */
const mostAddresses = 10_000;

/** Counts wrong tokens by address, so that nobody can try them all. */
export class WrongTokens {
  #counts = new Map<string, number>();
  #windowEnd = Number.NEGATIVE_INFINITY;

  /**
   * @param address who asks, in whatever form
   * @param now milliseconds since any fixed moment
   */
  tooMany(address: string, now: number): boolean {
    this.#turn(now);
    return (this.#counts.get(this.#key(address)) ?? 0) >= mostWrong;
  }

  add(address: string, now: number): void {
    this.#turn(now);
    const key = this.#key(address);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  #turn(now: number): void {
    if (now < this.#windowEnd) return;
    this.#counts.clear();
    this.#windowEnd = now + windowMs;
  }

  #key(address: string): string {
    return this.#counts.has(address) || this.#counts.size < mostAddresses ? address : "others";
  }
}

const key = Symbol.for("signpost.inbox.wrong-tokens");

/** The process's one count. */
export function wrongTokens(): WrongTokens {
  const shared = globalThis as unknown as Record<symbol, WrongTokens | undefined>;
  shared[key] ??= new WrongTokens();
  return shared[key];
}
