import type { Driver } from "./driver.ts";
import type { WriteHealth } from "./write-health.ts";

/** What the parts of an outbox share. */
export interface Store {
  driver: Driver;
  health: WriteHealth;
  /** The store's clock, as SQL. */
  now(): string;
}
