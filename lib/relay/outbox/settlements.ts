import { type Drops, dropsOf } from "@/lib/relay/envelope/client-report";
import { type OutboxError, type Statement, Values } from "./driver";
import { countDrops } from "./drops";
import { GroupCommit, type Grouped, type Write } from "./group-commit";
import type { ClaimedReport, Outcome } from "./outbox";
import type { Store } from "./store";

export type Rows = (taken: readonly unknown[]) => Statement[];

/** The end of a claim; or only drops to be counted, of reports that never were in the outbox. */
interface Settlement extends Write {
  report?: ClaimedReport;
  outcome?: Outcome;
  rows?: Rows | undefined;
  drops: readonly Drops[];
}

const noteName = "last-delivery";
/** Minimum time between two notes of the last delivery. */
const noteMs = 1000;

/** When a destination last took a report, as SQL: milliseconds since the epoch, as text. */
export const lastDelivery = `select value from {notes} where name = '${noteName}'`;

/** Ends claims in groups, each group in one transaction. */
export class Settlements {
  readonly #groups: GroupCommit<Settlement>;
  #notedAt = Number.NEGATIVE_INFINITY;

  /** @param me what `claimed_by` holds for claims of this process */
  constructor(
    private readonly store: Store,
    private readonly me: string,
  ) {
    this.#groups = new GroupCommit((group) => this.#settle(group), store);
  }

  /** @see Outbox.settle @throws {OutboxError} */
  settle(report: ClaimedReport, outcome: Outcome, rows: Rows | undefined): Promise<void> {
    const one = { outcome };
    const drops = isDropped(one) ? dropsOf(one.outcome.dropped, report.envelope) : [];
    return this.#groups.write({ report, outcome, rows, drops, bytes: 0, isLow: false });
  }

  /** @see Outbox.countDrops @throws {OutboxError} */
  count(drops: readonly Drops[]): Promise<void> {
    return this.#groups.write({ drops, bytes: 0, isLow: true });
  }

  flush(): Promise<void> {
    return this.#groups.flush();
  }

  /** Settles each of them. */
  async #settle(group: Grouped<Settlement>[]): Promise<void> {
    const { driver, health, dropLog } = this.store;
    const at = performance.now();
    const isNoted = group.some(isTaken) && at - this.#notedAt >= noteMs;
    try {
      const note = isNoted ? [this.#note()] : [];
      await health.watch(driver.transaction([...this.#statements(group), ...note]));
      if (isNoted) this.#notedAt = at;
    } catch (error) {
      const failure = error as OutboxError;
      // One that fails must not keep the others. Where all fail, so do their halves, and at once.
      const mayBeOne = failure.fault === "unwritable" && group.length > 1;
      if (failure.fault === "malformed" || mayBeOne) return this.#settleApart(group, failure);
      for (const { reject } of group) reject(failure);
      return;
    }
    dropLog.add(group.flatMap(({ drops }) => drops));
    for (const { resolve } of group) resolve();
  }

  /** One of them can't be stored for what its destination made of it: it is dropped alone. */
  async #settleApart(group: Grouped<Settlement>[], error: OutboxError): Promise<void> {
    const [first] = group;
    if (group.length > 1) {
      const half = Math.ceil(group.length / 2);
      await this.#settle(group.slice(0, half));
      await this.#settle(group.slice(half));
    } else if (first?.report && isTaken(first)) {
      this.store.health.setAside("What was made of the report can't be stored.", error.cause);
      const dropped = "internal_sdk_error";
      const drops = dropsOf(dropped, first.report.envelope);
      await this.#settle([{ ...first, outcome: { dropped }, drops }]);
    } else first?.reject(error);
  }

  #statements(group: readonly Settlement[]): Statement[] {
    const taken = group.filter(isTaken);
    const gone = group.filter((one) => isTaken(one) || isDropped(one));
    const back = group.filter(({ outcome }) => outcome === "back");
    // A process has one destination.
    const rows = taken[0]?.rows?.(taken.map(({ outcome }) => outcome.taken)) ?? [];
    const { forUpdate } = this.store.driver.dialect;
    return [
      ...(rows.length > 0 ? this.#ofClaimed("select id from {outbox}", taken, forUpdate) : []),
      ...rows,
      ...this.#ofClaimed("delete from {outbox}", gone),
      ...countDrops(group.flatMap(({ drops }) => drops)),
      ...group.flatMap((one) => this.#later(one)),
      ...this.#ofClaimed("update {outbox} set claimed_by = null, free_at = 0", back),
    ];
  }

  #ofClaimed(text: string, group: readonly Settlement[], end = ""): Statement[] {
    if (group.length === 0) return [];
    const values = new Values();
    const ids = values.list(group.map(({ report }) => report?.id ?? null));
    const claimed = `where id in (${ids}) and claimed_by = ${values.add(this.me)}`;
    return [{ text: `${text} ${claimed} ${end}`, values: values.all }];
  }

  #later({ report, outcome }: Settlement): Statement[] {
    if (!report || typeof outcome !== "object" || !("later" in outcome)) return [];
    const text = `update {outbox} set attempts = attempts + 1, claimed_by = null,
        free_at = ${this.store.now()} + $1
      where id = $2 and claimed_by = $3`;
    return [{ text, values: [Math.ceil(outcome.later), report.id, this.me] }];
  }

  #note(): Statement {
    const now = `cast(${this.store.now()} as text)`;
    const text = `insert into {notes} (name, value) values ('${noteName}', ${now})
      on conflict (name) do update set value = excluded.value`;
    return { text };
  }
}

type With<Kind extends Outcome> = { outcome: Kind };

function isTaken<S extends Pick<Settlement, "outcome">>(
  one: S,
): one is S & With<{ taken: unknown }> {
  return typeof one.outcome === "object" && "taken" in one.outcome;
}

function isDropped<S extends Pick<Settlement, "outcome">>(
  one: S,
): one is S & With<Extract<Outcome, { dropped: unknown }>> {
  return typeof one.outcome === "object" && "dropped" in one.outcome;
}
