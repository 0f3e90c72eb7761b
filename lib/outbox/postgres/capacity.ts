import type { Priority } from "@/lib/envelope/categories";
import { type Drops, dropsOf } from "@/lib/envelope/client-report";
import {
  refusalOf,
  serverSender,
  sizeOf,
  type Unit,
  type Usage,
  type Usages,
  type Victims,
} from "../eviction";
import { type OutboxBounds, OutboxError } from "../outbox";
import type { Run } from "./database";
import { someReports } from "./removals";
import type { Tables } from "./schema";

/** A report, new or stored, as far as eviction needs to know it. */
interface Sized {
  priority: Priority;
  sender: number;
  envelope: Uint8Array;
}

interface Victim extends Sized {
  id: number;
}

export interface CapacityPlan<R> {
  accepted: R[];
  refused: Map<R, OutboxError>;
  /** Ids of stored reports that make room. */
  victims: number[];
  /** What is lost, stored or new. */
  drops: Drops[];
}

/**
 * Decides in the order of arrival which new reports are stored and which stored ones make room, as
 * `OutboxBounds` says. Locks the totals until the end of the transaction, so that no other server
 * takes the same room.
 */
export async function planCapacity<R extends Sized>(
  query: Run,
  tables: Tables,
  reports: R[],
  context: { bounds: OutboxBounds; usages: Usages },
): Promise<CapacityPlan<R>> {
  const plan = new Planner<R>(query, tables, context, await lockTotals(query, tables));
  for (const report of reports) await plan.add(report);
  return plan;
}

/** What waits, as the bounds count it. */
interface Amounts {
  reports: number;
  bytes: number;
}

async function lockTotals(query: Run, { totals }: Tables): Promise<Amounts> {
  await query(`select from ${totals} where side = 'in' for update`);
  // Read after the lock was granted: another server may have changed it.
  const [waiting] = await query<{ reports: number; bytes: number }>(
    `select i.important + i.others - o.important - o.others as reports, i.bytes - o.bytes as bytes
     from ${totals} as i, ${totals} as o where i.side = 'in' and o.side = 'out'`,
  );
  if (!waiting) throw new OutboxError("unwritable", "The outbox's totals are missing.");
  return waiting;
}

class Planner<R extends Sized> implements CapacityPlan<R> {
  accepted: R[] = [];
  readonly refused = new Map<R, OutboxError>();
  readonly victims: number[] = [];
  readonly drops: Drops[] = [];
  readonly #query: Run;
  readonly #tables: Tables;
  readonly #bounds: OutboxBounds;
  readonly #waiting: Amounts;
  readonly #usages: Usages;
  /** By what is looked for. */
  readonly #stored = new Map<string, StoredVictims>();
  readonly #evicted = new Set<number>();

  constructor(
    query: Run,
    tables: Tables,
    { bounds, usages }: { bounds: OutboxBounds; usages: Usages },
    waiting: Amounts,
  ) {
    this.#query = query;
    this.#tables = tables;
    this.#bounds = bounds;
    this.#waiting = waiting;
    this.#usages = usages;
  }

  async add(report: R): Promise<void> {
    const { maxBytes, maxReports = Number.POSITIVE_INFINITY } = this.#bounds;
    const size = sizeOf(report);
    while (this.#waiting.bytes + size > maxBytes) {
      if (size <= maxBytes && (await this.#evictFor(report, "bytes"))) continue;
      const refusal = refusalOf(size, this.#bounds);
      if (refusal) this.refused.set(report, refusal);
      else this.#drop(report);
      return;
    }
    this.accepted.push(report);
    this.#waiting.reports++;
    this.#waiting.bytes += size;
    while (this.#waiting.reports > maxReports) {
      if (!(await this.#evictFor(report, "reports"))) break;
    }
  }

  /** Evicts the report that is first to make room for a new one. @returns false if there is none */
  async #evictFor(report: R, unit: Unit): Promise<boolean> {
    const recent = this.#usages[unit];
    const usage = recent.get() ?? recent.set(await this.#readUsage(unit));
    for (const wanted of recent.victimsFor(report, usage)) {
      const victim = await this.#evict(wanted);
      if (!victim) continue;
      recent.spend(sizeOf(victim));
      return true;
    }
    recent.spend(sizeOf(report));
    return false;
  }

  async #evict(wanted: Victims): Promise<Sized | undefined> {
    const stored = await this.#nextStored(wanted);
    if (stored) {
      this.victims.push(stored.id);
      this.#evicted.add(stored.id);
    }
    const victim = stored ?? this.accepted.find((report) => matches(report, wanted));
    if (!victim) return undefined;
    if (!stored) this.accepted = this.accepted.filter((report) => report !== victim);
    this.#drop(victim);
    this.#waiting.reports--;
    this.#waiting.bytes -= sizeOf(victim);
    return victim;
  }

  /** A report may be found by several ways of looking: each goes once. */
  async #nextStored(wanted: Victims): Promise<Victim | undefined> {
    const key = JSON.stringify(wanted);
    const stored = this.#stored.get(key) ?? new StoredVictims(this.#tables, wanted);
    this.#stored.set(key, stored);
    let victim: Victim | undefined;
    do victim = await stored.next(this.#query);
    while (victim && this.#evicted.has(victim.id));
    return victim;
  }

  /** Of what is stored and of what was accepted since. */
  async #readUsage(unit: Unit): Promise<Usage> {
    const { reports } = this.#tables;
    const amount = unit === "bytes" ? "sum(size)::bigint" : "count(*)";
    const amounts = new Map<number, number>();
    let ownErrors = 0;
    for (const report of this.accepted) {
      const added = unit === "bytes" ? sizeOf(report) : 1;
      amounts.set(report.sender, (amounts.get(report.sender) ?? 0) + added);
      if (report.sender === serverSender && report.priority === "high") ownErrors += added;
    }
    // The senders of accepted reports come first, then the one with the most of all others.
    const stored = await this.#query<{ sender: number; amount: number }>(
      `select sender, ${amount} as amount from ${reports} where sender > ${serverSender}
       group by sender order by sender = any($1::bigint[]) desc, amount desc limit $2`,
      [[...amounts.keys()], amounts.size + 1],
    );
    for (const { sender, amount } of stored) {
      amounts.set(sender, (amounts.get(sender) ?? 0) + amount);
    }
    const [largest] = [...amounts]
      .filter(([sender]) => sender > serverSender)
      .map(([sender, amount]) => ({ sender, amount }))
      .sort((a, b) => b.amount - a.amount);
    const [server] = await this.#query<{ amount: number | null }>(
      `select ${amount} as amount from ${reports}
       where not expendable and sender = ${serverSender}`,
    );
    return { largest, server: (server?.amount ?? 0) + ownErrors };
  }

  #drop({ envelope }: Sized): void {
    this.drops.push(...dropsOf("cache_overflow", envelope));
  }
}

function matches({ priority, sender }: Sized, wanted: Victims): boolean {
  return (
    priority === wanted.priority &&
    (wanted.of === undefined || sender === wanted.of) &&
    (wanted.notOf === undefined || sender !== wanted.notOf)
  );
}

/** How many victims one statement locks and reads, within `dropBatchBytes`. */
const batch = 50;

/** The stored reports that match, the oldest first, read in batches. */
class StoredVictims {
  #read: Victim[] = [];
  #after = 0;
  #more = true;

  constructor(
    private readonly tables: Tables,
    private readonly wanted: Victims,
  ) {}

  async next(query: Run): Promise<Victim | undefined> {
    if (this.#read.length === 0 && this.#more) {
      const { priority, of = null, notOf = null } = this.wanted;
      // One that another server is removing right now makes room by itself.
      this.#read = await query<Victim>(
        someReports(
          this.tables,
          `expendable = $1 and id > $2 and ($3::bigint is null or sender = $3)
             and ($4::bigint is null or sender <> $4)`,
          batch,
        ),
        [priority === "low", this.#after, of, notOf],
      );
      this.#more = this.#read.length > 0;
      this.#after = this.#read.at(-1)?.id ?? this.#after;
    }
    return this.#read.shift();
  }
}
