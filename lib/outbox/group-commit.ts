import { OutboxError } from "./outbox";

export interface PendingWrite {
  /** What it holds in memory until it is on disk. */
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Commits begin at least this far apart while writes keep coming, so that many share one. */
const intervalMs = 5;
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
  #cancel: (() => void) | undefined;
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
    this.#schedule(this.#lastBegan + this.#interval - performance.now());
  }

  /** Commits what is pending before it returns. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#commit(true);
  }

  #schedule(waitMs: number): void {
    if (this.#cancel) return;
    const go = () => {
      this.#cancel = undefined;
      this.#commit(false);
    };
    if (waitMs < 1) {
      const immediate = setImmediate(go);
      this.#cancel = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(go, waitMs);
      this.#cancel = () => clearTimeout(timer);
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
        this.#schedule(retryMs * (0.5 + Math.random()));
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
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#busySince = undefined;
    this.#lastBegan = began;
    const took = performance.now() - began;
    this.#interval = Math.min(Math.max(intervalMs, took * share), longestIntervalMs);
  }
}
