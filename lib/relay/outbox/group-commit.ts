import { OutboxError } from "./driver";
import type { Store } from "./store";

/** Maximum number of writes in a group, and of their bytes: a larger one would hold up the next. */
const maxGroup = { writes: 500, bytes: 4 * 1024 * 1024 };
/** The same of all that wait. Of what is of low priority, half as much. */
const maxWaiting = { writes: 8000, bytes: 32 * 1024 * 1024 };
/** Minimum time between two groups while single writes arrive, in milliseconds. */
const idleMs = 5;

export interface Write {
  /** Of the report that it appends. */
  bytes: number;
  isLow: boolean;
}

interface Settled {
  resolve(): void;
  reject(error: OutboxError): void;
}

export type Grouped<W extends Write> = W & Settled;

/**
 * Runs writes in groups, one after another. A single write runs at once; under load, all since the last
 * group share the next one.
 */
export class GroupCommit<W extends Write> {
  #waiting: Grouped<W>[] = [];
  #bytes = 0;
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = idleMs;

  /** @param run settles each write of a group, and must not reject */
  constructor(
    private readonly run: (group: Grouped<W>[]) => Promise<void>,
    private readonly store: Pick<Store, "driver" | "health">,
  ) {}

  /** @throws {OutboxError} `busy` if too many wait; or what `run` rejects it with */
  write(write: W): Promise<void> {
    return new Promise((resolve, reject) => {
      const share = write.isLow ? 0.5 : 1;
      const isFull =
        this.#bytes + write.bytes > share * maxWaiting.bytes ||
        this.#waiting.length >= share * maxWaiting.writes;
      if (isFull) {
        const error = new OutboxError("busy", "Too many reports wait to be written.");
        return reject(this.store.health.fail(error));
      }
      this.#waiting.push({ ...write, resolve, reject });
      this.#bytes += write.bytes;
      this.#plan();
    });
  }

  /** Rejects all that wait for their group. */
  rejectWaiting(error: OutboxError): void {
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Starts all that wait before it returns. Resolves once every write until now is settled. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) this.#start();
    await Promise.all(this.#running);
  }

  #plan(): void {
    if (this.#timer || this.#running.size > 0 || this.#waiting.length === 0) return;
    const wait = this.#lastStart + this.#interval - performance.now();
    const start = () => this.#start();
    this.#timer = wait < 1 ? setImmediate(start) : setTimeout(start, wait);
  }

  #start(): void {
    clearTimeout(this.#timer as NodeJS.Timeout);
    clearImmediate(this.#timer as NodeJS.Immediate);
    this.#timer = undefined;
    const group = this.#take();
    if (group.length === 0) return;
    this.#lastStart = performance.now();
    this.#interval = group.length > 1 ? this.store.driver.groupMs : idleMs;
    const running = this.run(group).finally(() => {
      this.#running.delete(running);
      this.#plan();
    });
    this.#running.add(running);
  }

  /** The oldest: at least one, and more up to both bounds. */
  #take(): Grouped<W>[] {
    let bytes = 0;
    const index = this.#waiting.findIndex((write, i) => {
      bytes += write.bytes;
      return i > 0 && (i === maxGroup.writes || bytes > maxGroup.bytes);
    });
    const group = this.#waiting.splice(0, index < 0 ? this.#waiting.length : index);
    this.#bytes -= group.reduce((sum, write) => sum + write.bytes, 0);
    return group;
  }
}
