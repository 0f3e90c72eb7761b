/** What a destination builds on: the SQL of the outbox's store, and the reports in it. */

export {
  type Dialect,
  type Driver,
  insertAll,
  isOutboxError,
  type OutboxError,
  type Statement,
  type Value,
  Values,
} from "./outbox/driver.ts";
export type { Outbox } from "./outbox/outbox.ts";
export type { ClaimedReport, Origin, Outcome, StoredReport } from "./outbox/reports.ts";
export type { TableSet } from "./outbox/tables.ts";
