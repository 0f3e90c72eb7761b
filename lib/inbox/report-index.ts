import { setImmediate as afterOtherWork } from "node:timers/promises";
import type { Drops } from "@/lib/envelope/client-report";
import type { StoredReport } from "@/lib/outbox/outbox";
import { type Digest, digest } from "./digest";
import { type ErrorGroup, groupErrors } from "./error-groups";
import type { FeedbackRecord } from "./feedback-record";
import { type RoutePerformance, summarizeRoutes } from "./route-performance";

/** What the inbox needs of the outbox. */
export interface ReportSource {
  /** @returns reports with ids over `after`, ascending */
  list(which: { after: number; limit: number }): Promise<StoredReport[]> | StoredReport[];
  /** @returns nothing where no report is kept */
  oldestId(): Promise<number | undefined> | number | undefined;
  /** All that was given up. */
  drops(): Promise<Drops[]> | Drops[];
}

/** All that lies in the inbox at one moment. */
export interface Contents {
  /** Newest first. */
  errors: ErrorGroup[];
  routes: RoutePerformance[];
  /** Newest first. */
  feedback: FeedbackRecord[];
  /** How many reports are kept, those with nothing to show included. */
  reports: number;
  /** How many things in them couldn't be read. */
  unreadable: number;
  /** How many things in reports were given up: too old, or too many. */
  dropped: number;
}

/** Small enough that a page asked for in between hardly waits. */
const batch = 64;

/**
 * Knows what lies in the outbox without reading it anew at each look: takes in what came since the
 * last one, and lets go what the outbox has dropped.
 */
export class ReportIndex {
  readonly #source: ReportSource;
  #digests: Digest[] = [];
  #seen = 0;
  #contents: Contents | undefined;
  #looking: Promise<Contents> | undefined;

  constructor(source: ReportSource) {
    this.#source = source;
  }

  /** Looks through the outbox. Two looks at once share the work. */
  look(): Promise<Contents> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** @returns the stored report, or nothing if it has been dropped by now */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.#source.list({ after: id - 1, limit: 1 });
    return found?.id === id ? found : undefined;
  }

  async #look(): Promise<Contents> {
    await this.#drop();
    for (;;) {
      const reports = await this.#source.list({ after: this.#seen, limit: batch });
      for (const report of reports) this.#take(report);
      if (reports.length < batch) break;
      await afterOtherWork();
    }
    const drops = await this.#source.drops();
    const dropped = drops.reduce((sum, { quantity }) => sum + quantity, 0);
    this.#contents ??= summarize(this.#digests, dropped);
    if (this.#contents.dropped !== dropped) this.#contents = { ...this.#contents, dropped };
    return this.#contents;
  }

  async #drop(): Promise<void> {
    const oldest = (await this.#source.oldestId()) ?? Number.POSITIVE_INFINITY;
    const gone = this.#digests.findIndex((one) => one.id >= oldest);
    if (gone === 0 || this.#digests.length === 0) return;
    this.#digests = gone === -1 ? [] : this.#digests.slice(gone);
    this.#contents = undefined;
  }

  #take(report: StoredReport): void {
    this.#digests.push(digest(report));
    this.#seen = report.id;
    this.#contents = undefined;
  }
}

function summarize(digests: Digest[], dropped: number): Contents {
  return {
    errors: groupErrors(all(digests, "errors")),
    routes: summarizeRoutes(all(digests, "samples")),
    feedback: latestFirst(all(digests, "feedback")),
    reports: digests.length,
    unreadable: digests.reduce((sum, one) => sum + one.unreadable, 0),
    dropped,
  };
}

function* all<K extends "errors" | "samples" | "feedback">(
  digests: Digest[],
  kind: K,
): Generator<Digest[K][number]> {
  for (const one of digests) yield* one[kind];
}

function latestFirst(records: Iterable<FeedbackRecord>): FeedbackRecord[] {
  const byKey = new Map<string, FeedbackRecord>();
  for (const record of records) if (!byKey.has(record.key)) byKey.set(record.key, record);
  return [...byKey.values()].sort((a, b) => b.at - a.at);
}
