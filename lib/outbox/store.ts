import {
  type CategorySet,
  highPriorityCategories,
  internalOnly,
  type Priority,
  priorityOf,
} from "@/lib/envelope/categories";
import { clientReport, type DropReason, type Drops } from "@/lib/envelope/client-report";
import { serverSender } from "./eviction";
import type { Origin, OutboxEngine, StoredReport } from "./outbox";
import type { Rows, Statement } from "./rows";
import type { WriteHealth } from "./write-health";

/** A report that is to be stored. */
export interface NewReport {
  origin: Origin;
  categories: CategorySet;
  priority: Priority;
  /** See `senderNumber`. */
  sender: number;
  clientAddress: string | undefined;
  envelope: Uint8Array;
}

/** How much waits. All times are of the store's clock, in milliseconds since the epoch. */
export interface Totals {
  waiting: number;
  highWaiting: number;
  now: number;
  /** The oldest report of each priority. */
  high: Oldest | null;
  low: Oldest | null;
}

export interface Oldest {
  id: number;
  receivedAt: number;
}

/** Reports to drop: those beyond the maximum age, or those of low priority by their categories. */
export type Droppable = "old" | { without: CategorySet; withOneOf: CategorySet };

export type ReasonFor = (report: Pick<StoredReport, "categories">) => DropReason;

/** The calls that an outbox leaves to its store as they are. */
type Passed = "countDrops" | "claim" | "requeue" | "release" | "reportDrops" | "flush" | "close";

/**
 * What `DurableOutbox` needs of an engine: SQL and connections. A store logs what it drops. All
 * promises but `flush` may reject with an OutboxError.
 */
export interface Store extends Rows, Pick<OutboxEngine, Passed> {
  /** The columns of a `StoredReport` in the table `reports`. */
  readonly reportColumns: string;
  /** Whether writing works. Each write that succeeds or fails changes it. */
  readonly health: WriteHealth;
  /** Within the bounds: what makes room is dropped. */
  append(report: NewReport): Promise<void>;
  /** Runs one of `change`; a failure counts for `health`. */
  write(statement: Statement): Promise<void>;
  /**
   * Ends a claim and removes the report, if this process has claimed it.
   *
   * @param note is run too
   */
  removeDelivered(id: number, note: Statement | undefined): Promise<void>;
  /** The same, and counts the report as dropped. */
  drop(id: number, reason: DropReason): Promise<void>;
  /** Drops some of these. @returns whether there may be more */
  dropSome(which: Droppable, reasonFor: ReasonFor): Promise<boolean>;
  /** Finds out whether writing works, for times when nothing else writes. Sets `health`. */
  probe(): Promise<void>;
  totals(): Promise<Totals>;
}

/** How many reports one transaction checks for their age, or drops. */
export const dropBatch = 200;
/** Bytes of reports that one transaction drops: each can have megabytes. The last may exceed it. */
export const dropBatchBytes = 4 * 1024 * 1024;

/** What is open of `drops`: no earlier client report has covered it. */
export function clientReportOf(open: Drops[], now: number): NewReport {
  return fromServer(internalOnly, clientReport(open, now));
}

/** A report to find out whether one can be stored. */
export function probeReport(envelope: Uint8Array): NewReport {
  return fromServer(highPriorityCategories, envelope);
}

function fromServer(categories: CategorySet, envelope: Uint8Array): NewReport {
  return {
    origin: "server",
    categories,
    priority: priorityOf(categories),
    sender: serverSender,
    clientAddress: undefined,
    envelope,
  };
}

/** As large as a few reports: if it fits, they do. */
export const probeValue = "x".repeat(32 * 1024);

/** Keeps a note, in place of an earlier one of that name. */
export function noteStatement(name: string, value: string): Statement {
  return {
    text: `insert into {notes} (name, value) values ($1, $2)
      on conflict (name) do update set value = excluded.value`,
    values: [name, value],
  };
}
