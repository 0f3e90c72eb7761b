import { Capacity, senderNumber, sizeOf } from "./capacity.ts";
import { insertAll, OutboxError, type Statement } from "./driver.ts";
import { GroupCommit, type Write } from "./group-commit.ts";
import type { ReportRow } from "./reports.ts";
import type { Store, StoreSecret } from "./store.ts";

/** What groups and capacity ask of a row beside it. */
interface Append extends Write {
  sender: number;
  /** Of a browser's address, see `senderNumber`. */
  senderKey: string | undefined;
  row: ReportRow;
}

const probeSender = -1;
/** As large as a few reports: if it fits, they do. */
const probeBytes = 32 * 1024;

/** Stores reports in groups, as far as there is room. */
export class Appends extends GroupCommit<Append> {
  protected override readonly stay = true;
  readonly #capacity: Capacity;

  constructor(
    store: Store,
    private readonly secret: StoreSecret,
    maxBytes: number,
  ) {
    super(store);
    this.#capacity = new Capacity(store, maxBytes);
  }

  /**
   * Resolves once the report is on disk.
   *
   * @param senderKey of a browser's address, see `senderNumber`. What a process that is about to end hands over
   *   before it knows the store's secret is nobody's
   * @throws {OutboxError}
   */
  append(row: ReportRow, senderKey?: string): Promise<void> {
    const { size, sender, low } = row;
    return this.write({ row, sender, senderKey, bytes: size, isLow: low === 1 });
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
    const row = { origin: "server", low: 1, categories: 0, sender: probeSender, envelope };
    const stored = insertAll("outbox", [{ ...row, received_at: 0, size: sizeOf(envelope) }], "");
    const statements = [
      ...(isDoubtful ? stored : []),
      { text: "delete from {outbox} where sender = $1", values: [probeSender] },
    ];
    await driver.transaction(statements, true).catch((cause: OutboxError) => {
      const refusesAll = cause.fault === "malformed";
      const sentence = "The outbox can't store any report.";
      throw health.fail(refusesAll ? new OutboxError("unwritable", sentence, { cause }) : cause);
    });
    health.recover();
  }

  protected override prepare(group: readonly Append[]): Promise<void> | undefined {
    if (!this.secret.known) return this.secret.read().then(() => this.prepare(group));
    this.#nameSenders(group);
    return this.#capacity.prepare(group);
  }

  /** Does nothing as long as the store's secret is not known. */
  #nameSenders(group: readonly Append[]): void {
    const { known } = this.secret;
    for (const append of group) {
      if (!known || append.senderKey === undefined) continue;
      append.sender = senderNumber(known, append.senderKey);
      append.row.sender = append.sender;
      append.senderKey = undefined;
    }
  }

  protected override refusal(append: Append): OutboxError | undefined {
    return this.#capacity.admit(append);
  }

  protected statements(group: readonly Append[]): Statement[] {
    // A process that is about to end has prepared nothing.
    this.#nameSenders(group);
    const rows = group.map(({ row }) => row);
    return insertAll("outbox", rows, "");
  }

  protected written(): void {
    this.store.health.recover();
  }

  protected async refused(_: Append, error: OutboxError): Promise<void> {
    await this.rehearse(true);
    this.store.health.setAside("The report can't be stored.", error.cause);
    throw error;
  }
}
