import {
  type CategorySet,
  everyCategory,
  internalOnly,
  isUnwanted,
  priorityOf,
} from "@/lib/envelope/categories";
import { type DropReason, type Drops, dropsOf } from "@/lib/envelope/client-report";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { senderNumber } from "./eviction";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Origin,
  type OutboxEngine,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "./outbox";
import type { Rows, Statement } from "./rows";
import {
  type Droppable,
  noteStatement,
  type Oldest,
  type ReasonFor,
  type Store,
  type Totals,
} from "./store";

export interface DurableOutboxOptions {
  /** The `limited` of `isUnwanted`, for reports that arrive. */
  limited?: () => CategorySet;
  /** Milliseconds since the epoch; by this process's clock if missing. */
  now?: () => number;
}

const lastDeliveryNote = "last-delivery";
const lastDeliveryIntervalMs = 1000;

/** The outbox over a store: what is the same in SQLite and in Postgres. */
export class DurableOutbox implements OutboxEngine {
  readonly #store: Store;
  readonly #limited: () => CategorySet;
  readonly #now: () => number;
  #lastDelivery = 0;
  #stats: Promise<OutboxStats> | undefined;

  constructor(store: Store, { limited = () => 0, now = Date.now }: DurableOutboxOptions) {
    this.#store = store;
    this.#limited = limited;
    this.#now = now;
  }

  get rows(): Rows {
    return this.#store;
  }

  async append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void> {
    const categories = details?.categories ?? categoriesOf(envelope);
    if (isUnwanted(categories, this.#limited())) {
      return this.countDrops(dropsOf("ratelimit_backoff", envelope));
    }
    return this.#store.append({
      origin,
      categories,
      priority: priorityOf(categories),
      sender: senderNumber(origin, details?.sender),
      clientAddress: details?.clientAddress,
      envelope,
    });
  }

  countDrops(drops: Drops[]): Promise<void> {
    return this.#store.countDrops(drops);
  }

  list({ after, limit }: { after: number; limit: number }): Promise<StoredReport[]> {
    const text = `select ${this.#store.reportColumns} from {reports}
      where id > $1 order by id limit $2`;
    return this.#store.select<StoredReport>({ text, values: [after, limit] });
  }

  drops(): Promise<Drops[]> {
    const text = "select reason, category, quantity from {drops} order by reason, category";
    return this.#store.select<Drops>({ text });
  }

  /** Calls at the same time share one reading of the store. */
  stats(): Promise<OutboxStats> {
    this.#stats ??= this.#readStats().finally(() => {
      this.#stats = undefined;
    });
    return this.#stats;
  }

  async #readStats(): Promise<OutboxStats> {
    const { health } = this.#store;
    await this.#store.probe();
    const setAside = health.reportsSetAside;
    const { failure } = health;
    try {
      const totals = await this.#store.totals();
      const noted = Number((await this.note(lastDeliveryNote)) ?? 0);
      return {
        writable: failure === undefined,
        reason: failure?.message,
        ...waitingIn(totals),
        lastDelivery: Math.max(noted, this.#lastDelivery) || undefined,
        setAside,
      };
    } catch (error) {
      // The probe has logged why.
      const { message } = error as OutboxError;
      return {
        writable: false,
        reason: message,
        ...waitingIn(undefined),
        lastDelivery: undefined,
        setAside,
      };
    }
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    return this.#store.claim(request);
  }

  ack(id: number, outcome: "delivered" | DropReason): Promise<void> {
    if (outcome !== "delivered") return this.#store.drop(id, outcome);
    return this.#store.removeDelivered(id, this.#deliveryNote());
  }

  /** @returns nothing if there was one a moment ago */
  #deliveryNote(): Statement | undefined {
    const now = this.#now();
    if (now - this.#lastDelivery < lastDeliveryIntervalMs) return undefined;
    this.#lastDelivery = now;
    return noteStatement(lastDeliveryNote, String(now));
  }

  requeue(id: number, retryAfterMs?: number): Promise<void> {
    return this.#store.requeue(id, retryAfterMs);
  }

  setAside(reason: string, cause: unknown): void {
    this.#store.health.setAside(reason, cause);
  }

  release(): Promise<void> {
    return this.#store.release();
  }

  expire(limited: CategorySet): Promise<void> {
    return this.#dropAll("old", ({ categories }) =>
      (categories & limited) !== 0 ? "ratelimit_backoff" : "network_error",
    );
  }

  async dropUnwanted(limited: CategorySet): Promise<void> {
    if (limited === 0) return;
    // `isUnwanted` as SQL can ask it: nothing that the service takes, and something that it limits.
    const unwanted = {
      without: everyCategory & ~limited & ~internalOnly,
      withOneOf: limited & ~internalOnly,
    };
    await this.#dropAll(unwanted, () => "ratelimit_backoff");
  }

  async #dropAll(which: Droppable, reasonFor: ReasonFor): Promise<void> {
    let more = true;
    while (more) more = await this.#store.dropSome(which, reasonFor);
  }

  reportDrops(): Promise<void> {
    return this.#store.reportDrops();
  }

  async note(name: string): Promise<string | undefined> {
    const text = "select value from {notes} where name = $1";
    const [found] = await this.#store.select<{ value: string }>({ text, values: [name] });
    return found?.value;
  }

  setNote(name: string, value: string): Promise<void> {
    return this.#store.write(noteStatement(name, value));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** @throws {OutboxError} `malformed` */
function categoriesOf(envelope: Uint8Array): CategorySet {
  const read = readEnvelope(envelope);
  if ("fault" in read) throw new OutboxError("malformed", read.detail);
  return read.categories;
}

/** @param totals undefined if they can't be read */
function waitingIn(totals: Totals | undefined) {
  const ageOf = (oldest: Oldest | null = null) =>
    totals && oldest ? Math.max(0, totals.now - oldest.receivedAt) : undefined;
  const high = ageOf(totals?.high);
  const ages = [high, ageOf(totals?.low)].filter((age) => age !== undefined);
  return {
    waiting: totals?.waiting ?? 0,
    highWaiting: totals?.highWaiting ?? 0,
    oldestAge: ages.length > 0 ? Math.max(...ages) : undefined,
    oldestHighAge: high,
  };
}
