import type { OldestIds } from "@/lib/outbox/outbox";
import type { Digest } from "./digest";
import { memorySize } from "./memory-size";
import { countUnshown, type Unshown } from "./unshown";

const recordKinds = ["samples", "visits"] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Of measurements in memory, in bytes: 10,000 reports of usual size take no more than half of it. */
export const maxMemory = 16 * 1024 * 1024;

/** What is kept of a report beside its records is small, but there must be an end: twice the outbox's maximum. */
const maxReports = 20_000;

/** One report, whose records stand in the lists of its queue. */
interface KeptReport {
  id: number;
  unreadable: number;
  /** Number of its records that there was no memory for. */
  left: number;
  counts: Record<RecordKind, number>;
  unshown: Unshown | undefined;
  /** What its records take in memory. */
  size: number;
}

type Records = { [K in RecordKind]: Digest[K] };

/**
 * Reports of one kind in order of arrival, and their records in the same order. Both grow at the end
 * and mostly shrink at the begin, so hardly a look has to go through all of them for that.
 */
class Queue {
  reports: KeptReport[] = [];
  readonly records: Records = { samples: [], visits: [] };
  /** How many reports at the begin have given up their records. */
  given = 0;

  add(digest: Digest, size: number): void {
    const { id, unreadable, unshown, samples, visits } = digest;
    for (const kind of recordKinds) {
      const list: unknown[] = this.records[kind];
      for (const record of digest[kind]) list.push(record);
    }
    const counts = { samples: samples.length, visits: visits.length };
    this.reports.push({ id, unreadable, left: 0, counts, unshown, size });
  }

  /** Keeps only some of the reports. @returns the others */
  keep(isKept: (report: KeptReport) => boolean): KeptReport[] {
    const gone: KeptReport[] = [];
    const stay: KeptReport[] = [];
    let given = 0;
    for (const [i, report] of this.reports.entries()) {
      (isKept(report) ? stay : gone).push(report);
      if (isKept(report) && i < this.given) given += 1;
    }
    for (const kind of recordKinds) {
      const list: unknown[] = this.records[kind];
      let at = 0;
      const records = this.reports.flatMap((report) => {
        const own = list.slice(at, at + report.counts[kind]);
        at += own.length;
        return isKept(report) ? own : [];
      });
      list.length = 0;
      for (const record of records) list.push(record);
    }
    this.reports = stay;
    this.given = given;
    return gone;
  }

  /** Removes the oldest records. */
  drop(kind: RecordKind, count: number): void {
    if (count > 0) this.records[kind].splice(0, count);
  }
}

/** The measurements that the inbox keeps of the reports in the outbox, within a bound of memory. */
export class KeptDigests {
  readonly #maxSize: number;
  readonly #important = new Queue();
  readonly #expendable = new Queue();
  readonly #queues = [this.#important, this.#expendable];
  #size = 0;
  #unreadable = 0;
  #left = 0;
  #unshown: Unshown = {};
  #changed = new Set<RecordKind>();

  /** @param maxSize of all records, in bytes */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Number of reports. */
  get size(): number {
    return this.#queues.reduce((sum, { reports }) => sum + reports.length, 0);
  }

  /** Number of items that could not be read. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Number of records that there was no memory for. */
  get left(): number {
    return this.#left;
  }

  /** Items of kinds that are not shown. The same object for as long as they stay the same. */
  get unshown(): Unshown {
    return this.#unshown;
  }

  /** All records of a kind, in order of arrival, those of expendable reports last. */
  all<K extends RecordKind>(kind: K): Digest[K] {
    return this.#queues.flatMap(({ records }): unknown[] => records[kind]) as Digest[K];
  }

  /** Adds the newest. Beyond the bound, the oldest give up their records. */
  add(digest: Digest): void {
    const size = sizeOf(digest);
    const queue = digest.expendable ? this.#expendable : this.#important;
    queue.add(digest, size);
    this.#unreadable += digest.unreadable;
    this.#countUnshown(digest.unshown, 1);
    for (const kind of recordKinds) if (digest[kind].length > 0) this.#changed.add(kind);
    if (this.size > maxReports) this.#forgetOldest();
    this.#size += size;
    while (this.#size > this.#maxSize) {
      if (!this.#giveUp(this.#expendable) && !this.#giveUp(this.#important)) break;
    }
  }

  /** Forgets the reports that the outbox has dropped. */
  forgetBefore({ important, expendable }: Omit<OldestIds, "reports">): void {
    this.#forget(this.#important, important ?? Number.POSITIVE_INFINITY);
    this.#forget(this.#expendable, expendable ?? Number.POSITIVE_INFINITY);
  }

  /** The same for reports in the middle, of which the outbox drops some where one sender fills it. */
  forgetAllBut(ids: ReadonlySet<number>): void {
    for (const queue of this.#queues) {
      const counts = this.#countOut(queue.keep(({ id }) => ids.has(id)));
      for (const kind of recordKinds) if (counts[kind] > 0) this.#changed.add(kind);
    }
  }

  /** @returns the kinds of which records have come or gone since this was called last */
  takeChanges(): ReadonlySet<RecordKind> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  #forgetOldest(): void {
    const isEmpty = this.#expendable.reports.length === 0;
    this.#forgetFirst(isEmpty ? this.#important : this.#expendable, 1);
  }

  #forget(queue: Queue, before: number): void {
    const kept = queue.reports.findIndex(({ id }) => id >= before);
    this.#forgetFirst(queue, kept < 0 ? queue.reports.length : kept);
  }

  #forgetFirst(queue: Queue, count: number): void {
    const gone = queue.reports.splice(0, count);
    if (gone.length === 0) return;
    const counts = this.#countOut(gone);
    for (const kind of recordKinds) this.#drop(queue, kind, counts[kind]);
    queue.given = Math.max(queue.given - gone.length, 0);
  }

  /** Takes reports out of the totals. @returns how many records they had */
  #countOut(gone: readonly KeptReport[]): KeptReport["counts"] {
    const counts = { samples: 0, visits: 0 };
    for (const one of gone) {
      this.#unreadable -= one.unreadable;
      this.#left -= one.left;
      this.#countUnshown(one.unshown, -1);
      for (const kind of recordKinds) counts[kind] += one.counts[kind];
      this.#size -= one.size;
    }
    return counts;
  }

  #countUnshown(of: Unshown | undefined, sign: 1 | -1): void {
    if (!of) return;
    this.#unshown = { ...this.#unshown };
    countUnshown(this.#unshown, of, sign);
  }

  /** Gives up the records of the oldest report that has not done so. @returns whether there was one */
  #giveUp(queue: Queue): boolean {
    const oldest = queue.reports[queue.given];
    if (!oldest) return false;
    queue.given += 1;
    // What stays of it is a few numbers, for which there is room beside the bound.
    this.#size -= oldest.size;
    oldest.size = 0;
    for (const kind of recordKinds) {
      const count = oldest.counts[kind];
      oldest.counts[kind] = 0;
      oldest.left += count;
      this.#left += count;
      this.#drop(queue, kind, count);
    }
    return true;
  }

  #drop(queue: Queue, kind: RecordKind, count: number): void {
    if (count === 0) return;
    queue.drop(kind, count);
    this.#changed.add(kind);
  }
}

function sizeOf({ samples, visits }: Digest): number {
  return listSize(samples) + listSize(visits);
}

function listSize(records: readonly unknown[]): number {
  return records.length === 0 ? 0 : memorySize(records);
}
