import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import type { log } from "@/lib/log";
import type { Rows } from "./rows";

export type Log = typeof log;

/** Which side made a report. */
export type Origin = "browser" | "server";

export interface StoredReport {
  /** Grows with the order of arrival; never used twice. */
  id: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  origin: Origin;
  /** Host name of the server that took the report; missing where all reports are of one machine. */
  server?: string;
  categories: CategorySet;
  /** One Sentry envelope: https://develop.sentry.dev/sdk/data-model/envelopes/ */
  envelope: Uint8Array;
}

export interface AppendDetails {
  /** Read from the envelope if missing. */
  categories?: CategorySet;
  /** The visitor's address, if it may be passed on. */
  clientAddress?: string;
  /** Whose share of the outbox a browser's report takes. It is not stored as it is. */
  sender?: string;
}

export interface OutboxStats {
  /** Whether the last write succeeded and another one can begin. */
  writable: boolean;
  /** Why it is not writable: one sentence without secrets, for anybody to read. */
  reason: string | undefined;
  /** Number of reports in the outbox. */
  waiting: number;
  /** How many of them have high priority. */
  highWaiting: number;
  /** Age of the oldest report in milliseconds; undefined if the outbox is empty. */
  oldestAge: number | undefined;
  /** Age of the oldest report of high priority in milliseconds; undefined if there is none. */
  oldestHighAge: number | undefined;
  /** When the service last took a report, in milliseconds since the epoch. */
  lastDelivery: number | undefined;
  /** How many reports this process has set aside, see `OutboxEngine.setAside`. */
  setAside: number;
}

/**
 * The durable store of reports. A report with an error, a crash or feedback has high priority, any
 * other low: see `priorityOf`. Several processes may share one store. All promises but `flush` may
 * reject with an OutboxError.
 */
export interface Outbox {
  /** What the inbox keeps of the reports. */
  readonly rows: Rows;
  /**
   * Resolves once the report is on disk. One that is not wanted, see `OutboxBounds.whenFull` and
   * `isUnwanted`, is dropped and counted instead.
   *
   * @throws {OutboxError} if the report was not stored
   */
  append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void>;
  /** Counts what was dropped elsewhere, before it could be appended. */
  countDrops(drops: Drops[]): Promise<void>;
  /** Reports with ids greater than `after`, in ascending order. */
  list(range: { after: number; limit: number }): Promise<StoredReport[]>;
  /** Everything that was dropped since the outbox was created. */
  drops(): Promise<Drops[]>;
  /** A store that can't be read counts as one that can't be written: this does not reject. */
  stats(): Promise<OutboxStats>;
  /**
   * Resolves once every write requested so far is on disk or has failed. Never rejects.
   *
   * A process that is about to crash can't wait for a promise: an engine with a local file writes
   * before this returns. With any other, the process must be kept alive meanwhile.
   */
  flush(): Promise<void>;
}

/**
 * About how many bytes a claim brings at most, one report at least: each can have 2 MB, and a database
 * must send them all in the time that an answer may take.
 */
export const claimBytes = 4 * 1024 * 1024;

export interface ClaimRequest {
  /** Fewer come where these have more than `claimBytes`, and others can be claimed after them. */
  limit: number;
  /** Reports with one of these categories are left out. */
  without: CategorySet;
  /**
   * Whether reports that failed before come last. Those of high priority come first, the oldest of them
   * first, then those of low priority.
   */
  failedLast: boolean;
  /** Whether the newest of high priority that have not failed come first. For `failedLast`. */
  newestFirst?: boolean;
  /** Of these senders others come before. For `newestFirst`. */
  lastOf?: readonly number[];
  /** With `failedLast`: the maximum number of reports that failed before. */
  maxFailed?: number;
}

/** A report that one consumer of this process, and no other process, works on. */
export interface Claimed extends StoredReport {
  /** How many attempts have failed, as far as is remembered. */
  failures: number;
}

/**
 * How a consumer gets reports: the courier, which delivers them, and the filer, which files them for
 * the inbox. Each consumer has claims of its own. All promises may reject with an OutboxError.
 */
export interface Claims<Request extends { limit: number }, Report extends Claimed> {
  /**
   * Claims reports for this process. A claimed report stays in the outbox, and no process gets it
   * again, this one included, until the claim ends: by `ack`, `requeue`, `release`, or the end of the
   * process, however it ends. After the latter, another may have to wait for the end of a lease. An
   * engine may also end a claim that lasts longer than its lease: what is acknowledged then may have
   * been worked on twice.
   *
   * All reports may go to one process at a time (others get none), or be shared out.
   */
  claim(request: Request): Promise<Report[]>;
  /**
   * Ends a claim before the work is done. Does nothing if this process has not claimed the report.
   *
   * @param retryAfterMs given if an attempt failed: counts as a failure, and nobody can claim the
   *   report for so many milliseconds
   */
  requeue(id: number, retryAfterMs?: number): Promise<void>;
  /** Ends all claims of this process. Its next claim starts afresh. */
  release(): Promise<void>;
}

/** A report to deliver. */
export interface ClaimedReport extends Claimed {
  clientAddress: string | undefined;
  /** See `senderNumber`. */
  sender: number;
}

/** What an engine offers to the process that runs it: the outbox itself, and delivery from it. */
export interface OutboxEngine extends Outbox, Claims<ClaimRequest, ClaimedReport> {
  /**
   * Ends a claim and removes the report, if this process has claimed it in the store that is there
   * now. The claim lasts until the removal is committed.
   */
  ack(id: number, outcome: "delivered" | DropReason): Promise<void>;
  /**
   * Counts and logs a report that can't be stored, read or acknowledged. It fails alone: no other
   * report waits for it.
   *
   * @param reason one sentence without secrets
   */
  setAside(reason: string, cause: unknown): void;
  // Housekeeping, which an engine may leave to one process at a time: it does nothing in others.

  /**
   * Drops reports beyond the maximum age.
   *
   * @param limited what the service doesn't accept right now: only the reason that is counted
   *   depends on it
   */
  expire(limited: CategorySet): Promise<void>;
  /**
   * Drops the stored reports that `isUnwanted` holds for.
   *
   * @param limited the parameter of `isUnwanted`
   */
  dropUnwanted(limited: CategorySet): Promise<void>;
  /** Appends a client report about all drops that no earlier client report has covered. */
  reportDrops(): Promise<void>;
  /** A small value that outlives the process and that all processes share. */
  note(name: string): Promise<string | undefined>;
  setNote(name: string, value: string): Promise<void>;
  /** Flushes, ends all claims and closes the store. */
  close(): Promise<void>;
}

export interface OutboxBounds {
  maxBytes: number;
  maxAgeMs: number;
  /** If missing, only bytes count. */
  maxReports?: number;
  /** Bytes that rows beside the reports may take in the same file, see `Rows`. */
  maxRowBytes?: number;
  /**
   * What happens at a bound, after reports of low priority were evicted for one of high priority: new
   * reports are refused, or the oldest are evicted. None of high priority is ever evicted for one of
   * low priority: that is dropped itself. Of a sender that fills the outbox, reports are evicted first
   * in either case, see `victimsFor`.
   */
  whenFull: "refuse" | "drop-oldest";
}

/**
 * - `full`: the outbox or the disk is full
 * - `busy`: another process blocks the store for too long
 * - `unwritable`: the store is read-only or damaged, or the disk fails
 * - `malformed`: the report is not an envelope, or the store refuses it for what it holds
 */
export type OutboxFault = "full" | "busy" | "unwritable" | "malformed";

export class OutboxError extends Error {
  override readonly name = "OutboxError";

  constructor(
    readonly fault: OutboxFault,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Use this, not `instanceof`: Next loads several instances of a module, each with its own class. */
export function isOutboxError(error: unknown): error is OutboxError {
  return error instanceof Error && error.name === "OutboxError" && "fault" in error;
}
