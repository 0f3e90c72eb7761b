import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Drops } from "@/lib/envelope/client-report";
import type { OldestIds, StoredReport } from "@/lib/outbox/outbox";
import { digest, unreadableDigest } from "./digest";
import { KeptDigests, maxMemory } from "./kept-digests";
import { readOrSkip } from "./read-or-skip";
import { type RoutePerformance, summarizeRoutes } from "./route-performance";
import type { Unshown } from "./unshown";
import type { Visit } from "./visits";

/** What the inbox needs of the outbox. */
export interface ReportSource {
  /** @returns reports with ids over `after`, ascending */
  list(range: { after: number; limit: number }): Promise<StoredReport[]>;
  /** A report with a smaller id than the oldest of its kind has been dropped. */
  oldestIds(): Promise<OldestIds>;
  /** Of all reports: others than the oldest may have been dropped too. */
  ids(): Promise<number[]>;
  /** All reports and records that were dropped since the outbox was created. */
  drops(): Promise<Drops[]>;
}

/** What is in the inbox at one moment, but for errors and feedback: those are filed, see `Filer`. */
export interface Contents {
  routes: RoutePerformance[];
  /** In order of arrival. */
  visits: Visit[];
  /** Number of reports kept, including those with nothing to show. */
  reports: number;
  /** Number of items of kinds that are not shown. */
  unshown: Unshown;
  /** Number of items that could not be read. */
  unreadable: number;
  /** Number of measurements that are stored, but have no room in memory. */
  left: number;
  /** Number of items that were dropped because they were too old or too many. */
  dropped: number;
}

type RecordPart = "routes" | "visits";

/** Reports read at once: as few as 2 MB each take little memory, and other requests hardly wait. */
const batchSize = 16;
/** How long reports are digested before other requests have their turn: one can be a megabyte. */
const maxTurnMs = 10;

/**
 * Keeps a digest of every report in the outbox. Each look reads only the reports that are new, and
 * forgets those that the outbox has dropped.
 */
export class ReportIndex {
  readonly #source: ReportSource;
  readonly #digests: KeptDigests;
  #lastId = 0;
  #contents: Contents | undefined;
  /** Parts of the contents: each is made anew when something has come or gone that it is made of. */
  readonly #parts: Pick<Contents, RecordPart> = {
    routes: [],
    visits: [],
  };
  /** The look that runs now, or the last one that did. */
  #last: Promise<unknown> = Promise.resolve();
  /** The look that begins when the last one has ended. */
  #next: Promise<Contents> | undefined;

  /** @param maxSize of measurements in memory, in bytes */
  constructor(source: ReportSource, maxSize = maxMemory) {
    this.#source = source;
    this.#digests = new KeptDigests(maxSize);
  }

  /**
   * Looks through the outbox. What was stored before the call is in the result.
   *
   * Only one look runs at a time, so no report is read twice. Calls during a look share the next
   * one: the running look may have read the outbox before their reports were stored.
   */
  look(): Promise<Contents> {
    const start = () => {
      this.#next = undefined;
      const running = this.#update();
      this.#last = running;
      return running;
    };
    this.#next ??= this.#last.then(start, start);
    return this.#next;
  }

  /** @returns the stored report, or nothing if it has been dropped by now */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.#source.list({ after: id - 1, limit: 1 });
    return found?.id === id ? found : undefined;
  }

  async #update(): Promise<Contents> {
    for (;;) {
      const reports = await this.#source.list({ after: this.#lastId, limit: batchSize });
      let start = performance.now();
      for (const report of reports) {
        this.#add(report);
        if (performance.now() - start < maxTurnMs) continue;
        await yieldToOthers();
        start = performance.now();
      }
      if (reports.length > 0) await yieldToOthers();
      if (reports.length < batchSize) break;
    }
    // Last, since reports just read may have been dropped in the meantime.
    const oldest = await this.#source.oldestIds();
    this.#digests.forgetBefore(oldest);
    if (this.#digests.size > oldest.reports) {
      this.#digests.forgetAllBut(new Set(await this.#source.ids()));
    }
    const drops = await this.#source.drops();
    const dropped = drops.reduce((sum, { quantity }) => sum + quantity, 0);
    const contents = await this.#summarize(dropped);
    if (!this.#contents || !isSame(contents, this.#contents)) this.#contents = contents;
    return this.#contents;
  }

  #add(report: StoredReport): void {
    // First, since whatever is in a report, it is read once.
    this.#lastId = report.id;
    const kept = readOrSkip(report, digest) ?? unreadableDigest(report);
    this.#digests.add(kept);
  }

  /** Others have their turn between its parts. */
  async #summarize(dropped: number): Promise<Contents> {
    const digests = this.#digests;
    const changed = digests.takeChanges();
    const parts = this.#parts;
    if (changed.has("visits")) parts.visits = digests.all("visits");
    if (changed.has("visits") || changed.has("samples")) {
      parts.routes = summarizeRoutes(digests.all("samples"), parts.visits);
      await yieldToOthers();
    }
    return {
      ...parts,
      reports: digests.size,
      unshown: digests.unshown,
      unreadable: digests.unreadable,
      left: digests.left,
      dropped,
    };
  }
}

function isSame(a: Contents, b: Contents): boolean {
  return (Object.keys(a) as (keyof Contents)[]).every((part) => a[part] === b[part]);
}
