import { type Drops, dropsOf } from "../envelope/client-report.ts";
import { type OutboxError, type OutboxFault, type Statement, Values } from "./driver.ts";
import { countDrops } from "./drops.ts";
import { GroupCommit, type Write } from "./group-commit.ts";
import type { ClaimedReport, Outcome } from "./reports.ts";
import type { Store } from "./store.ts";

/** The end of a claim; or only drops to be counted, of reports that never were in the outbox. */
interface Acknowledgement extends Write {
  report?: ClaimedReport;
  outcome?: Outcome;
  drops: readonly Drops[];
}

const noteName = "last-delivery";
/** Minimum time between two notes of the last delivery. */
const noteMs = 1000;

/** When a destination last took a report, as SQL: milliseconds since the epoch, as text. */
export const lastDelivery = `select value from {notes} where name = '${noteName}'`;

/** Ends claims in groups. */
export class Acknowledgements extends GroupCommit<Acknowledgement> {
  protected override readonly faultsOfOne: readonly OutboxFault[] = ["malformed", "unwritable"];
  #notedAt = Number.NEGATIVE_INFINITY;
  /** When the statements were made that hold a note which is not written yet. */
  #notingAt: number | undefined;

  /**
   * @param rowsOf see `Outbox.rowsOf`
   */
  constructor(
    store: Store,
    private readonly rowsOf: (taken: readonly unknown[]) => Statement[],
  ) {
    super(store);
  }

  /** @see Outbox.acknowledge @throws {OutboxError} */
  acknowledge(report: ClaimedReport, outcome: Outcome): Promise<void> {
    const lost = outcome.kind === "taken" ? (outcome.lost ?? []) : [];
    const drops = outcome.kind === "dropped" ? dropsOf(outcome.reason, report.envelope) : lost;
    return this.write({ report, outcome, drops, bytes: 0, isLow: false });
  }

  /** @see Outbox.countDrops @throws {OutboxError} */
  count(drops: readonly Drops[]): Promise<void> {
    return this.write({ drops, bytes: 0, isLow: true });
  }

  protected statements(group: readonly Acknowledgement[]): Statement[] {
    const of = (kind: Outcome["kind"]) => group.filter(({ outcome }) => outcome?.kind === kind);
    const taken = of("taken");
    const values = taken.flatMap(({ outcome }) =>
      outcome?.kind === "taken" ? [outcome.value] : [],
    );
    const rows = taken.length > 0 ? this.rowsOf(values) : [];
    return [
      ...(rows.length > 0 ? this.#allClaimed(taken) : []),
      ...rows,
      ...this.#ofClaimed("delete from {outbox}", [...taken, ...of("dropped")]),
      ...countDrops(group.flatMap(({ drops }) => drops)),
      ...group.flatMap((one) => this.#freed(one)),
      ...(taken.length > 0 ? this.#noteIfDue() : []),
    ];
  }

  protected written(): void {
    this.#notedAt = this.#notingAt ?? this.#notedAt;
  }

  /** What its destination made of a report can't be stored: it is dropped. Nothing is to be done without its claim. */
  protected async refused(one: Acknowledgement, error: OutboxError): Promise<void> {
    const { driver, health } = this.store;
    if (!one.report || one.outcome?.kind !== "taken") throw error;
    const claimed = driver.transaction(this.#ofClaimed("select id from {outbox}", [one]));
    const [found = []] = await health.watch(claimed);
    if (found.length === 0) return;
    health.setAside("What was made of the report can't be stored.", error.cause);
    const outcome: Outcome = { kind: "dropped", reason: "internal_sdk_error" };
    const dropped = [{ ...one, outcome, drops: dropsOf(outcome.reason, one.report.envelope) }];
    await health.watch(driver.transaction(this.statements(dropped)));
    this.written();
  }

  /**
   * Locks these reports, and is refused as malformed unless all are claimed. One may not be: another process has
   * it since its lease ended, or it was removed before, by a transaction whose answer was lost.
   */
  #allClaimed(group: readonly Acknowledgement[]): Statement[] {
    const { forUpdate } = this.store.driver.dialect;
    const refuse = `insert into {notes} (name, value) select 'unclaimed', null
      where ${group.length} > (select count(*) from {outbox}`;
    return [
      ...this.#ofClaimed("select id from {outbox}", group, forUpdate),
      ...this.#ofClaimed(refuse, group, ")"),
    ];
  }

  #ofClaimed(text: string, group: readonly Acknowledgement[], end = ""): Statement[] {
    if (group.length === 0) return [];
    const values = new Values();
    const ids = values.list(group.map(({ report }) => report?.id ?? null));
    const claimed = `where id in (${ids}) and claimed_by = ${values.add(this.store.driver.me)}`;
    return [{ text: `${text} ${claimed} ${end}`, values: values.all }];
  }

  /** Of a report that stays. */
  #freed({ report, outcome }: Acknowledgement): Statement[] {
    if (!report || (outcome?.kind !== "later" && outcome?.kind !== "back")) return [];
    const [attempts, ms] = outcome.kind === "later" ? [1, Math.ceil(outcome.ms)] : [0, 0];
    const text = `update {outbox} set attempts = attempts + ${attempts}, claimed_by = null,
        free_at = ${this.store.now()} + $1
      where id = $2 and claimed_by = $3`;
    return [{ text, values: [ms, report.id, this.store.driver.me] }];
  }

  #noteIfDue(): Statement[] {
    const at = performance.now();
    this.#notingAt = at - this.#notedAt >= noteMs ? at : undefined;
    if (this.#notingAt === undefined) return [];
    const now = `cast(${this.store.now()} as text)`;
    const text = `insert into {notes} (name, value) values ('${noteName}', ${now})
      on conflict (name) do update set value = excluded.value`;
    return [{ text }];
  }
}
