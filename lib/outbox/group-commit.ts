import { OutboxError } from "./outbox";

export interface PendingWrite {
  /** What it holds in memory until it is on disk; one that holds nothing is in no hurry. */
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Commits begin at least this far apart. */
const intervalMs = 5;
/** The same while several writes come in between two, so that many share one. */
const loadedIntervalMs = 15;
/** Of the event loop's time, at most one part in this many goes into commits. */
const share = 4;
const longestIntervalMs = 100;
/** How long a write waits for another process that holds the file. */
const patienceMs = 2000;
const retryMs = 10;
/** What may wait in memory for that process to let go. */
const maxPendingBytes = 32 * 1024 * 1024;

/**
 * Gathers writes into transactions: alone, a write is committed at once; under load, all that
 * came in since the last commit share the next one and its one wait for the disk.
 */
export class GroupCommit<Write extends PendingWrite> {
  #pending: Write[] = [];
  #pendingBytes = 0;
  #scheduled: { at: number; cancel(): void } | undefined;
  #lastBegan = 0;
  #interval = intervalMs;
  #busySince: number | undefined;

  /**
   * @param commit puts all writes on disk in one transaction, or throws and has written none.
   *   Throws an OutboxError `busy` while another process holds the file, or may block for it
   */
  constructor(private readonly commit: (writes: Write[], mayBlock: boolean) => void) {}

  add(write: Write): void {
    if (this.#pendingBytes + write.bytes > maxPendingBytes) {
      write.reject(new OutboxError("busy", "Too much waits to be written."));
      return;
    }
    this.#pending.push(write);
    this.#pendingBytes += write.bytes;
    const interval = write.bytes > 0 ? this.#interval : Math.max(this.#interval, loadedIntervalMs);
    this.#schedule(this.#lastBegan + interval);
  }

  /** Commits what is pending before it returns. */
  flush(): void {
    this.#scheduled?.cancel();
    this.#scheduled = undefined;
    this.#commit(true);
  }

  /** @param at on the clock of `performance.now()` */
  #schedule(at: number): void {
    if (this.#scheduled && this.#scheduled.at <= at) return;
    this.#scheduled?.cancel();
    const go = () => {
      this.#scheduled = undefined;
      this.#commit(false);
    };
    const wait = at - performance.now();
    if (wait < 1) {
      const immediate = setImmediate(go);
      this.#scheduled = { at, cancel: () => clearImmediate(immediate) };
    } else {
      const timer = setTimeout(go, wait);
      this.#scheduled = { at, cancel: () => clearTimeout(timer) };
    }
  }

  #commit(mayBlock: boolean): void {
    if (this.#pending.length === 0) return;
    const began = performance.now();
    const writes = this.#pending;
    try {
      this.commit(writes, mayBlock);
    } catch (error) {
      const busy = error instanceof OutboxError && error.fault === "busy";
      if (busy && began - this.#waitingSince(began) < patienceMs) {
        this.#schedule(performance.now() + retryMs * (0.5 + Math.random()));
        return;
      }
      this.#settle(began);
      for (const write of writes) write.reject(error);
      return;
    }
    this.#settle(began);
    for (const write of writes) write.resolve();
  }

  #waitingSince(now: number): number {
    this.#busySince ??= now;
    return this.#busySince;
  }

  #settle(began: number): void {
    const loaded = this.#pending.filter(({ bytes }) => bytes > 0).length > 1;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#busySince = undefined;
    this.#lastBegan = began;
    const took = performance.now() - began;
    const least = loaded ? loadedIntervalMs : intervalMs;
    this.#interval = Math.min(Math.max(least, took * share), longestIntervalMs);
  }
}
