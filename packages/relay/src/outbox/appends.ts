import { Capacity, sizeOf } from "./capacity.ts";
import { insertAll, OutboxError } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import type { ReportRow } from "./reports.ts";
import type { Store } from "./store.ts";

const probeSender = -1;
/** As large as a few reports: if it fits, they do. */
const probeBytes = 32 * 1024;

/** Stores reports in groups, as far as there is room. */
export class Appends {
  /** Each resolves once the report is on disk. */
  readonly rows: GroupCommit<ReportRow>;

  constructor(
    private readonly store: Store,
    maxBytes: number,
  ) {
    const capacity = new Capacity(store, maxBytes);
    this.rows = new GroupCommit({
      faultsOfOne: ["malformed"],
      prepare: (group) => store.health.watch(capacity.prepare(group)),
      refusal: (row) => capacity.admit(row),
      write: (group) => this.#write(group),
    });
  }

  async #write(rows: readonly ReportRow[]): Promise<void> {
    const { driver, health } = this.store;
    try {
      await health.watch(driver.transaction(insertAll("outbox", rows, ""), true));
    } catch (error) {
      const { fault, cause } = error as OutboxError;
      if (rows.length === 1 && fault === "malformed") {
        await this.rehearse(true);
        health.setAside("The report can't be stored.", cause);
      }
      throw error;
    }
    health.recover();
  }

  /**
   * Finds out whether a report can be stored.
   *
   * @param isDoubtful whether one is stored and removed. While all is well, only what needs no write of a row
   *   is found out: a store that can't be reached or written, and too little room @throws {OutboxError}
   */
  async rehearse(isDoubtful = this.store.health.failure !== undefined): Promise<void> {
    const { driver, health } = this.store;
    const envelope = new Uint8Array(probeBytes);
    const row = { origin: "server", low: 1, categories: 0, sender: probeSender, received_at: 0 };
    const rows = isDoubtful ? [{ ...row, size: sizeOf(envelope), envelope }] : [];
    const removed = { text: "delete from {outbox} where sender = $1", values: [probeSender] };
    const statements = [...insertAll("outbox", rows, ""), removed];
    await driver.transaction(statements, true).catch((cause: OutboxError) => {
      const refusesAll = cause.fault === "malformed";
      const sentence = "The outbox can't store any report.";
      throw health.fail(refusesAll ? new OutboxError("unwritable", sentence, { cause }) : cause);
    });
    health.recover();
  }
}
