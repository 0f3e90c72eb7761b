import type { Statement } from "../outbox/driver.ts";
import type { ClaimedReport, Outcome } from "../outbox/reports.ts";

/** The destination takes no report at all, and has told why itself. */
export class Refusal extends Error {}

/** Where the dispatcher brings reports: the service, or a destination in the outbox's own store. */
export interface Destination<Taken = unknown> {
  /**
   * Hands over one report. Never rejects for what it holds: one that can't be read is `dropped`. Where
   * the destination itself fails, as when a service is away, it rejects: the report then waits by the
   * number of its attempts, and others may wait as well, see `DestinationHealth`.
   *
   * @param stopping aborted when the process stops: what is under way is then finished with what is there
   */
  deliver(report: ClaimedReport, stopping: AbortSignal): Promise<Outcome<Taken>>;
  /**
   * What is written by the transaction that removes these reports from the outbox: once for each report, whoever
   * has delivered it. May be asked again where a transaction has failed. A destination without it is a service,
   * which is told what was dropped on the way to it.
   */
  rows?(taken: readonly Taken[]): Statement[];
  /** Ends what is under way: nothing is waited for any more. One in the outbox's store may get reports afterwards. */
  close(): void;
}
