import type Database from "better-sqlite3";
import { type CategorySet, priorityOf } from "@/lib/envelope/categories";
import { rowOverheadBytes } from "../eviction";
import { isLow } from "./schema";

/** What is counted of a report. */
export interface Counted {
  categories: CategorySet;
  /** Of its envelope. */
  bytes: number;
}

interface Counts {
  reports: number;
  /** Reports of high priority. */
  high: number;
  /** What all reports count towards the bound by bytes. */
  bytes: number;
}

/**
 * How many reports a database holds, and how large they are. That takes a look at each entry of the
 * index, so it is found out anew only after another process has written.
 */
export class ReportCounts {
  readonly #statements;
  readonly #dataVersion;
  #known: Partial<Counts> = {};
  #knownVersion: number | undefined;

  constructor(db: Database.Database) {
    const count = (what: string, where = "") =>
      db
        .prepare<[], number | null>(
          `SELECT ${what} FROM reports INDEXED BY reports_waiting ${where}`,
        )
        .pluck();
    this.#statements = {
      reports: count("count(*)"),
      high: count("count(*)", `WHERE ${isLow} = 0`),
      bytes: count(`sum(length(envelope) + ${rowOverheadBytes})`),
    };
    // Changes whenever another connection has committed: https://www.sqlite.org/pragma.html#pragma_data_version
    this.#dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  }

  get(count: keyof Counts): number {
    const version = this.#dataVersion.get();
    if (version !== this.#knownVersion) this.forget();
    this.#knownVersion = version;
    const found = this.#known[count] ?? this.#statements[count].get() ?? 0;
    this.#known[count] = found;
    return found;
  }

  /** @param sign -1 if it was removed */
  add({ categories, bytes }: Counted, sign: 1 | -1): void {
    const known = this.#known;
    if (known.reports !== undefined) known.reports += sign;
    if (known.high !== undefined && priorityOf(categories) === "high") known.high += sign;
    if (known.bytes !== undefined) known.bytes += sign * (bytes + rowOverheadBytes);
  }

  /** What was counted in a transaction that was undone is not so. */
  forget(): void {
    this.#known = {};
  }
}
