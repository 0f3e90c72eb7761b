import type { Priority } from "@/lib/envelope/categories";
import { OutboxError } from "./outbox";

/** Maximum size of all writes that wait. */
const maxPendingBytes = 32 * 1024 * 1024;

export interface PendingWrite {
  /** Size of the report that it appends, 0 if none. */
  bytes: number;
  /** Of that report. */
  priority: Priority;
  resolve(): void;
  reject(error: OutboxError): void;
}

/** @param failure of all of them; undefined if they succeeded */
export function settleAll(writes: readonly PendingWrite[], failure?: OutboxError): void {
  for (const write of writes) {
    if (failure) write.reject(failure);
    else write.resolve();
  }
}

/** The writes that wait for the store, in bounded memory. */
export class PendingWrites<W extends PendingWrite> {
  /** The oldest first. */
  readonly #writes = new Set<W>();
  /** Those of low priority among them. */
  readonly #low = new Set<W>();
  #bytes = 0;

  /**
   * @param onFull is called with each write that finds no room at first
   * @param maxWrites how many may wait
   */
  constructor(
    private readonly onFull: (error: OutboxError) => void,
    private readonly maxWrites = Number.POSITIVE_INFINITY,
  ) {}

  get size(): number {
    return this.#writes.size;
  }

  [Symbol.iterator](): Iterator<W> {
    return this.#writes[Symbol.iterator]();
  }

  /**
   * Adds a write, or rejects it. If there is no room for one of high priority, those of low
   * priority are rejected, the oldest first.
   */
  add(write: W): void {
    const fits = () =>
      this.#bytes + write.bytes <= maxPendingBytes && this.#writes.size < this.maxWrites;
    if (fits()) {
      this.#push(write);
      return;
    }
    const error = new OutboxError("busy", "Too many reports wait to be written.");
    this.onFull(error);
    for (const other of write.priority === "low" ? [] : this.#low) {
      if (fits()) break;
      this.#remove(other);
      other.reject(error);
    }
    if (fits()) this.#push(write);
    else write.reject(error);
  }

  /** Removes the oldest writes: at least one, and more up to both bounds. */
  take(maxWrites = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY): W[] {
    const taken: W[] = [];
    let bytes = 0;
    for (const write of this.#writes) {
      if (taken.length > 0 && (taken.length === maxWrites || bytes + write.bytes > maxBytes)) break;
      this.#remove(write);
      taken.push(write);
      bytes += write.bytes;
    }
    return taken;
  }

  #push(write: W): void {
    this.#writes.add(write);
    if (write.priority === "low") this.#low.add(write);
    this.#bytes += write.bytes;
  }

  #remove(write: W): void {
    this.#writes.delete(write);
    this.#low.delete(write);
    this.#bytes -= write.bytes;
  }
}
