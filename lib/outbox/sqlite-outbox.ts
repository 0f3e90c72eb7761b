import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { isBusy, sqliteCode } from "./database";
import { Lease } from "./lease";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Origin,
  type Outbox,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "./outbox";
import { explain, OutboxFile, type OutboxOptions } from "./outbox-file";
import { OutboxWriter } from "./outbox-writer";
import type { ReportTable } from "./report-table";

const lastDelivery = "last-delivery";
const lastDeliveryEveryMs = 1000;
/**
 * The outbox on SQLite, in WAL mode. A promise resolves when the transaction is on disk, as it would
 * with `synchronous = FULL`; only that the wait for the disk is not spent inside of SQLite, where it
 * would stop everything else the process does.
 */
export class SqliteOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>;
  readonly #file: OutboxFile;
  readonly #lease: Lease;
  readonly #writer: OutboxWriter;
  #lastDelivery = 0;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = { now: Date.now, onOpen: () => {}, ...options };
    this.#file = new OutboxFile(this.#options);
    this.#lease = new Lease(`${options.file}.lease`);
    this.#writer = new OutboxWriter(this.#file, this.#options);
  }

  append(envelope: Uint8Array, origin: Origin, details: AppendDetails = {}): Promise<void> {
    let { categories } = details;
    if (categories === undefined) {
      const read = readEnvelope(envelope);
      if ("fault" in read) return Promise.reject(new OutboxError("malformed", read.detail));
      categories = read.categories;
    }
    const known = { ...details, categories };
    const now = this.#options.now();
    return this.#writer.write(envelope.length, (table, drops) => {
      drops.push(...table.append(envelope, origin, known, now));
      drops.push(...table.trim());
    });
  }

  flush(): void {
    this.#writer.flush();
  }

  claim(request: ClaimRequest): ClaimedReport[] {
    return this.lease() ? this.#read((table) => table.claim(request)) : [];
  }

  lease(): boolean {
    try {
      return this.#lease.acquire();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }

  release(): void {
    this.#lease.release();
  }

  settle(id: number, outcome: "delivered" | DropReason): Promise<void> {
    const now = this.#options.now();
    return this.#writer.write(0, (table, drops) => {
      if (outcome === "delivered") {
        table.remove(id);
        if (now - this.#lastDelivery < lastDeliveryEveryMs) return;
        table.setNote(lastDelivery, String(now));
        this.#lastDelivery = now;
      } else {
        const report = table.find(id);
        if (report) drops.push(...table.giveUp([report], outcome));
      }
    });
  }

  async expire(limited: CategorySet): Promise<void> {
    const before = this.#options.now() - this.#options.bounds.maxAgeMs;
    const reason = (report: ClaimedReport): DropReason =>
      (report.categories & limited) !== 0 ? "ratelimit_backoff" : "network_error";
    for (let more = true; more; ) {
      await this.#writer.write(0, (table, drops) => {
        const expired = table.expire(before, reason);
        more = expired !== undefined;
        drops.push(...(expired ?? []));
      });
    }
  }

  countDrops(given: Drops[]): Promise<void> {
    return this.#writer.write(0, (table, drops) => {
      table.countDrops(given);
      drops.push(...given);
    });
  }

  reportDrops(): Promise<void> {
    return this.#writer.write(0, (table) => {
      table.reportDrops(this.#options.now());
    });
  }

  list(range: { after: number; limit: number }): StoredReport[] {
    return this.#read((table) => table.list(range));
  }

  oldestId(): number | undefined {
    return this.#read((table) => table.oldest()?.id);
  }

  note(name: string): string | undefined {
    return this.#read((table) => table.note(name));
  }

  setNote(name: string, value: string): Promise<void> {
    return this.#writer.write(0, (table) => table.setNote(name, value));
  }

  stats(): OutboxStats {
    this.#writer.probe();
    const { failure } = this.#writer;
    try {
      return this.#read((table) => {
        const oldest = table.oldest();
        const delivered = Number(table.note(lastDelivery) ?? 0);
        return {
          writable: failure === undefined,
          fault: failure?.fault,
          waiting: table.count(),
          oldestAge: oldest && Math.max(0, this.#options.now() - oldest.receivedAt),
          lastDelivery: Math.max(delivered, this.#lastDelivery) || undefined,
          drops: table.drops(),
        };
      });
    } catch (error) {
      const fault = error instanceof OutboxError ? error.fault : "unwritable";
      const nothing = { oldestAge: undefined, lastDelivery: undefined, drops: [] };
      return { writable: false, fault, waiting: 0, ...nothing };
    }
  }

  drops(): Drops[] {
    return this.#read((table) => table.drops());
  }

  onAppend(listener: () => void): void {
    this.#writer.onAppend(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#writer.close();
    this.#file.close();
    this.#lease.release();
  }

  #read<T>(query: (table: ReportTable) => T): T {
    try {
      return query(this.#file.open("read"));
    } catch (error) {
      if (sqliteCode(error) && !isBusy(error)) this.#file.letGo();
      throw explain(error);
    }
  }
}
