import { setImmediate as yieldToOthers } from "node:timers/promises";
import { type DestinationContext, type OpenDestination, oncePerMinute } from "@signpost/relay";
import { type ResolvedFrame, type ResolveOptions, resolveEvent } from "@signpost/relay/source-maps";
import type { ClaimedReport, Outcome, Statement } from "@signpost/relay/store";
import { digest, digestOf } from "./model/digest.ts";
import type { ErrorRecord } from "./model/error-records.ts";
import { findEvent, shownExceptions, shownFrames } from "./model/events.ts";
import { text } from "./model/fields.ts";
import { type Filing, fileStatements, filingOf, stackRow } from "./model/filed-statements.ts";
import { groupId, sourceFile, sourcePlace } from "./model/group-id.ts";
import { type FiledBounds, filedBounds, pruneLater } from "./pruning.ts";
import { writerLock } from "./tables.ts";

/** Only the build of `release` has the maps of its errors for sure. */
export interface FilingOptions
  extends Pick<DestinationContext, "driver" | "release" | "resolve" | "log"> {
  bounds?: FiledBounds;
}

const resolveTimeoutMs = 2_000;
/** How long an error waits for its stack, twice as long each time: for a minute. Then it is filed as it is. */
const firstWaitMs = 1000;
const maxLate = 6;
/** Of such events one is in memory: parsed, each can take fifty times its bytes. */
const largeBytes = 64 * 1024;
/** Bytes filed between two looks at the bounds: so much more can be there. */
const pruneBytes = 8 * 1024 * 1024;
/** What a report counts towards that beside its bytes. */
const reportBytes = 1024;

/**
 * The end of a report's way where no service is configured: keeps it for a while, and files what pages show
 * in rows that outlive it, with an error's stack resolved while the maps of its build are there.
 *
 * Rows and the report's removal from the outbox are one transaction, see `Destination.rows`, and an event has
 * one row: so nothing is there twice, whenever a process dies.
 */
export class InboxDestination implements OpenDestination<Filing> {
  readonly #options: Required<FilingOptions>;
  #turns: Promise<unknown> = Promise.resolve();
  #large: Promise<unknown> = Promise.resolve();
  #unpruned = 0;
  #pruning: Promise<void> = Promise.resolve();

  constructor({ log, ...options }: FilingOptions) {
    this.#options = { bounds: filedBounds, ...options, log: oncePerMinute(log) };
  }

  async deliver(report: ClaimedReport): Promise<Outcome<Filing>> {
    // What is filed meanwhile would be beyond the bounds.
    await this.#pruning;
    // Reports that come together are read in turns of their own.
    this.#turns = this.#turns.then(() => yieldToOthers());
    await this.#turns;
    try {
      const found = digest(report);
      const [error] = found.errors;
      const stack = error?.builtFrames ? await this.#inTurn(report, error) : undefined;
      if (stack !== "late") return this.#taken(filingOf(report, found, stack));
      // It is the maps that are late.
      return { kind: "later", ms: firstWaitMs * 2 ** report.attempts, whateverAge: true };
    } catch (error) {
      this.#options.log("warn", "report not filed", { cause: String(error) });
      return this.#taken(filingOf(report, digestOf({}, 1)));
    }
  }

  rows(filings: readonly Filing[]): Statement[] {
    return [writerLock(this.#options.driver.dialect), ...fileStatements(filings)];
  }

  close(): void {}

  prune(): Promise<void> {
    this.#unpruned = 0;
    const { driver, bounds, log } = this.#options;
    this.#pruning = this.#pruning.then(() => pruneLater(driver, bounds, log));
    return this.#pruning;
  }

  /** Counts it here: `rows` is asked again where its transaction fails. */
  #taken(filing: Filing): Outcome<Filing> {
    this.#unpruned += filing.bytes + reportBytes;
    if (this.#unpruned > pruneBytes) void this.prune();
    return { kind: "taken", value: filing };
  }

  #inTurn(report: ClaimedReport, error: ErrorRecord) {
    if (report.envelope.length <= largeBytes) return this.#resolve(report, error);
    // Read again when it is its turn.
    error.event = undefined;
    const resolving = this.#large.then(() => this.#resolve(report, error));
    this.#large = resolving.catch(() => {});
    return resolving;
  }

  /**
   * Finds the source of an error's stack, by which it is grouped.
   *
   * @returns the frames as the error's page shows them; nothing where none could be resolved
   */
  async #resolve(report: ClaimedReport, error: ErrorRecord) {
    const { event_id, release } = error.row;
    const event = error.event ?? findEvent(report, event_id)?.event;
    const options: ResolveOptions = {
      timeoutMs: resolveTimeoutMs,
      origin: report.origin,
      build: release,
      // In the maps of another build a server's file of the same name has other lines.
      onlyBuild: release !== undefined && release !== this.#options.release,
    };
    let found: ResolvedFrame[] = [];
    const resolved = await resolveEvent(event, options, async (frames, asked) => {
      found = await this.#options.resolve(frames, asked);
      return found;
    });
    const isLate = found.some((frame) => !frame.resolved && frame.late);
    if (isLate && report.attempts < maxLate) return "late" as const;
    // The exception that was reported comes last.
    const frames = found.slice(-error.builtFrames);
    const place = isLate ? undefined : sourcePlace(frames);
    if (place !== undefined) {
      error.row.group_id = groupId(error.identity, place);
      error.file = text(sourceFile(frames)) ?? error.file;
    }
    if (!resolved || resolved === event) return undefined;
    return stackRow(shownExceptions(resolved).map(shownFrames), report.receivedAt);
  }
}
