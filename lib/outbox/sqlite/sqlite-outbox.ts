import type Database from "better-sqlite3";
import { type CategorySet, isExpendable } from "@/lib/envelope/categories";
import { type DropReason, type Drops, dropsOf } from "@/lib/envelope/client-report";
import { senderNumber } from "../eviction";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type GroupState,
  type Log,
  type OldestIds,
  type Origin,
  type OutboxBounds,
  type OutboxEngine,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "../outbox";
import { categoriesOf } from "../report-categories";
import { isUnwanted } from "../service-limits";
import { Checkpoints } from "./checkpoints";
import { Claims } from "./claims";
import { OutboxFile } from "./outbox-file";
import { SqliteRows } from "./sqlite-rows";
import { type Change, Writer } from "./writer";

export interface SqliteOutboxOptions {
  /** Path of the SQLite file. Its folder is created; `<file>.lease` is put beside it. */
  file: string;
  bounds: OutboxBounds;
  log: Log;
  /** The `limited` of `isUnwanted`, for reports that arrive. */
  limited?: () => CategorySet;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow?: () => number;
  /** Called with each new connection. */
  onOpen?: (db: Database.Database) => void;
}

const lastDeliveryNote = "last-delivery";
const lastDeliveryIntervalMs = 1000;

/** The outbox in a SQLite file, which the processes of one machine may share. */
export class SqliteOutbox implements OutboxEngine {
  readonly rows: SqliteRows;
  readonly #file: OutboxFile;
  readonly #checkpoints: Checkpoints;
  readonly #writer: Writer;
  readonly #claims: Claims;
  readonly #limited: () => CategorySet;
  readonly #now: () => number;
  readonly #monotonicNow: () => number;
  readonly #maxAgeMs: number;
  #lastDelivery = 0;

  constructor(options: SqliteOutboxOptions) {
    const { file, bounds, log, limited = () => 0, now = Date.now, onOpen } = options;
    const { monotonicNow = () => performance.now() } = options;
    this.#limited = limited;
    this.#now = now;
    this.#monotonicNow = monotonicNow;
    this.#maxAgeMs = bounds.maxAgeMs;
    this.#claims = new Claims(`${file}.lease`);
    this.#file = new OutboxFile({ file, bounds, log, now, monotonicNow, onOpen });
    this.#checkpoints = new Checkpoints(file, log);
    this.#writer = new Writer(this.#file, this.#checkpoints, log);
    this.rows = new SqliteRows(this.#file, this.#writer);
  }

  async append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void> {
    const categories = details?.categories ?? categoriesOf(envelope);
    if (isUnwanted(categories, this.#limited())) {
      return this.countDrops(dropsOf("ratelimit_backoff", envelope));
    }
    const report = {
      receivedAt: this.#now(),
      origin,
      categories,
      sender: senderNumber(origin, details?.sender),
      clientAddress: details?.clientAddress,
      envelope,
    };
    const append: Change = (table) => table.append(report);
    return this.#writer.write(envelope.length, append, isExpendable(categories));
  }

  countDrops(drops: Drops[]): Promise<void> {
    return this.#writer.write(0, (table) => {
      table.countDrops(drops);
      return drops;
    });
  }

  async list(range: { after: number; limit: number }): Promise<StoredReport[]> {
    return this.#file.read((table) => table.list(range));
  }

  async oldestIds(): Promise<OldestIds> {
    return this.#file.read((table) => table.oldestIds());
  }

  async ids(): Promise<number[]> {
    return this.#file.read((table) => table.ids());
  }

  async drops(): Promise<Drops[]> {
    return this.#file.read((table) => table.drops());
  }

  async groupStates(): Promise<GroupState[]> {
    return this.#file.read((table) => table.groupStates());
  }

  setGroupState(group: string, state: GroupState["state"] | "open", since: number): Promise<void> {
    return this.#writer.write(0, (table) => {
      table.setGroupState(group, state, since);
      return undefined;
    });
  }

  async stats(): Promise<OutboxStats> {
    this.#writer.probe();
    try {
      return this.#file.read((table) => {
        const oldest = table.oldestArrivals();
        const noted = Number(table.note(lastDeliveryNote) ?? 0);
        return {
          writable: this.#writer.health.failure === undefined,
          reason: this.#writer.health.failure?.message,
          waiting: table.count(),
          importantWaiting: table.countImportant(),
          oldestAge: this.#ageSince(oldest.all),
          oldestImportantAge: this.#ageSince(oldest.important),
          lastDelivery: Math.max(noted, this.#lastDelivery) || undefined,
          setAside: this.#writer.health.reportsSetAside,
        };
      });
    } catch (error) {
      // The probe has logged why.
      return {
        writable: false,
        reason: (error as OutboxError).message,
        waiting: 0,
        importantWaiting: 0,
        oldestAge: undefined,
        oldestImportantAge: undefined,
        lastDelivery: undefined,
        setAside: this.#writer.health.reportsSetAside,
      };
    }
  }

  #ageSince(time: number | undefined): number | undefined {
    return time === undefined ? undefined : Math.max(0, this.#now() - time);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    if (!this.#leased()) return [];
    return this.#file.read((table) =>
      this.#claims.claim(table, this.#file.identity, request, this.#monotonicNow()),
    );
  }

  async ack(id: number, outcome: "delivered" | DropReason): Promise<void> {
    if (outcome === "delivered") await this.#delivered(id);
    else
      await this.#writer.write(0, (table) =>
        this.#holds(id) ? table.drop(id, outcome) : undefined,
      );
    this.#claims.end(id);
  }

  async requeue(id: number, retryAfterMs?: number): Promise<void> {
    this.#claims.requeue(
      id,
      retryAfterMs === undefined ? undefined : this.#monotonicNow() + retryAfterMs,
    );
  }

  setAside(reason: string, cause: unknown): void {
    this.#writer.health.setAside(reason, cause);
  }

  async release(): Promise<void> {
    this.#claims.release();
  }

  async expire(limited: CategorySet): Promise<void> {
    if (!this.#leased()) return;
    this.#claims.startOver();
    const before = this.#now() - this.#maxAgeMs;
    const reasonFor = ({ categories }: { categories: CategorySet }): DropReason =>
      (categories & limited) !== 0 ? "ratelimit_backoff" : "network_error";
    await this.#dropAll((table) => table.expire(before, reasonFor));
    this.#file.read((table) => this.#claims.forgetGone(table));
  }

  async dropUnwanted(limited: CategorySet): Promise<void> {
    if (limited !== 0 && this.#leased())
      await this.#dropAll((table) => table.dropUnwanted(limited));
  }

  /** @param dropBatch returns undefined when nothing is left to drop */
  async #dropAll(dropBatch: Change): Promise<void> {
    for (let more = true; more; ) {
      await this.#writer.write(0, (table) => {
        const drops = dropBatch(table);
        more = drops !== undefined;
        return drops;
      });
    }
  }

  async reportDrops(): Promise<void> {
    if (!this.#leased()) return;
    await this.#writer.write(0, (table) => {
      table.reportDrops(this.#now());
      return undefined;
    });
  }

  async note(name: string): Promise<string | undefined> {
    return this.#file.read((table) => table.note(name));
  }

  setNote(name: string, value: string): Promise<void> {
    return this.#writer.write(0, (table) => {
      table.setNote(name, value);
      return undefined;
    });
  }

  async close(): Promise<void> {
    const flushed = this.#writer.flush();
    this.#checkpoints.close();
    this.#file.close();
    this.#claims.release();
    await flushed;
  }

  #delivered(id: number): Promise<void> {
    const now = this.#now();
    const notes = now - this.#lastDelivery >= lastDeliveryIntervalMs;
    if (notes) this.#lastDelivery = now;
    return this.#writer.write(0, (table) => {
      if (this.#holds(id)) table.delete(id);
      if (notes) table.setNote(lastDeliveryNote, String(now));
      return undefined;
    });
  }

  /** Whether this id still means the claimed report: the file may have been replaced since. */
  #holds(id: number): boolean {
    return this.#claims.holds(id, this.#file.identity);
  }

  #leased(): boolean {
    try {
      return this.#claims.acquireLease();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }
}
