import { type Drops, dropsOf } from "@/lib/envelope/client-report";
import { type OutboxBounds, OutboxError } from "../outbox";
import type { Run } from "./database";
import type { Tables } from "./schema";

/** Approximate size of a row without its envelope. */
export const rowOverheadBytes = 128;

/** What is known of a new report, and of a stored one that may make room. */
interface Sized {
  expendable: boolean;
  envelope: Uint8Array;
}

interface Victim extends Sized {
  id: number;
}

export interface RoomPlan<R> {
  accepted: R[];
  refused: Map<R, OutboxError>;
  /** Ids of stored reports that make room. */
  victims: number[];
  /** What is lost, stored or new. */
  drops: Drops[];
}

/** What a report counts towards the bound by bytes. */
export function sizeOf({ envelope }: { envelope: Uint8Array }): number {
  return envelope.length + rowOverheadBytes;
}

/**
 * Decides in the order of arrival which new reports are stored and which stored ones make room, as
 * `OutboxBounds` says. Locks the totals until the end of the transaction, so that no other server
 * takes the same room.
 */
export async function planRoom<R extends Sized>(
  query: Run,
  tables: Tables,
  reports: R[],
  bounds: OutboxBounds,
): Promise<RoomPlan<R>> {
  const plan = new Planner<R>(query, tables, bounds, await lockTotals(query, tables));
  for (const report of reports) await plan.add(report);
  return plan;
}

interface Totals {
  reports: number;
  bytes: number;
}

async function lockTotals(query: Run, { totals }: Tables): Promise<Totals> {
  await query(`select from ${totals} where side = 'in' for update`);
  // Read after the lock was granted: another server may have changed it.
  const [waiting] = await query<{ reports: number; bytes: number }>(
    `select i.important + i.others - o.important - o.others as reports, i.bytes - o.bytes as bytes
     from ${totals} as i, ${totals} as o where i.side = 'in' and o.side = 'out'`,
  );
  if (!waiting) throw new OutboxError("unwritable", "The outbox's totals are missing.");
  return waiting;
}

class Planner<R extends Sized> implements RoomPlan<R> {
  accepted: R[] = [];
  readonly refused = new Map<R, OutboxError>();
  readonly victims: number[] = [];
  readonly drops: Drops[] = [];
  readonly #query: Run;
  readonly #bounds: OutboxBounds;
  readonly #waiting: Totals;
  readonly #stored: Record<"true" | "false", StoredVictims>;

  constructor(query: Run, tables: Tables, bounds: OutboxBounds, waiting: Totals) {
    this.#query = query;
    this.#bounds = bounds;
    this.#waiting = waiting;
    this.#stored = {
      true: new StoredVictims(tables, true),
      false: new StoredVictims(tables, false),
    };
  }

  async add(report: R): Promise<void> {
    const { maxBytes, maxReports = Number.POSITIVE_INFINITY, whenFull } = this.#bounds;
    const size = sizeOf(report);
    const mayReplace = whenFull === "drop-oldest" && size <= maxBytes;
    while (this.#waiting.bytes + size > maxBytes) {
      const maySacrifice = size <= maxBytes && (mayReplace || !report.expendable);
      if (maySacrifice && (await this.#sacrifice(true))) continue;
      if (mayReplace && !report.expendable && (await this.#sacrifice(false))) continue;
      if (mayReplace) this.#drop(report);
      else this.refused.set(report, full(maxBytes));
      return;
    }
    this.accepted.push(report);
    this.#waiting.reports++;
    this.#waiting.bytes += size;
    while (this.#waiting.reports > maxReports) {
      if (!(await this.#sacrifice(true)) && !(await this.#sacrifice(false))) break;
    }
  }

  /** Drops the oldest report of a kind. @returns false if there is none */
  async #sacrifice(expendable: boolean): Promise<boolean> {
    const stored = await this.#stored[`${expendable}`].next(this.#query);
    if (stored) this.victims.push(stored.id);
    const victim = stored ?? this.accepted.find((report) => report.expendable === expendable);
    if (!victim) return false;
    if (!stored) this.accepted = this.accepted.filter((report) => report !== victim);
    this.#drop(victim);
    this.#waiting.reports--;
    this.#waiting.bytes -= sizeOf(victim);
    return true;
  }

  #drop({ envelope }: Sized): void {
    this.drops.push(...dropsOf("cache_overflow", envelope));
  }
}

const batch = 50;

/** The stored reports of a kind, the oldest first, read in batches. */
class StoredVictims {
  #read: Victim[] = [];
  #after = 0;
  #more = true;

  constructor(
    private readonly tables: Tables,
    private readonly expendable: boolean,
  ) {}

  async next(query: Run): Promise<Victim | undefined> {
    if (this.#read.length === 0 && this.#more) {
      // One that another server is removing right now makes room by itself.
      this.#read = await query<Victim>(
        `select id, expendable, envelope from ${this.tables.reports}
         where expendable = $1 and id > $2 order by id limit ${batch} for update skip locked`,
        [this.expendable, this.#after],
      );
      this.#more = this.#read.length === batch;
      this.#after = this.#read.at(-1)?.id ?? this.#after;
    }
    return this.#read.shift();
  }
}

function full(maxBytes: number): OutboxError {
  return new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
}
