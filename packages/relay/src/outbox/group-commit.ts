import { OutboxError, type OutboxFault, type Statement } from "./driver.ts";
import type { Store } from "./store.ts";

/** Maximum number of writes in a group, and of their bytes: a larger one would hold up the next. */
const maxGroup = { writes: 500, bytes: 4 * 1024 * 1024 };
/** While as many wait, no more is taken. Of what is of low priority, half as much. */
const maxWaiting = { writes: 8000, bytes: 32 * 1024 * 1024 };
/** Minimum time between two groups while single writes arrive, in milliseconds. */
const idleMs = 5;

export interface Write {
  /** Of the report that it appends. */
  bytes: number;
  isLow: boolean;
}

type Grouped<W extends Write> = W & { resolve(): void; reject(error: OutboxError): void };

/**
 * Runs writes in groups, one after another, each in one transaction. A single write runs at once; under
 * load, all since the last group share the next one. One at fault does not fail the others: where a group
 * fails for what one of them may hold, its halves are tried.
 */
export abstract class GroupCommit<W extends Write> {
  #waiting: Grouped<W>[] = [];
  #bytes = 0;
  /** Groups that wait for `prepare`. */
  readonly #preparing = new Set<Grouped<W>[]>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = idleMs;
  /** The faults that may be those of one write. */
  protected readonly faultsOfOne: readonly OutboxFault[] = ["malformed"];
  /** See `Driver.transaction`. */
  protected readonly stay: boolean = false;

  constructor(protected readonly store: Store) {}

  protected abstract statements(group: readonly W[]): Statement[];
  /** Called when these are durable. */
  protected abstract written(group: readonly W[]): void;
  /** Settles a write that is malformed by itself. @throws {OutboxError} that it is rejected with */
  protected abstract refused(write: W, error: OutboxError): Promise<void>;

  /** @returns what must be done before a group is written, if anything */
  protected prepare(_group: readonly W[]): Promise<void> | undefined {
    return undefined;
  }

  /** @returns why this is not written, if it isn't */
  protected refusal(_write: W): OutboxError | undefined {
    return undefined;
  }

  /** @throws {OutboxError} `busy` if too many wait; or why it was not written */
  write(write: W): Promise<void> {
    return new Promise((resolve, reject) => {
      const share = write.isLow ? 0.5 : 1;
      const isFull =
        this.#bytes >= share * maxWaiting.bytes ||
        this.#waiting.length >= share * maxWaiting.writes;
      // That many come at once says nothing of the store.
      if (isFull) return reject(new OutboxError("busy", "Too many reports wait to be written."));
      this.#waiting.push({ ...write, resolve, reject });
      this.#bytes += write.bytes;
      this.#plan();
    });
  }

  /** Resolves once every write until now is settled. Waits for no interval. */
  async flush(): Promise<void> {
    const last = this.#waiting.at(-1);
    while (last && this.#waiting.includes(last)) {
      if (this.#running.size === 0) this.#start();
      await Promise.all(this.#running);
    }
    await Promise.all(this.#running);
  }

  /**
   * The same for a process that is about to end: all that waits is handed to the driver before this returns, so
   * it can't be prepared.
   */
  async flushNow(): Promise<void> {
    for (const group of this.#preparing) this.#run(this.#write(group));
    this.#preparing.clear();
    while (this.#waiting.length > 0) this.#start(true);
    await Promise.all(this.#running);
  }

  #plan(): void {
    if (this.#timer || this.#running.size > 0 || this.#waiting.length === 0) return;
    const wait = this.#lastStart + this.#interval - performance.now();
    const start = () => this.#start();
    this.#timer = wait < 1 ? setImmediate(start) : setTimeout(start, wait);
  }

  #start(mayEnd = false): void {
    clearTimeout(this.#timer as NodeJS.Timeout);
    clearImmediate(this.#timer as NodeJS.Immediate);
    this.#timer = undefined;
    const group = this.#take();
    if (group.length === 0) return;
    this.#lastStart = performance.now();
    this.#interval = group.length > 1 ? this.store.driver.groupMs : idleMs;
    const preparing = mayEnd ? undefined : this.prepare(group);
    this.#run(preparing ? this.#writePrepared(group, preparing) : this.#writeAdmitted(group));
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => {
      this.#running.delete(running);
      this.#plan();
    });
    this.#running.add(running);
  }

  async #writePrepared(group: Grouped<W>[], preparing: Promise<void>): Promise<void> {
    this.#preparing.add(group);
    const failure = await this.store.health.watch(preparing).then(
      () => undefined,
      (error: OutboxError) => error,
    );
    // Otherwise `flushNow` has handed it over meanwhile.
    if (!this.#preparing.delete(group)) return;
    if (failure) this.#fail(group, failure);
    else await this.#writeAdmitted(group);
  }

  #writeAdmitted(group: Grouped<W>[]): Promise<void> {
    return this.#write(group.filter((write) => this.#isAdmitted(write)));
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

  #isAdmitted(write: Grouped<W>): boolean {
    const refusal = this.refusal(write);
    if (refusal) write.reject(refusal);
    return !refusal;
  }

  /** Settles each of them. */
  async #write(group: Grouped<W>[]): Promise<void> {
    if (group.length === 0) return;
    const { driver, health } = this.store;
    try {
      await health.watch(driver.transaction(this.statements(group), this.stay));
      this.written(group);
    } catch (error) {
      const failure = error as OutboxError;
      if (group.length > 1 && this.faultsOfOne.includes(failure.fault)) {
        const half = Math.ceil(group.length / 2);
        await this.#write(group.slice(0, half));
        return this.#write(group.slice(half));
      }
      const [one] = group;
      if (!one || failure.fault !== "malformed") return this.#fail(group, failure);
      return this.refused(one, failure).then(one.resolve, (reason) => this.#fail([one], reason));
    }
    for (const { resolve } of group) resolve();
  }

  #fail(group: readonly Grouped<W>[], error: OutboxError): void {
    for (const { reject } of group) reject(error);
    if (this.faultsOfOne.includes(error.fault)) return;
    // Each further group might wait as long for the same fault.
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
