import type { Priority } from "../envelope/categories.ts";

/** Bytes that all bodies in memory may take together, unless eight of the largest take more. */
const minTotalBytes = 64 * 1024 * 1024;
const minLargestBodies = 8;
/** While a buffer grows, what it was and what it becomes are there. */
const copiesOfBody = 2;
/** The most that its request takes beside it, see `readBody`. */
const maxRequestBytes = 512 * 1024;
/** The part of it that the bodies of one address may take: at least one of the largest. */
const maxAddressShare = 1 / 8;
/** The part of it that bodies of low priority may fill: the rest is left for the others. */
const maxLowShare = 3 / 4;

/**
 * Bounds the memory that request bodies take, with all that is held for them until they are stored or
 * refused: of all addresses together, and of each one.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  #takenBytes = 0;
  readonly #takenByAddress = new Map<string, number>();

  /** @param largestBody bytes of the largest body that must fit */
  constructor(largestBody: number) {
    const largest = copiesOfBody * largestBody + maxRequestBytes;
    this.#maxBytes = Math.max(minTotalBytes, minLargestBodies * largest);
  }

  /** For one body. @param address whose share it is, see `shareKey` */
  reserve(address: string): BodyReservation {
    return new BodyReservation(this, address);
  }

  /**
   * @param address whose share is charged; nobody's if there is none
   * @param priority if it is low, some memory must be left for other bodies
   * @returns whether there was enough. Only then must the bytes be released, for the same address
   */
  take(bytes: number, address?: string, priority: Priority = "high"): boolean {
    const maxBytes = this.#maxBytes * (priority === "low" ? maxLowShare : 1);
    if (this.#takenBytes + bytes > maxBytes) return false;
    if (address !== undefined) {
      if (this.exceedsShare(bytes, address)) return false;
      this.#takenByAddress.set(address, (this.#takenByAddress.get(address) ?? 0) + bytes);
    }
    this.#takenBytes += bytes;
    return true;
  }

  /** Whether that many more bytes would exceed the address's share, however much room there is. */
  exceedsShare(bytes: number, address: string): boolean {
    const taken = this.#takenByAddress.get(address) ?? 0;
    return taken + bytes > this.#maxBytes * maxAddressShare;
  }

  release(bytes: number, address?: string): void {
    this.#takenBytes -= bytes;
    if (address === undefined) return;
    const left = (this.#takenByAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#takenByAddress.set(address, left);
    else this.#takenByAddress.delete(address);
  }
}

/** The memory of one body, which grows while the body is read and is released all at once. */
export class BodyReservation {
  #bytes = 0;
  /** These count against no address. */
  #keptBytes = 0;
  /** Whether `grow` last failed because of this address's own bodies. */
  exceededShare = false;
  /** Bodies of low priority are the first to be refused when many arrive. */
  priority: Priority = "high";

  constructor(
    private readonly memory: BodyMemory,
    private readonly address: string,
  ) {}

  /** What it has grown to while the body was read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Before the memory is taken. @returns whether there was room for that many more bytes */
  grow(bytes: number): boolean {
    this.exceededShare = this.memory.exceedsShare(bytes, this.address);
    if (!this.memory.take(bytes, this.address, this.priority)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives back that many of its bytes, by default all. */
  shrink(bytes = this.#bytes): void {
    this.memory.release(bytes, this.address);
    this.#bytes -= bytes;
  }

  /**
   * Grows by what is made of the body once it is read, and gives back what was made before: it counts
   * against no address, as no client can prolong its use. @returns whether there was room
   */
  keep(bytes: number): boolean {
    this.exceededShare = false;
    if (!this.memory.take(bytes)) return false;
    this.memory.release(this.#keptBytes);
    this.#keptBytes = bytes;
    return true;
  }

  release(): void {
    this.shrink();
    this.memory.release(this.#keptBytes);
    this.#keptBytes = 0;
  }
}
