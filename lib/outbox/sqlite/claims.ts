import Database from "better-sqlite3";
import { type CategorySet, type Priority, priorityOf } from "@/lib/envelope/categories";
import type { ClaimedReport, ClaimRequest } from "../outbox";
import { createPrivately, fileIdentity } from "./outbox-file";
import type { DeliverableReport, ReportTable } from "./report-table";
import { isBusy } from "./sqlite-faults";

/** How many of the newest reports are looked at for one of a sender that is not to come last. */
const maxLooks = 10_000;

interface Failed {
  failures: number;
  /** By the clock that `claim` is given; whole milliseconds. */
  retryAt: number;
  categories: CategorySet;
}

/** How far the reports of one priority were looked through. */
interface Progress {
  /** Reports up to this id are claimed, failed, gone, or were skipped for their category. */
  cursor: number;
  skipped: CategorySet;
}

/**
 * Which reports this process has claimed. One process at a time may claim any: the one that holds
 * the lease. So claims need no writes, and none outlives its process.
 */
export class Claims {
  readonly #lease: Lease;
  readonly #claimed = new Map<number, CategorySet>();
  /**
   * Reports that failed before, claimed again or not: some 100 bytes for each. `forgetGone` keeps them
   * to the number that the outbox holds, see `rowOverheadBytes`.
   */
  readonly #failed = new Map<number, Failed>();
  #progress = noProgress();
  #table: ReportTable | undefined;
  /** Which file the claims are of, as `fileIdentity` returns it. */
  #file: string | undefined;
  /** Claimed from another file, and not ended yet: meanwhile nobody gets these ids again. */
  readonly #foreign = new Set<number>();

  /** @param leaseFile is created if it is missing */
  constructor(leaseFile: string) {
    this.#lease = new Lease(leaseFile);
  }

  /**
   * @returns whether this process holds the lease now, and may claim reports
   *
   * @throws {Error} of better-sqlite3 if the lease's file can't be used
   */
  acquireLease(): boolean {
    return this.#lease.acquire();
  }

  /**
   * @param file as `fileIdentity` returns it. When it changes, all earlier claims end
   * @param now milliseconds of a clock that only goes forward
   */
  claim(
    table: ReportTable,
    file: string | undefined,
    request: ClaimRequest,
    now: number,
  ): ClaimedReport[] {
    if (this.#file !== file) this.#dropAll();
    this.#file = file;
    const { limit, without, failedLast, newestFirst = false } = request;
    let maxFailed = (failedLast ? request.maxFailed : undefined) ?? limit;
    // The file was opened again. Its reports may have smaller ids than the cursors: start over.
    if (this.#table !== table) this.#progress = noProgress();
    this.#table = table;
    const fresh = (priority: Priority) => (room: number) =>
      this.#fresh(priority, table, without, room);
    const newest = (room: number) => this.#newest(table, request, room);
    const failed = (priority: Priority) => (room: number) => {
      const found = this.#retriable(priority, table, without, Math.min(room, maxFailed), now);
      maxFailed -= found.length;
      return found;
    };
    const freshFirst = [newestFirst ? newest : fresh("high"), fresh("low")];
    const failedAfter = [failed("high"), failed("low")];
    // Reports that failed are older than the cursor, so this is the order of arrival.
    const byArrival = [failed("high"), fresh("high"), failed("low"), fresh("low")];
    const reports: ClaimedReport[] = [];
    const before = structuredClone(this.#progress);
    try {
      for (const take of failedLast ? [...freshFirst, ...failedAfter] : byArrival) {
        if (reports.length < limit) reports.push(...take(limit - reports.length));
      }
    } catch (error) {
      // What was found so far is lost: the next claim must find it again.
      this.#progress = before;
      throw error;
    }
    for (const { id, categories } of reports) this.#claimed.set(id, categories);
    return reports;
  }

  /** Whether this process has claimed the report with this id in this file. */
  holds(id: number, file: string | undefined): boolean {
    return file === this.#file && this.#claimed.has(id);
  }

  /** The report was removed. */
  end(id: number): void {
    if (this.#foreign.delete(id)) return;
    this.#claimed.delete(id);
    this.#failed.delete(id);
  }

  /** @param retryAt by the clock that `claim` is given, if sending failed */
  requeue(id: number, retryAt?: number): void {
    if (this.#foreign.delete(id)) return;
    const categories = this.#claimed.get(id);
    if (categories === undefined) return;
    this.#claimed.delete(id);
    const failures = this.#failed.get(id)?.failures ?? 0;
    if (retryAt !== undefined) {
      this.#failed.set(id, { failures: failures + 1, retryAt: Math.ceil(retryAt), categories });
    } else if (failures === 0) {
      const progress = this.#progress[priorityOf(categories)];
      progress.cursor = Math.min(progress.cursor, id - 1);
    }
  }

  /** How many failed reports are remembered. */
  get remembered(): number {
    return this.#failed.size;
  }

  /** Forgets failures of reports that were evicted or expired, if there are more than reports. */
  forgetGone(table: ReportTable): void {
    if (this.#failed.size <= table.count()) return;
    for (const id of this.#failed.keys()) if (!table.has(id)) this.#failed.delete(id);
  }

  /** The next claim looks through all reports, for any that earlier claims passed over. */
  startOver(): void {
    this.#progress = noProgress();
  }

  release(): void {
    this.#dropAll();
    this.#foreign.clear();
    this.#lease.release();
  }

  #dropAll(): void {
    for (const id of this.#claimed.keys()) this.#foreign.add(id);
    this.#claimed.clear();
    this.#failed.clear();
    this.#progress = noProgress();
  }

  /** The oldest reports that are neither claimed nor failed. */
  #fresh(
    priority: Priority,
    table: ReportTable,
    without: CategorySet,
    limit: number,
  ): ClaimedReport[] {
    const progress = this.#progressWithout(priority, without);
    // Whatever comes after this was read has a greater id.
    let cursor = table.newestId();
    const ids: number[] = [];
    const range = { after: progress.cursor, without, newestFirst: false };
    for (const { id } of table.waiting(priority, range)) {
      if (ids.length === limit) {
        cursor = ids.at(-1) ?? progress.cursor;
        break;
      }
      if (this.#isFresh(id)) ids.push(id);
    }
    progress.cursor = Math.max(progress.cursor, cursor);
    progress.skipped |= without;
    return freshReports(table, ids);
  }

  /** The newest reports of high priority. Those of the senders in `lastOf` come last. */
  #newest(
    table: ReportTable,
    { without, lastOf = [] }: ClaimRequest,
    limit: number,
  ): ClaimedReport[] {
    const { cursor } = this.#progressWithout("high", without);
    const last = new Set(lastOf);
    const ids: number[] = [];
    const others: number[] = [];
    let looks = 0;
    const range = { after: cursor, without, newestFirst: true };
    for (const { id, sender } of table.waiting("high", range)) {
      if (ids.length === limit || looks++ === maxLooks) break;
      if (this.#isFresh(id)) (last.has(sender) ? others : ids).push(id);
    }
    return freshReports(table, [...ids, ...others].slice(0, limit));
  }

  /**
   * The cursor skips reports of limited categories. Once one of these is accepted again, the cursor
   * starts over.
   */
  #progressWithout(priority: Priority, without: CategorySet): Progress {
    const progress = this.#progress[priority];
    if ((progress.skipped & ~without) !== 0) Object.assign(progress, noProgress()[priority]);
    return progress;
  }

  #isFresh(id: number): boolean {
    return !this.#claimed.has(id) && !this.#failed.has(id) && !this.#foreign.has(id);
  }

  #retriable(
    priority: Priority,
    table: ReportTable,
    without: CategorySet,
    limit: number,
    now: number,
  ): ClaimedReport[] {
    const reports: ClaimedReport[] = [];
    for (const [id, { failures, retryAt, categories }] of this.#failed) {
      if (reports.length >= limit) break;
      if (priorityOf(categories) !== priority || retryAt > now || this.#claimed.has(id)) continue;
      if ((categories & without) !== 0) continue;
      const report = table.deliverableById(id);
      if (report) reports.push(withFailures(report, failures));
      else this.#failed.delete(id);
    }
    return reports;
  }
}

function freshReports(table: ReportTable, ids: number[]): ClaimedReport[] {
  return ids.flatMap((id) => {
    const report = table.deliverableById(id);
    return report ? withFailures(report, 0) : [];
  });
}

function noProgress(): Record<Priority, Progress> {
  return { high: { cursor: 0, skipped: 0 }, low: { cursor: 0, skipped: 0 } };
}

function withFailures(report: DeliverableReport, failures: number): ClaimedReport {
  return { ...report, failures };
}

/**
 * The right to deliver: an exclusive lock on a file of its own. The operating system frees it the
 * moment the process ends, even by `kill -9`. So nobody waits for it to expire, and no clock
 * decides who may send. A file that was deleted or replaced gives no right: another process may have
 * locked the new one.
 */
class Lease {
  #held: { db: Database.Database; identity: string | undefined } | undefined;

  constructor(private readonly file: string) {}

  acquire(): boolean {
    if (this.#held && this.#held.identity === fileIdentity(this.file)) return true;
    this.release();
    createPrivately(this.file);
    const db = new Database(this.file, { timeout: 0 });
    try {
      db.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      db.close();
      if (isBusy(error)) return false;
      throw error;
    }
    this.#held = { db, identity: fileIdentity(this.file) };
    return true;
  }

  release(): void {
    this.#held?.db.close();
    this.#held = undefined;
  }
}
