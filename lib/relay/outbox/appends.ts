import { Capacity, sizeOf } from "./capacity";
import { insertAll, OutboxError, type Value } from "./driver";
import { GroupCommit, type Grouped, type Write } from "./group-commit";
import type { Store } from "./store";

interface ReportRow extends Record<string, Value> {
  low: number;
  sender: number;
  size: number;
}

/** What groups and capacity ask of a row beside it. */
interface Append extends Write {
  sender: number;
  row: ReportRow;
}

const probeSender = -1;
/** As large as a few reports: if it fits, they do. */
const probeBytes = 32 * 1024;

/** Stores reports in groups, as far as there is room. */
export class Appends {
  readonly #store: Store;
  readonly #capacity: Capacity;
  readonly #groups: GroupCommit<Append>;
  #isFlushing = false;
  readonly #preparing = new Set<Grouped<Append>[]>();

  constructor(store: Store, maxBytes: number) {
    this.#store = store;
    this.#capacity = new Capacity(store, maxBytes);
    this.#groups = new GroupCommit((group) => this.#append(group), store);
  }

  /** Resolves once the report is on disk. @throws {OutboxError} */
  write(row: ReportRow): Promise<void> {
    const { size, sender, low } = row;
    return this.#groups.write({ row, sender, bytes: size, isLow: low === 1 });
  }

  /** Hands all that waits to the driver before it returns, whatever the room. Resolves once it is settled. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    const groups = [...this.#preparing];
    this.#preparing.clear();
    const inserted = groups.map((group) => this.#insert(group));
    const flushed = this.#groups.flush();
    this.#isFlushing = false;
    await Promise.all([...inserted, flushed]);
  }

  /** Finds out whether a report can be stored: stores one and removes it. @throws {OutboxError} */
  async rehearse(): Promise<void> {
    const { driver, health } = this.#store;
    const envelope = new Uint8Array(health.failure ? probeBytes : 0);
    const row = { origin: "server", low: 1, categories: 0, sender: probeSender, envelope };
    const statements = [
      ...insertAll("outbox", [{ ...row, received_at: 0, size: sizeOf(envelope) }], ""),
      { text: "delete from {outbox} where sender = $1", values: [probeSender] },
    ];
    await driver.transaction(statements).catch((cause: OutboxError) => {
      const refusesAll = cause.fault === "malformed";
      const sentence = "The outbox can't store any report.";
      throw health.fail(refusesAll ? new OutboxError("unwritable", sentence, { cause }) : cause);
    });
    health.recover();
  }

  /** Settles each of them. */
  async #append(group: Grouped<Append>[]): Promise<void> {
    const preparing = this.#isFlushing ? undefined : this.#capacity.prepare(group);
    if (preparing) {
      this.#preparing.add(group);
      const failure = await this.#store.health.watch(preparing).then(
        () => undefined,
        (error: OutboxError) => error,
      );
      // Otherwise `flush` has handed it over meanwhile.
      if (!this.#preparing.delete(group)) return;
      if (failure) return this.#fail(group, failure);
    }
    const admitted = group.filter((append) => {
      const refusal = this.#capacity.admit(append);
      if (refusal) append.reject(refusal);
      return !refusal;
    });
    if (admitted.length > 0) await this.#insert(admitted);
  }

  async #insert(appends: Grouped<Append>[]): Promise<void> {
    const { driver, health } = this.#store;
    const rows = appends.map(({ row }) => row);
    try {
      await health.watch(driver.transaction(insertAll("outbox", rows, "")));
    } catch (error) {
      const failure = error as OutboxError;
      if (failure.fault !== "malformed") return this.#fail(appends, failure);
      return this.#insertApart(appends, failure);
    }
    health.recover();
    for (const { resolve } of appends) resolve();
  }

  /** One of them can't be stored for what it holds: it is refused alone. */
  async #insertApart(appends: Grouped<Append>[], error: OutboxError): Promise<void> {
    if (appends.length > 1) {
      const half = Math.ceil(appends.length / 2);
      await this.#insert(appends.slice(0, half));
      return this.#insert(appends.slice(half));
    }
    try {
      await this.rehearse();
    } catch (failure) {
      return this.#fail(appends, failure as OutboxError);
    }
    this.#store.health.setAside("The report can't be stored.", error.cause);
    for (const { reject } of appends) reject(error);
  }

  #fail(appends: Grouped<Append>[], error: OutboxError): void {
    for (const { reject } of appends) reject(error);
    // Each further group might wait as long for the same fault.
    this.#groups.rejectWaiting(error);
  }
}
