import { categorySet, type Priority, priorityOf } from "@signpost/relay/categories";
import { type Drops, dropsOf, summed } from "@signpost/relay/envelope";
import { isOutboxError } from "@signpost/relay/store";
import { log } from "../shared/log.ts";

/** The part of the outbox that the server's own reports use. */
export interface ReportStore {
  /** Stores one envelope, and settles once it is on disk. */
  append(envelope: Uint8Array): Promise<void>;
  /** Counts reports that were dropped before they could be appended. */
  countDrops(drops: Drops[]): Promise<void>;
}

interface Report {
  envelope: Uint8Array;
  /** What is lost if it is dropped. */
  drops: Drops[];
  priority: Priority;
}

const maxReports = 100;
/** Room for an event with what a team attaches to it. */
const defaultMaxBytes = 40 * 1024 * 1024;
/** The longest time between two tries: it begins with a second, and doubles with each that fails. */
const maxWaitMs = 8000;

/**
 * Appends the server's own reports to the outbox. While the outbox fails, reports wait in memory, up
 * to a limit, and are appended again with back-off. At the limit, measurements are evicted for errors.
 * What is evicted or does not fit is counted in the outbox as soon as that works.
 */
export class WaitingReports {
  readonly #waiting = new Set<Report>();
  #drops: Drops[] = [];
  #bytes = 0;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #retrying = false;

  constructor(
    private readonly store: ReportStore,
    private readonly maxBytes = defaultMaxBytes,
  ) {}

  /** Resolves once the report is on disk, waits, or was dropped; never rejects. */
  async add(envelope: Uint8Array): Promise<void> {
    try {
      await this.store.append(envelope);
    } catch (error) {
      const cause = String(error);
      // A retry helps if the outbox failed, but not if the report itself is wrong.
      const malformed = isOutboxError(error) && error.fault === "malformed";
      if (malformed) log("error", "server report lost", { cause });
      else this.#keep(envelope, cause);
    }
  }

  /** Counts, in the outbox, what was dropped before it became a report. Soon, and several at once. */
  countDropped(drops: Drops): void {
    this.#add([drops]);
    if (!this.#retrying) this.#schedule();
  }

  #add(drops: readonly Drops[]): void {
    this.#drops = summed([...this.#drops, ...drops]);
  }

  /** Passes all waiting reports to the outbox, before it returns. */
  retry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#retrying && this.#isPending()) void this.#retry();
  }

  /** For the end of the process: logs how many reports will never be stored. */
  logLost(): void {
    if (!this.#isPending()) return;
    const dropped = this.#drops.reduce((sum, { quantity }) => sum + quantity, 0);
    log("error", "server reports lost", { waiting: this.#waiting.size, dropped });
  }

  #isPending(): boolean {
    return this.#waiting.size > 0 || this.#drops.length > 0;
  }

  #keep(envelope: Uint8Array, cause: string): void {
    if (this.#waiting.size === 0 && this.#failures === 0) {
      // What needs a person is the outbox's own line: it says what failed.
      log("warn", "server reports wait", { cause });
    }
    const drops = dropsOf("cache_overflow", envelope);
    const categories = categorySet(drops.map(({ category }) => category));
    const report = { envelope, drops, priority: priorityOf(categories) };
    if (report.priority === "high") this.#evict(envelope.length);
    if (this.#fits(envelope.length)) {
      this.#waiting.add(report);
      this.#bytes += envelope.length;
    } else this.#add(report.drops);
    if (!this.#retrying) this.#schedule();
  }

  #fits(bytes: number): boolean {
    return this.#waiting.size < maxReports && this.#bytes + bytes <= this.maxBytes;
  }

  #evict(bytes: number): void {
    for (const report of this.#waiting) {
      if (this.#fits(bytes)) return;
      if (report.priority === "high") continue;
      this.#remove(report);
      this.#add(report.drops);
    }
  }

  #remove(report: Report): void {
    if (this.#waiting.delete(report)) this.#bytes -= report.envelope.length;
  }

  #schedule(): void {
    if (this.#timer) return;
    const longest = Math.min(1000 * 2 ** this.#failures, maxWaitMs);
    // Many servers may share the store that has failed.
    const wait = longest * (1 - Math.random() / 2);
    this.#timer = setTimeout(() => this.retry(), wait).unref();
  }

  async #retry(): Promise<void> {
    this.#retrying = true;
    // Errors first, since the outbox may have room for a few reports only.
    const byPriority = [...this.#waiting].sort((a, b) => a.priority.localeCompare(b.priority));
    const tries = byPriority.map(async (report) => {
      await this.store.append(report.envelope);
      this.#remove(report);
    });
    if (this.#drops.length > 0) tries.push(this.#countDrops());
    const failed = (await Promise.allSettled(tries)).some(({ status }) => status === "rejected");
    this.#retrying = false;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (this.#isPending()) this.#schedule();
  }

  async #countDrops(): Promise<void> {
    const counted = this.#drops;
    this.#drops = [];
    await this.store.countDrops(counted).catch((error) => {
      this.#add(counted);
      throw error;
    });
  }
}
