import { type PendingWrite, PendingWrites } from "../pending-writes";

export interface GroupWrite extends PendingWrite {
  resolve(): void;
}

/** Minimum time between the starts of two groups. */
const intervalMs = 5;
/**
 * The same while several writes arrive in between, so that more of them share a group. A write under
 * load waits this long at most for its group to start.
 */
const loadedIntervalMs = 40;
/** Maximum size of a group: a larger one would hold up the next for too long. */
const maxWrites = 500;
const maxGroupBytes = 4 * 1024 * 1024;

/**
 * Runs writes in groups, one group at a time and in order. A single write runs at once; under load,
 * all writes since the last group share the next one.
 */
export class GroupCommit<W extends GroupWrite> {
  readonly #pending = new PendingWrites<W>();
  #running = false;
  #scheduled: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = intervalMs;
  #onIdle: (() => void)[] = [];

  /** @param run settles each write of a group. Must not reject */
  constructor(private readonly run: (writes: W[]) => Promise<void>) {}

  /** @returns why there was no room, see `PendingWrites.add` */
  add(write: W): ReturnType<PendingWrites<W>["add"]> {
    const full = this.#pending.add(write);
    this.#schedule();
    return full;
  }

  /** Resolves once all writes so far are settled. */
  flush(): Promise<void> {
    if (!this.#running && this.#pending.size === 0) return Promise.resolve();
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#start();
    return idle;
  }

  #schedule(): void {
    if (this.#running || this.#scheduled || this.#pending.size === 0) return;
    const wait = this.#lastStart + this.#interval - performance.now();
    const start = () => this.#start();
    this.#scheduled = wait < 1 ? setImmediate(start) : setTimeout(start, wait);
  }

  #start(): void {
    if (this.#running) return;
    clearTimeout(this.#scheduled as NodeJS.Timeout);
    clearImmediate(this.#scheduled as NodeJS.Immediate);
    this.#scheduled = undefined;
    void this.#runGroup();
  }

  async #runGroup(): Promise<void> {
    this.#running = true;
    this.#lastStart = performance.now();
    const writes = this.#pending.take(maxWrites, maxGroupBytes);
    this.#interval = writes.length > 1 ? loadedIntervalMs : intervalMs;
    await this.run(writes);
    this.#running = false;
    if (this.#pending.size === 0) {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    } else if (this.#onIdle.length > 0) this.#start();
    else this.#schedule();
  }
}
