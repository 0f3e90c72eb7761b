import { setImmediate, setTimeout } from "node:timers/promises";
import { OutboxError, type OutboxFault } from "./driver.ts";
import type { ReportRow } from "./reports.ts";

/** Maximum number of writes in a group, and of their bytes: a larger one would hold up the next. */
const maxGroup = { writes: 500, bytes: 4 * 1024 * 1024 };
/** While as many wait, no more is taken. Of what is of low priority, half as much. */
const maxWaiting = { writes: 8000, bytes: 32 * 1024 * 1024 };
/** Minimum time between two groups while single writes arrive, in milliseconds. */
const idleMs = 5;
/** The same under load: in both engines a transaction costs as much of the processor as some ten reports in it. */
const groupMs = 40;

/** What the bounds ask of a write: the bytes of the report that it appends, and whether that is of low priority. */
type Write = Pick<ReportRow, "size" | "low">;

interface Options<W> {
  /** The faults that may be those of one write in a group. */
  faultsOfOne: readonly OutboxFault[];
  /** Writes a group in one transaction, which the driver has got when this returns. @throws {OutboxError} */
  write(group: readonly W[]): Promise<void>;
  /** What is done before a group is written, unless the process ends. @throws {OutboxError} */
  prepare?(group: readonly W[]): Promise<void>;
  /** @returns why this is not written, if it isn't */
  refusal?(write: W): OutboxError | undefined;
}

class Waiting<W> {
  resolve!: () => void;
  reject!: (error: OutboxError) => void;
  readonly settled = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(readonly write: W) {}
}

/**
 * Runs writes in groups, one after another, each in one transaction. A single write runs at once; under
 * load, all since the last group share the next one. One at fault does not fail the others: where a group
 * fails for what one of them may hold, its halves are tried.
 */
export class GroupCommit<W extends Write> {
  /** In their order, with the group that is being prepared. */
  readonly #waiting: Waiting<W>[] = [];
  #bytes = 0;
  #isRunning = false;
  /** Resolves once all groups are settled that the driver has got. */
  #written = Promise.resolve();
  /** When the next group begins at the earliest. */
  #nextStart = 0;

  constructor(private readonly options: Options<W>) {}

  /** @throws {OutboxError} `busy` if too many wait; or why it was not written */
  write(write: W): Promise<void> {
    const share = write.low === 1 ? 0.5 : 1;
    const isFull =
      this.#bytes >= share * maxWaiting.bytes || this.#waiting.length >= share * maxWaiting.writes;
    // That many come at once says nothing of the store.
    if (isFull)
      return Promise.reject(new OutboxError("busy", "Too many reports wait to be written."));
    const waiting = new Waiting(write);
    this.#waiting.push(waiting);
    this.#bytes += write.size;
    if (!this.#isRunning) void this.#run();
    return waiting.settled;
  }

  /** Resolves once every write until now is settled. */
  async flush(): Promise<void> {
    await Promise.allSettled([this.#written, ...this.#waiting.map(({ settled }) => settled)]);
  }

  /**
   * The same for a process that is about to end: the driver has got all that waits when this returns, so it
   * can't be prepared.
   */
  async flushNow(): Promise<void> {
    while (this.#waiting.length > 0) this.#handOver(this.#oldest());
    await this.#written;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const wait = this.#nextStart - performance.now();
      await (wait < 1 ? setImmediate() : setTimeout(wait));
      const group = this.#oldest();
      // `flushNow` has taken them.
      if (group.length === 0) break;
      this.#nextStart = performance.now() + (group.length > 1 ? groupMs : idleMs);
      try {
        await this.options.prepare?.(group.map(({ write }) => write));
      } catch (error) {
        this.#rejectAll(error as OutboxError);
      }
      // Otherwise it was rejected, or `flushNow` has taken it.
      if (group[0] === this.#waiting[0]) this.#handOver(group);
      await this.#written;
    }
    this.#isRunning = false;
  }

  /** At least one, and more up to both bounds. */
  #oldest(): Waiting<W>[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ write }, i) => {
      bytes += write.size;
      return i > 0 && (i === maxGroup.writes || bytes > maxGroup.bytes);
    });
    return this.#waiting.slice(0, end < 0 ? undefined : end);
  }

  /** @param group the oldest */
  #handOver(group: readonly Waiting<W>[]): void {
    this.#waiting.splice(0, group.length);
    for (const { write } of group) this.#bytes -= write.size;
    const admitted = group.filter(({ write, reject }) => {
      const refusal = this.options.refusal?.(write);
      if (refusal) reject(refusal);
      return !refusal;
    });
    const before = this.#written;
    this.#written = this.#write(admitted).then(() => before);
  }

  /** Settles each of them. */
  async #write(group: readonly Waiting<W>[]): Promise<void> {
    if (group.length === 0) return;
    try {
      await this.options.write(group.map(({ write }) => write));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const failure = error as OutboxError;
      const isOfOne = this.options.faultsOfOne.includes(failure.fault);
      if (isOfOne && group.length > 1) {
        const half = Math.ceil(group.length / 2);
        await this.#write(group.slice(0, half));
        return this.#write(group.slice(half));
      }
      for (const { reject } of group) reject(failure);
      if (!isOfOne) this.#rejectAll(failure);
    }
  }

  /** Each further group might wait as long for the same fault. */
  #rejectAll(failure: OutboxError): void {
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
  }
}
