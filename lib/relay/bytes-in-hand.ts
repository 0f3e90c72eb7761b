import { leastEnvelopesInHand, maxBytesInHand } from "./limits";

/** Bounds the memory of all requests together. */
export class BytesInHand {
  readonly #max: number;
  #taken = 0;

  /** @param maxEnvelope bytes of the largest envelope */
  constructor(maxEnvelope: number) {
    this.#max = Math.max(maxBytesInHand, leastEnvelopesInHand * maxEnvelope);
  }

  /** @returns whether there was room; only then must it be given back */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#max) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }
}
