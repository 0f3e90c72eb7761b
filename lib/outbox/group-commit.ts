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
/** How long a write waits for another process that holds the file. */
const patienceMs = 2000;
const retryMs = 10;
/** What may wait in memory for that process to let go. */
const maxPendingBytes = 32 * 1024 * 1024;

/**
 * Gathers writes into transactions: alone, a write is committed at once; under load, all that
 * came in since the last commit share the next one and its one wait for the disk. Meanwhile the
 * process goes on.
 */
export class GroupCommit<Write extends PendingWrite> {
  #pending: Write[] = [];
  #pendingBytes = 0;
  #scheduled: { at: number; cancel(): void } | undefined;
  #lastBegan = 0;
  #interval = intervalMs;
  #busySince: number | undefined;
  #underWay = false;
  #held = false;

  /**
   * @param commit runs all writes in one transaction, and resolves once that is on disk; or throws
   *   and has written none. Throws an OutboxError `busy` while another process holds the file. If
   *   it may block, all is on disk when it returns
   */
  constructor(
    private readonly commit: (writes: Write[], mayBlock: boolean) => Promise<void> | undefined,
  ) {}

  /** Whether a transaction is on its way to the disk. */
  get underWay(): boolean {
    return this.#underWay;
  }

  add(write: Write): void {
    if (this.#pendingBytes + write.bytes > maxPendingBytes) {
      write.reject(new OutboxError("busy", "Too much waits to be written."));
      return;
    }
    this.#pending.push(write);
    this.#pendingBytes += write.bytes;
    if (this.#underWay || this.#held) return;
    const interval = write.bytes > 0 ? this.#interval : Math.max(this.#interval, loadedIntervalMs);
    this.#schedule(this.#lastBegan + interval);
  }

  /** Lets writes gather until `resume`; only `flush` commits meanwhile. */
  hold(): void {
    this.#held = true;
    this.#scheduled?.cancel();
    this.#scheduled = undefined;
  }

  resume(): void {
    this.#held = false;
    if (this.#pending.length > 0 && !this.#underWay) this.#schedule(this.#lastBegan);
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
    let onDisk: Promise<void> | undefined;
    try {
      onDisk = this.commit(writes, mayBlock);
    } catch (error) {
      const busy = error instanceof OutboxError && error.fault === "busy";
      if (busy && began - this.#waitingSince(began) < patienceMs) {
        this.#schedule(began + retryMs * (0.5 + Math.random()));
        return;
      }
      this.#next(began);
      for (const write of writes) write.reject(error);
      return;
    }
    this.#next(began);
    if (onDisk) void this.#await(onDisk, writes);
    else for (const write of writes) write.resolve();
  }

  /** While one transaction is on its way to the disk, the next one gathers. */
  async #await(onDisk: Promise<void>, writes: Write[]): Promise<void> {
    this.#underWay = true;
    try {
      await onDisk;
      for (const write of writes) write.resolve();
    } catch (error) {
      for (const write of writes) write.reject(error);
    }
    this.#underWay = false;
    if (this.#pending.length > 0 && !this.#held) this.#schedule(this.#lastBegan + this.#interval);
  }

  #waitingSince(now: number): number {
    this.#busySince ??= now;
    return this.#busySince;
  }

  #next(began: number): void {
    const loaded = this.#pending.filter(({ bytes }) => bytes > 0).length > 1;
    this.#interval = loaded ? loadedIntervalMs : intervalMs;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#busySince = undefined;
    this.#lastBegan = began;
  }
}
