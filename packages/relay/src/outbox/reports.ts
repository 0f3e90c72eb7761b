import type { CategorySet } from "../envelope/categories.ts";
import type { DropReason, Drops } from "../envelope/client-report.ts";
import type { Value } from "./driver.ts";

/** Which side made a report. */
export type Origin = "browser" | "server";

export interface StoredReport {
  /** Never used twice. */
  id: number;
  /** Milliseconds since the epoch, by the store's clock. */
  receivedAt: number;
  origin: Origin;
  /** Host name of the server that took the report; missing where all reports are of one machine. */
  server?: string | null;
  categories: CategorySet;
  /** One Sentry envelope: https://develop.sentry.dev/sdk/data-model/envelopes/ */
  envelope: Uint8Array;
}

/** A report that this process, and no other, works on until its lease ends. */
export interface ClaimedReport extends StoredReport {
  attempts: number;
  /** See `senderNumber`: 1 is the server, 0 nobody who is known. */
  sender: number;
  /** How long it had waited when it was claimed, in milliseconds by the store's clock. */
  age: number;
  /** The release of the error in it, as its envelope's header says. */
  release: string | null;
  clientAddress: string | null;
}

/**
 * What became of a claimed report.
 *
 * - `taken`: its destination has it, or will have by the rows that `Outbox.rowsOf` makes of the value;
 *   all but what was `lost`, which is counted
 * - `dropped`: it is removed and counted
 * - `later`: an attempt failed; nobody can claim it for so many milliseconds. One beyond the maximum age is
 *   dropped once the process has run for an hour, unless it is not the destination that has failed
 * - `back`: nothing was tried; it can be claimed at once
 */
export type Outcome<Taken = unknown> =
  | { kind: "taken"; value: Taken; lost?: readonly Drops[] }
  | { kind: "dropped"; reason: DropReason }
  | { kind: "later"; ms: number; whateverAge?: true }
  | { kind: "back" };

/** Whether its destination has taken it, or it was dropped. */
export const isRemoved = ({ kind }: Outcome) => kind === "taken" || kind === "dropped";

export interface ClaimRequest {
  /** Fewer come where these have more than 4 MiB; others can be claimed after them. */
  limit: number;
  /** What the destination doesn't take now, see `isSendable`. */
  without: CategorySet;
  /** Larger ones are left, see `sizeOf`. */
  maxSize?: number | undefined;
}

/** A row of `outbox`. */
export interface ReportRow extends Record<string, Value> {
  low: number;
  categories: CategorySet;
  sender: number;
  size: number;
}
