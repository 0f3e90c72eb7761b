import type Database from "better-sqlite3";
import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Log,
  type Origin,
  type OutboxBounds,
  type OutboxEngine,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "../outbox";
import { Checkpoints } from "./checkpoints";
import { Claims } from "./claims";
import { OutboxFile } from "./outbox-file";
import { Writer } from "./writer";

export interface SqliteOutboxOptions {
  /** Path of the SQLite file. Its folder is created; `<file>.lease` is put beside it. */
  file: string;
  bounds: OutboxBounds;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Called with each new connection. */
  onOpen?: (db: Database.Database) => void;
}

const lastDeliveryNote = "last-delivery";
const lastDeliveryIntervalMs = 1000;

/** The outbox in a SQLite file, which the processes of one machine may share. */
export class SqliteOutbox implements OutboxEngine {
  readonly #file: OutboxFile;
  readonly #checkpoints: Checkpoints;
  readonly #writer: Writer;
  readonly #claims: Claims;
  readonly #now: () => number;
  readonly #maxAgeMs: number;
  #lastDelivery = 0;

  constructor({ file, bounds, log, now = Date.now, onOpen }: SqliteOutboxOptions) {
    this.#now = now;
    this.#maxAgeMs = bounds.maxAgeMs;
    this.#claims = new Claims(`${file}.lease`);
    this.#file = new OutboxFile({ file, bounds, log, now, onOpen });
    this.#checkpoints = new Checkpoints(file, log);
    this.#writer = new Writer(this.#file, this.#checkpoints, log);
  }

  append(envelope: Uint8Array, origin: Origin, details?: AppendDetails): Promise<void> {
    let categories = details?.categories;
    if (categories === undefined) {
      const read = readEnvelope(envelope);
      if ("fault" in read) return Promise.reject(new OutboxError("malformed", read.detail));
      categories = read.categories;
    }
    const clientAddress = details?.clientAddress;
    const report = { receivedAt: this.#now(), origin, categories, clientAddress, envelope };
    return this.#writer.write(envelope.length, (table) => table.append(report));
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

  async oldestId(): Promise<number | undefined> {
    return this.#file.read((table) => table.oldest()?.id);
  }

  async drops(): Promise<Drops[]> {
    return this.#file.read((table) => table.drops());
  }

  async stats(): Promise<OutboxStats> {
    this.#writer.probe();
    try {
      return this.#file.read((table) => {
        const oldest = table.oldest();
        const noted = Number(table.note(lastDeliveryNote) ?? 0);
        return {
          writable: this.#writer.failure === undefined,
          waiting: table.count(),
          oldestAge: oldest && Math.max(0, this.#now() - oldest.receivedAt),
          lastDelivery: Math.max(noted, this.#lastDelivery) || undefined,
        };
      });
    } catch {
      // The probe has logged why.
      return { writable: false, waiting: 0, oldestAge: undefined, lastDelivery: undefined };
    }
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async claim(request: ClaimRequest): Promise<ClaimedReport[]> {
    if (!this.#leased()) return [];
    return this.#file.read((table) => this.#claims.claim(table, request, this.#now()));
  }

  async settle(id: number, outcome: "delivered" | DropReason): Promise<void> {
    if (outcome === "delivered") await this.#delivered(id);
    else await this.#writer.write(0, (table) => table.drop(id, outcome));
    this.#claims.end(id);
  }

  async putBack(id: number, retryAfterMs?: number): Promise<void> {
    this.#claims.putBack(id, retryAfterMs === undefined ? undefined : this.#now() + retryAfterMs);
  }

  async release(): Promise<void> {
    this.#claims.release();
  }

  async expire(limited: CategorySet): Promise<void> {
    const before = this.#now() - this.#maxAgeMs;
    const reasonFor = ({ categories }: { categories: CategorySet }): DropReason =>
      (categories & limited) !== 0 ? "ratelimit_backoff" : "network_error";
    for (let more = true; more; ) {
      await this.#writer.write(0, (table) => {
        const drops = table.expire(before, reasonFor);
        more = drops !== undefined;
        return drops;
      });
    }
  }

  reportDrops(): Promise<void> {
    return this.#writer.write(0, (table) => {
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
      table.delete(id);
      if (notes) table.setNote(lastDeliveryNote, String(now));
      return undefined;
    });
  }

  #leased(): boolean {
    try {
      return this.#claims.acquireLease();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }
}
