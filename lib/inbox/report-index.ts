import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Drops } from "@/lib/envelope/client-report";
import type { OldestIds, StoredReport } from "@/lib/outbox/outbox";
import { type FrameResolver, resolveFrames } from "@/lib/stacks/resolve-frames";
import { type Digest, digest } from "./digest";
import { type ErrorGroup, groupErrors } from "./error-groups";
import { ErrorStacks } from "./error-stacks";
import { type FeedbackMessage, newestFirst } from "./feedback-messages";
import { type RoutePerformance, summarizeRoutes } from "./route-performance";
import type { Visit } from "./visits";

/** What the inbox needs of the outbox. */
export interface ReportSource {
  /** @returns reports with ids over `after`, ascending */
  list(range: { after: number; limit: number }): Promise<StoredReport[]>;
  /** A report with a smaller id than the oldest of its kind has been dropped. */
  oldestIds(): Promise<OldestIds>;
  /** All reports and records that were dropped since the outbox was created. */
  drops(): Promise<Drops[]>;
}

/** Everything in the inbox at one moment. */
export interface Contents {
  /** Newest first. */
  errors: ErrorGroup[];
  routes: RoutePerformance[];
  /** In order of arrival. */
  visits: Visit[];
  /** Newest first. */
  feedback: FeedbackMessage[];
  /** Number of reports kept, including those with nothing to show. */
  reports: number;
  /** Number of items that could not be read. */
  unreadable: number;
  /** Number of items that were dropped because they were too old or too many. */
  dropped: number;
}

/** Reports read at once; small, so that other requests hardly wait. */
const batchSize = 64;
/** How long a look waits for the stacks of new errors. Groups of those that take longer change later. */
const maxResolveMs = 200;
/** How long reports are digested before other requests have their turn: one can be a megabyte. */
const maxTurnMs = 10;

/**
 * Keeps a digest of every report in the outbox. Each look reads only the reports that are new, and
 * forgets those that the outbox has dropped.
 */
export class ReportIndex {
  readonly #source: ReportSource;
  readonly #stacks: ErrorStacks;
  /** Errors that had moved to another group when the contents were made. */
  #moves = 0;
  #digests: Digest[] = [];
  #lastId = 0;
  #contents: Contents | undefined;
  /** Parts of the contents, as long as nothing has come or gone that they are made of. */
  readonly #parts: { errors?: ErrorGroup[] | undefined; visits?: VisitParts | undefined } = {};
  /** The look that runs now, or the last one that did. */
  #last: Promise<unknown> = Promise.resolve();
  /** The look that begins when the last one has ended. */
  #next: Promise<Contents> | undefined;

  constructor(source: ReportSource, resolver: FrameResolver = resolveFrames) {
    this.#source = source;
    this.#stacks = new ErrorStacks(resolver);
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
      if (reports.length < batchSize) break;
      await yieldToOthers();
    }
    await this.#stacks.resolve(maxResolveMs);
    // Last, since reports just read may have been dropped in the meantime.
    this.#forgetBefore(await this.#source.oldestIds());
    const drops = await this.#source.drops();
    const dropped = drops.reduce((sum, { quantity }) => sum + quantity, 0);
    if (this.#moves !== this.#stacks.moves) {
      this.#contents = undefined;
      this.#parts.errors = undefined;
    }
    this.#moves = this.#stacks.moves;
    this.#contents ??= this.#summarize(dropped);
    if (this.#contents.dropped !== dropped) this.#contents = { ...this.#contents, dropped };
    return this.#contents;
  }

  #add(report: StoredReport): void {
    const kept = digest(report);
    this.#digests.push(kept);
    for (const error of kept.errors) this.#stacks.add(error);
    this.#lastId = report.id;
    this.#outdate([kept]);
  }

  #forgetBefore({ important, expendable }: OldestIds): void {
    const isKept = (one: Digest) =>
      one.id >= ((one.expendable ? expendable : important) ?? Number.POSITIVE_INFINITY);
    const gone = this.#digests.filter((one) => !isKept(one));
    if (gone.length === 0) return;
    this.#digests = this.#digests.filter(isKept);
    this.#outdate(gone);
  }

  /** @param changed digests that have come or gone */
  #outdate(changed: Digest[]): void {
    this.#contents = undefined;
    for (const { errors, samples, visits } of changed) {
      if (errors.length > 0) this.#parts.errors = undefined;
      if (samples.length > 0 || visits.length > 0) this.#parts.visits = undefined;
    }
  }

  #summarize(dropped: number): Contents {
    const digests = this.#digests;
    this.#parts.errors ??= groupErrors(all(digests, "errors"));
    this.#parts.visits ??= summarizeVisits(digests);
    return {
      errors: this.#parts.errors,
      ...this.#parts.visits,
      feedback: newestFirst(all(digests, "feedback")),
      reports: digests.length,
      unreadable: digests.reduce((sum, one) => sum + one.unreadable, 0),
      dropped,
    };
  }
}

type VisitParts = Pick<Contents, "routes" | "visits">;

function summarizeVisits(digests: Digest[]): VisitParts {
  const visits = all(digests, "visits");
  return { routes: summarizeRoutes(all(digests, "samples"), visits), visits };
}

/** Plain loops: this runs over all digests whenever one of them has come. */
function all<K extends "errors" | "samples" | "visits" | "feedback">(
  digests: Digest[],
  kind: K,
): Digest[K] {
  const found: Digest[K][number][] = [];
  for (const one of digests) for (const record of one[kind]) found.push(record);
  return found as Digest[K];
}
