import { addressShare, leastEnvelopesInHand, maxBytesInHand } from "./limits";

/** Bounds the memory of all requests together, and of those from one address. */
export class BytesInHand {
  readonly #max: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  /** @param maxEnvelope bytes of the largest envelope */
  constructor(maxEnvelope: number) {
    this.#max = Math.max(maxBytesInHand, leastEnvelopesInHand * maxEnvelope);
  }

  /** What one body, from one address, takes of it. */
  hold(key: string): Hold {
    return new Hold(this, key);
  }

  /**
   * @param key the address it goes on, or nothing for what goes on none
   * @returns whether there was room; only then must it be given back, under the same key
   */
  take(bytes: number, key?: string): boolean {
    if (this.#taken + bytes > this.#max) return false;
    if (key !== undefined) {
      if (this.isOverShare(bytes, key)) return false;
      this.#takenBy.set(key, (this.#takenBy.get(key) ?? 0) + bytes);
    }
    this.#taken += bytes;
    return true;
  }

  /** Whether so many bytes more would be too many for this address, however much room there is. */
  isOverShare(bytes: number, key: string): boolean {
    return (this.#takenBy.get(key) ?? 0) + bytes > this.#max * addressShare;
  }

  giveBack(bytes: number, key?: string): void {
    this.#taken -= bytes;
    if (key === undefined) return;
    const mine = (this.#takenBy.get(key) ?? 0) - bytes;
    if (mine > 0) this.#takenBy.set(key, mine);
    else this.#takenBy.delete(key);
  }
}

/** What is in hand of one body, so that all of it can be given back at once. */
export class Hold {
  readonly #inHand: BytesInHand;
  readonly #key: string;
  #taken = 0;
  #overShare = false;

  constructor(inHand: BytesInHand, key: string) {
    this.#inHand = inHand;
    this.#key = key;
  }

  /** Whether the last refusal was for the address's share, and so of the client's own doing. */
  get overShare(): boolean {
    return this.#overShare;
  }

  /** @returns whether there was room for so many bytes more */
  take(bytes: number): boolean {
    this.#overShare = this.#inHand.isOverShare(bytes, this.#key);
    if (!this.#inHand.take(bytes, this.#key)) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(): void {
    this.#inHand.giveBack(this.#taken, this.#key);
    this.#taken = 0;
  }
}
