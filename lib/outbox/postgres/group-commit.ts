import type { OutboxError } from "../outbox";
import { type PendingWrite, PendingWrites } from "../pending-writes";
import { StartTimer } from "../start-timer";

/** What is to be written, without how it is settled. */
type Details<W extends PendingWrite> = Omit<W, "resolve" | "reject">;

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
export class GroupCommit<W extends PendingWrite> {
  readonly #pending: PendingWrites<W>;
  readonly #timer = new StartTimer(() => this.#start());
  #running = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = intervalMs;
  #onIdle: (() => void)[] = [];

  /**
   * @param run settles each write of a group. Must not reject
   * @param onFull see `PendingWrites`
   */
  constructor(
    private readonly run: (writes: W[]) => Promise<void>,
    onFull: (error: OutboxError) => void,
  ) {
    this.#pending = new PendingWrites(onFull);
  }

  /** @throws {OutboxError} */
  write(details: Details<W>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.add({ ...details, resolve, reject } as W);
      this.#schedule();
    });
  }

  /** Resolves once all writes so far are settled. */
  flush(): Promise<void> {
    if (!this.#running && this.#pending.size === 0) return Promise.resolve();
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#start();
    return idle;
  }

  #schedule(): void {
    if (this.#running || this.#pending.size === 0) return;
    this.#timer.plan(this.#lastStart + this.#interval);
  }

  #start(): void {
    if (this.#running) return;
    this.#timer.cancel();
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
