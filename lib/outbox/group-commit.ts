import type { OutboxError } from "./outbox";
import { type PendingWrite, PendingWrites } from "./pending-writes";

/** What is to be written, without how it is settled. */
type Details<W extends PendingWrite> = Omit<W, "resolve" | "reject">;

export interface GroupCommitOptions<W extends PendingWrite> {
  /** Settles each write of a group. Must not reject. */
  run(writes: W[]): Promise<void>;
  /**
   * Minimum time between the starts of two groups while several writes arrive in between, so that
   * more of them share a group. A write under load waits this long at most for its group to start.
   */
  loadedIntervalMs: number;
  /** How many may wait for their group. */
  maxPending?: number;
  /** Called with each write that finds no room at first. */
  onFull?(error: OutboxError): void;
}

/** The same while single writes arrive. */
const intervalMs = 5;
/** Maximum size of a group: a larger one would hold up the next for too long. */
const maxWrites = 500;
const maxGroupBytes = 4 * 1024 * 1024;

/**
 * Runs writes in groups, one group at a time and in order. A single write runs at once; under load,
 * all writes since the last group share the next one.
 */
export class GroupCommit<W extends PendingWrite> {
  /** The writes that no group has taken yet. */
  readonly pending: PendingWrites<W>;
  #running = false;
  #planned: (() => void) | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = intervalMs;
  #onIdle: (() => void)[] = [];

  constructor(private readonly options: GroupCommitOptions<W>) {
    this.pending = new PendingWrites((error) => options.onFull?.(error), options.maxPending);
  }

  /** @throws {OutboxError} */
  write(details: Details<W>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending.add({ ...details, resolve, reject } as W);
      this.#plan();
    });
  }

  /** Resolves once no write is left, those that come meanwhile included. */
  flush(): Promise<void> {
    if (!this.#running && this.pending.size === 0) return Promise.resolve();
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#start();
    return idle;
  }

  #plan(): void {
    if (this.#running || this.#planned || this.pending.size === 0) return;
    const start = () => this.#start();
    const wait = this.#lastStart + this.#interval - performance.now();
    if (wait < 1) {
      const immediate = setImmediate(start);
      this.#planned = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(start, wait);
      this.#planned = () => clearTimeout(timer);
    }
  }

  #start(): void {
    this.#planned?.();
    this.#planned = undefined;
    if (!this.#running) void this.#runGroup();
  }

  async #runGroup(): Promise<void> {
    this.#running = true;
    this.#lastStart = performance.now();
    const writes = this.pending.take(maxWrites, maxGroupBytes);
    this.#interval = writes.length > 1 ? this.options.loadedIntervalMs : intervalMs;
    await this.options.run(writes);
    this.#running = false;
    if (this.pending.size === 0) {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    } else if (this.#onIdle.length > 0) this.#start();
    else this.#plan();
  }
}
