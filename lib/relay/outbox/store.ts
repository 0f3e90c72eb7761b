import type { Driver } from "./driver";
import type { DropLog } from "./drops";
import type { WriteHealth } from "./write-health";

/** What the parts of an outbox share. */
export interface Store {
  driver: Driver;
  health: WriteHealth;
  dropLog: DropLog;
  /** The store's clock, as SQL. */
  now(): string;
}
