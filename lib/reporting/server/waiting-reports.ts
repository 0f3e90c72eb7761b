import type { Category } from "@/lib/envelope/categories";
import { contentsOf, type Drops } from "@/lib/envelope/client-report";
import { log } from "@/lib/log";
import { backoff } from "@/lib/outbox/backoff";

/** What of the outbox the server's own reports need. */
export interface ReportStore {
  /** Stores one envelope, and settles once it is on disk. */
  append(envelope: Uint8Array): Promise<void>;
  /** Counts what was given up before it could be appended. */
  countDrops(drops: Drops[]): Promise<void>;
}

interface Report {
  envelope: Uint8Array;
  contents: Map<Category, number>;
}

const maxReports = 100;
const maxBytes = 1024 * 1024;
/** Failures in a row after which retries come no rarer: every 4 to 8 s. */
const rarestAfter = 4;

/**
 * The server's reports on their way into the outbox. What it can't take just now waits in memory,
 * within bounds, until it can; transactions make room for errors. What finds no room is counted,
 * and the outbox is told of it as soon as it can be.
 */
export class WaitingReports {
  readonly #waiting = new Set<Report>();
  readonly #givenUp = new Map<Category, number>();
  #bytes = 0;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #underWay = false;

  constructor(private readonly store: ReportStore) {}

  /** Settles once the report is on disk, waits, or was given up; never throws. */
  async add(envelope: Uint8Array): Promise<void> {
    try {
      await this.store.append(envelope);
    } catch (error) {
      const cause = String(error);
      // Trying again mends what is wrong with the outbox, not what is wrong with the report.
      if (isMalformed(error)) log("error", "server report lost", { cause });
      else this.#keep(envelope, cause);
    }
  }

  /** Hands to the outbox, before it returns, all that waits. */
  retry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#underWay && this.#isPending()) void this.#retry();
  }

  /** For the end of the process: logs what will never be stored. */
  tellLost(): void {
    if (!this.#isPending()) return;
    const dropped = [...this.#givenUp.values()].reduce((sum, quantity) => sum + quantity, 0);
    log("error", "server reports lost", { waiting: this.#waiting.size, dropped });
  }

  #isPending(): boolean {
    return this.#waiting.size > 0 || this.#givenUp.size > 0;
  }

  #keep(envelope: Uint8Array, cause: string): void {
    if (!this.#isPending()) log("error", "server reports wait", { cause });
    const report = { envelope, contents: contentsOf(envelope) };
    if (!isExpendable(report)) this.#makeRoom(envelope.length);
    if (this.#fits(envelope.length)) {
      this.#waiting.add(report);
      this.#bytes += envelope.length;
    } else this.#giveUp(report);
    if (!this.#underWay) this.#schedule();
  }

  #fits(bytes: number): boolean {
    return this.#waiting.size < maxReports && this.#bytes + bytes <= maxBytes;
  }

  #makeRoom(bytes: number): void {
    for (const report of this.#waiting) {
      if (this.#fits(bytes)) return;
      if (!isExpendable(report)) continue;
      this.#remove(report);
      this.#giveUp(report);
    }
  }

  #remove(report: Report): void {
    if (this.#waiting.delete(report)) this.#bytes -= report.envelope.length;
  }

  #giveUp({ contents }: Report): void {
    for (const [category, quantity] of contents) this.#addGivenUp(category, quantity);
  }

  #addGivenUp(category: Category, quantity: number): void {
    const sum = (this.#givenUp.get(category) ?? 0) + quantity;
    if (sum === 0) this.#givenUp.delete(category);
    else this.#givenUp.set(category, sum);
  }

  #schedule(): void {
    if (this.#timer) return;
    const wait = backoff(Math.min(this.#failures + 1, rarestAfter), Math.random());
    this.#timer = setTimeout(() => this.retry(), wait).unref();
  }

  async #retry(): Promise<void> {
    this.#underWay = true;
    const tries = [...this.#waiting].map(async (report) => {
      await this.store.append(report.envelope);
      this.#remove(report);
    });
    if (this.#givenUp.size > 0) tries.push(this.#countDrops());
    const failed = (await Promise.allSettled(tries)).some(({ status }) => status === "rejected");
    this.#underWay = false;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (this.#isPending()) this.#schedule();
  }

  async #countDrops(): Promise<void> {
    const given = [...this.#givenUp];
    const reason = "cache_overflow";
    await this.store.countDrops(
      given.map(([category, quantity]) => ({ reason, category, quantity })),
    );
    for (const [category, quantity] of given) this.#addGivenUp(category, -quantity);
  }
}

function isExpendable({ contents }: Report): boolean {
  return [...contents.keys()].every((category) => category === "transaction");
}

/** Not by class: the outbox may come from another instance of its module. */
function isMalformed(error: unknown): boolean {
  return error instanceof Error && "fault" in error && error.fault === "malformed";
}
