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
  #writes: W[] = [];
  #bytes = 0;

  /** @param onFull is called with each write that finds no room at first */
  constructor(private readonly onFull: (error: OutboxError) => void) {}

  get size(): number {
    return this.#writes.length;
  }

  [Symbol.iterator](): Iterator<W> {
    return this.#writes[Symbol.iterator]();
  }

  /**
   * Adds a write, or rejects it. If there is no room for one of high priority, those of low
   * priority are rejected, the oldest first.
   */
  add(write: W): void {
    const fits = () => this.#bytes + write.bytes <= maxPendingBytes;
    if (fits()) {
      this.#push(write);
      return;
    }
    const error = new OutboxError("busy", "Too many reports wait to be written.");
    this.onFull(error);
    const evictable = write.priority === "low" ? [] : this.#writes.filter(isLow);
    for (const other of evictable) {
      if (fits()) break;
      this.#writes.splice(this.#writes.indexOf(other), 1);
      this.#bytes -= other.bytes;
      other.reject(error);
    }
    if (fits()) this.#push(write);
    else write.reject(error);
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

function isLow({ priority }: PendingWrite): boolean {
  return priority === "low";
}
