import { OutboxError } from "./outbox";

/** Maximum size of all writes that wait. */
const maxPendingBytes = 32 * 1024 * 1024;

export interface PendingWrite {
  /** Size of the report that it appends, 0 if none. */
  bytes: number;
  /** Whether that report makes room for others. */
  expendable: boolean;
  reject(error: OutboxError): void;
}

/** The writes that wait for the store, in bounded memory. */
export class PendingWrites<W extends PendingWrite> {
  #writes: W[] = [];
  #bytes = 0;

  get size(): number {
    return this.#writes.length;
  }

  [Symbol.iterator](): Iterator<W> {
    return this.#writes[Symbol.iterator]();
  }

  /**
   * Adds a write. If there is no room for an important one, it refuses expendable ones, the oldest
   * first.
   *
   * @returns why there was no room; the write may have been added all the same
   */
  add(write: W): { error: OutboxError; added: boolean } | undefined {
    const fits = () => this.#bytes + write.bytes <= maxPendingBytes;
    if (fits()) {
      this.#push(write);
      return undefined;
    }
    const error = new OutboxError("busy", "Too many reports wait to be written.");
    for (const other of write.expendable ? [] : this.#writes.filter((one) => one.expendable)) {
      if (fits()) break;
      this.#writes.splice(this.#writes.indexOf(other), 1);
      this.#bytes -= other.bytes;
      other.reject(error);
    }
    const added = fits();
    if (added) this.#push(write);
    return { error, added };
  }

  /** Removes the oldest writes: at least one, and more up to both bounds. */
  take(maxWrites = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY): W[] {
    let count = 0;
    let bytes = 0;
    for (const write of this.#writes) {
      if (count > 0 && (count === maxWrites || bytes + write.bytes > maxBytes)) break;
      count++;
      bytes += write.bytes;
    }
    this.#bytes -= bytes;
    return this.#writes.splice(0, count);
  }

  #push(write: W): void {
    this.#writes.push(write);
    this.#bytes += write.bytes;
  }
}
