/** What a destination builds on: the SQL of the outbox's store, and the reports in it. */

export {
  type Dialect,
  type Driver,
  insertAll,
  isOutboxError,
  type OutboxError,
  type Row,
  type Statement,
  type Value,
  Values,
} from "./outbox/driver.ts";
export type { AppendDetails, Outbox } from "./outbox/outbox.ts";
export type { ClaimedReport, Origin, Outcome, StoredReport } from "./outbox/reports.ts";
export { backoff } from "./outbox/reports.ts";
export type { OutboxStats } from "./outbox/stats.ts";
export type { Migration, TableSet } from "./outbox/tables.ts";
