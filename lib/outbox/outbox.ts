import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";

/** Where a report was made. */
export type Origin = "browser" | "server";

/** A report as it lies in the outbox. */
export interface StoredReport {
  /** Grows with the order of arrival; never used twice. */
  id: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  origin: Origin;
  /** One Sentry envelope: https://develop.sentry.dev/sdk/data-model/envelopes/ */
  envelope: Uint8Array;
}

/** A report handed to the courier. */
export interface ClaimedReport extends StoredReport {
  categories: CategorySet;
  /** The visitor's address, where it may be passed on. */
  clientAddress: string | undefined;
}

export interface AppendDetails {
  /** Read from the envelope where they are not given. */
  categories?: CategorySet;
  clientAddress?: string;
}

export interface ClaimRequest {
  /** Only reports with greater ids. */
  after: number;
  /** Reports with one of these categories are passed over. */
  without: CategorySet;
  limit: number;
}

export interface OutboxStats {
  /** Whether the last write went well and the next may begin. */
  writable: boolean;
  /** Why it can't be written. */
  fault: OutboxFault | undefined;
  /** Reports that lie in the outbox. */
  waiting: number;
  /** Age of the oldest of them in milliseconds; nothing where there is none. */
  oldestAge: number | undefined;
  /** When the service last took a report, in milliseconds since the epoch. */
  lastDelivery: number | undefined;
  /** All that was given up since the outbox was begun. */
  drops: Drops[];
}

/**
 * - `full`: the outbox holds as much as it may, or the disk does
 * - `busy`: another process holds the file for too long
 * - `unwritable`: read-only, damaged, or the disk fails
 * - `malformed`: what was to be appended is no envelope
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

/** Decides by `fault`: the class may come from another instance of this module. */
export function isOutboxError(error: unknown): error is OutboxError {
  return error instanceof Error && "fault" in error && typeof error.fault === "string";
}

/**
 * The durable store of reports. Several processes may have the same one open.
 */
export interface Outbox {
  /**
   * Resolves once the report is on disk.
   *
   * @throws {OutboxError} when it can't be kept; then nothing was
   */
  append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void>;
  /** Puts on disk what is still being appended, before it returns: for a process about to end. */
  flush(): void;
  /**
   * Reports to deliver, in order of arrival. They stay in the outbox until they are settled, and
   * the caller keeps account of what it has in hand. Only one process at a time is given any: it
   * holds the outbox's lease until it calls `release` or ends, however it ends.
   *
   * @throws {OutboxError}
   */
  claim(request: ClaimRequest): ClaimedReport[];
  /** Whether this process holds the lease, taking it if it is free. */
  lease(): boolean;
  /** Gives the lease to whoever asks next. */
  release(): void;
  /** Takes a report out: it was delivered, or is given up for a reason. */
  settle(id: number, outcome: "delivered" | DropReason): Promise<void>;
  /** Gives up what is too old. `limited` are the categories the service doesn't take just now. */
  expire(limited: CategorySet): Promise<void>;
  /** Counts what was given up elsewhere, before it could be appended. @throws {OutboxError} */
  countDrops(drops: Drops[]): Promise<void>;
  /** Appends one client report over all drops that no client report has told of yet. */
  reportDrops(): Promise<void>;
  /** Reports with ids greater than `after`, ascending. @throws {OutboxError} */
  list(range: { after: number; limit: number }): StoredReport[];
  /** @throws {OutboxError} */
  oldestId(): number | undefined;
  stats(): OutboxStats;
  /** All that was given up since the outbox was begun. @throws {OutboxError} */
  drops(): Drops[];
  /** A note that outlives the process, and that all processes see. @throws {OutboxError} */
  note(name: string): string | undefined;
  setNote(name: string, value: string): Promise<void>;
  /** Calls back whenever this process has put reports on disk. */
  onAppend(listener: () => void): void;
  /** Writes what is pending and lets go of the file. */
  close(): void;
}
