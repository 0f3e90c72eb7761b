import { setImmediate as yieldToOthers } from "node:timers/promises";
import { atMost } from "@/lib/at-most";
import { log, oncePerMinute } from "@/lib/log";
import { backoff } from "@/lib/outbox/backoff";
import { type Claimed, claimBytes, isOutboxError, type StoredReport } from "@/lib/outbox/outbox";
import type { Rows } from "@/lib/outbox/rows";
import { resolveEvent } from "@/lib/source-maps/resolve-event";
import {
  type FrameResolver,
  type ResolveOptions,
  resolveFrames,
} from "@/lib/source-maps/resolve-frames";
import { digest } from "./digest";
import type { ErrorRecord } from "./error-records";
import { eventDetail, findEvent } from "./event-detail";
import { text } from "./fields";
import { filedBounds, pruneRows } from "./filed-bounds";
import {
  errorRow,
  type Filing,
  fileStatements,
  filingOf,
  reopenStatements,
  stackRow,
  unresolvedRow,
  variantRow,
} from "./filed-statements";
import { groupId, sourceFile, sourcePlace } from "./group-id";
import { maxClaimMs, ReportClaims } from "./report-claims";

export interface FilerOptions {
  /** The release that this process runs: only its build has the maps of its errors for sure. */
  release: string;
  resolver?: FrameResolver;
  /** How long a claim outlives its process, in milliseconds. */
  leaseMs?: number;
}

/** How long stopping waits for a database that doesn't answer. */
const lastAnswerMs = 1000;
/** How often it looks for new reports by itself. */
const intervalMs = 1000;
/** Reports that are claimed at once, as far as `claimBytes` allows. What is resolved is written together. */
const batchSize = 32;
/** Errors whose stacks are resolved at the same time: parsed, each can take several times its bytes. */
const maxResolving = batchSize;
const maxResolvingBytes = 2 * claimBytes;
/** Longer than a batch takes. */
const defaultLeaseMs = 30_000;
/**
 * How long an error waits for a server that runs its release, or for its stack to be resolved. After
 * that it is filed with the frames as they are.
 */
const maxWaitMs = 60_000;
/** Errors that wait as their stacks could not be resolved in time. */
const maxLate = 100;
/** Errors that wait for a server of their release, which any client can make up. */
const maxForeign = 1_000;
const resolveTimeoutMs = 2_000;
/** More where the thread that reads maps has to start first. */
const resolverStartMs = 5_000;
/** Measurements in one transaction, unless one report has more. */
const maxTogether = 60;
/** Time, and bytes written, between two looks at the bounds. */
const boundMs = 60_000;
const maxUnbounded = 4 * 1024 * 1024;

const logRepeated = oncePerMinute(log);

/** A report whose error's stack has yet to be resolved. */
interface Unresolved {
  report: Claimed;
  error: ErrorRecord;
  /** All but the error. */
  filing: Filing;
}

/** A report whose error is to wait. */
interface Waiting {
  /** Ends the claim until then. */
  wait(): Promise<void>;
}

/**
 * Files reports: reads each new one once, resolves the stack of its error while the maps of its build
 * are there, and keeps what pages show in rows that outlive the report. The report itself stays in the
 * outbox.
 *
 * Any number of processes may share the work. Each claims what it files, for a while: so what a
 * process was filing as it died is filed by another, or by the next. Rows and the end of the claim
 * are one transaction, and an event has one row, so nothing is missing and nothing is there twice.
 */
export class Filer {
  readonly #rows: Rows;
  readonly #claims: ReportClaims;
  readonly #release: string;
  readonly #resolver: FrameResolver;
  #bounded = 0;
  #writtenSince = 0;
  #hasReopened = false;
  #hasEnded = false;
  /** What is ready to be written. */
  #filings: Filing[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #resolving = new Set<Promise<void>>();
  #resolvingBytes = 0;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(rows: Rows, options: FilerOptions) {
    const { release, resolver = resolveFrames, leaseMs = defaultLeaseMs } = options;
    this.#rows = rows;
    this.#claims = new ReportClaims(rows, leaseMs);
    this.#release = release;
    this.#resolver = resolver;
  }

  /** Files by itself from now on. */
  start(): void {
    if (this.#timer) return;
    this.#hasEnded = false;
    this.#timer = setInterval(() => void this.file(), intervalMs);
    this.#timer.unref();
    void this.file();
  }

  /**
   * Files what can be filed at once, and nothing by itself any more. Other processes may file the
   * rest.
   *
   * @param maxMs maximum time for that; a database that doesn't answer takes a second more
   */
  async stop(maxMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.file(maxMs);
    this.#hasEnded = true;
    await atMost(lastAnswerMs, this.#claims.release().catch(logFailure));
  }

  /**
   * Files what was stored before the call, but for what waits for another server or for its stack.
   * Never rejects: what can't be filed now is filed later.
   *
   * @param maxMs after which the rest is left to itself, in milliseconds
   */
  async file(maxMs?: number): Promise<void> {
    const start = () => {
      this.#next = undefined;
      this.#last = this.#fileAll();
      return this.#last;
    };
    this.#next ??= this.#last.then(start);
    const filed = this.#next.then(() => Promise.all(this.#resolving));
    if (maxMs === undefined) return void (await filed);
    await atMost(maxMs, filed);
  }

  async #fileAll(): Promise<void> {
    await this.#reopen().catch(logFailure);
    try {
      let isMore = true;
      while (isMore && !this.#hasEnded) {
        isMore = await this.#fileSome();
        await this.#bound();
      }
    } catch (error) {
      logFailure(error);
    }
  }

  /** Once, as the build of a process stays the same. */
  async #reopen(): Promise<void> {
    if (this.#hasReopened) return;
    const [found] = await this.#rows.select({
      text: "select 1 from {unresolved} where release = $1 limit 1",
      values: [this.#release],
    });
    if (found) {
      // For this process alone: a server of another release would file them as they came again.
      const claim = { by: this.#claims.me, until: (await this.#rows.now()) + maxClaimMs };
      await this.#rows.change(reopenStatements(this.#release, claim));
    }
    this.#hasReopened = true;
  }

  /** @returns whether there may be more */
  async #fileSome(): Promise<boolean> {
    const reports = await this.#claims.claim({ limit: batchSize });
    const unresolved: Unresolved[] = [];
    try {
      for (const report of reports) {
        await yieldToOthers();
        const read = await this.#read(report);
        if (read && "report" in read) unresolved.push(read);
        else if (read) this.#filings.push(read);
        if (measurementsIn(this.#filings) > maxTogether) await this.#write();
      }
      await this.#write();
    } catch (error) {
      this.#claims.forget(reports.map(({ id }) => id));
      throw error;
    }
    for (const read of unresolved) await this.#startResolving(read);
    return reports.length > 0;
  }

  /** @returns what has no stack to resolve, or an error that has one; nothing where it can't be read */
  async #read(report: Claimed): Promise<Filing | Unresolved | undefined> {
    try {
      const found = digest(report);
      const filing = filingOf(report, found);
      const [error] = found.errors;
      if (error?.isBuilt) return { report, error, filing };
      if (!error) return filing;
      return { ...filing, errors: [errorRow(error, undefined)], variants: [variantRow(error)] };
    } catch (error) {
      await this.#setAside(report.id, error);
      return undefined;
    }
  }

  /** Others are filed meanwhile, as long as few are being resolved. */
  async #startResolving(read: Unresolved): Promise<void> {
    const isFull = () =>
      this.#resolving.size >= maxResolving || this.#resolvingBytes >= maxResolvingBytes;
    while (isFull()) await Promise.race(this.#resolving);
    const bytes = read.report.envelope.length;
    this.#resolvingBytes += bytes;
    const resolving = this.#fileResolved(read)
      .catch(logFailure)
      .then(() => {
        this.#resolving.delete(resolving);
        this.#resolvingBytes -= bytes;
      });
    this.#resolving.add(resolving);
  }

  async #fileResolved(read: Unresolved): Promise<void> {
    const { id } = read.report;
    try {
      const filing = await this.#resolve(read).catch((error) => this.#setAside(id, error));
      if (filing && "wait" in filing) await filing.wait();
      else if (filing) await this.#writeWith(filing);
    } catch (error) {
      this.#claims.forget([id]);
      throw error;
    }
  }

  async #resolve({ report, error, filing }: Unresolved): Promise<Filing | Waiting> {
    const waitsUntil = report.receivedAt + maxWaitMs;
    const isForeign = error.release !== undefined && error.release !== this.#release;
    const options: ResolveOptions = {
      timeoutMs: resolveTimeoutMs,
      startMs: resolverStartMs,
      origin: report.origin,
      build: error.release,
      // In the maps of another build a server's file of the same name has other lines.
      onlyBuild: isForeign,
    };
    const found = await this.#place(error, options);
    const left = error.stack === undefined ? 0 : waitsUntil - this.#claims.now;
    if (found === "late" && left > 0 && this.#claims.waiting < maxLate) {
      const retryAfterMs = Math.min(backoff(report.failures + 1, Math.random()), left);
      return { wait: () => this.#claims.requeue(report.id, retryAfterMs) };
    }
    if (found === undefined && isForeign && left > 0 && this.#claims.waiting < maxForeign) {
      return { wait: () => this.#claims.leaveToOthers(report.id, left) };
    }
    if (found && found !== "late") {
      error.group = groupId(found.identity, found.place);
      error.file = text(found.file) ?? error.file;
    }
    const stack = await this.#stack(report, error, options);
    const isUnresolved = error.stack && (found === undefined ? isForeign : found === "late");
    const { release } = error;
    return {
      ...filing,
      errors: [errorRow(error, stack?.id)],
      variants: [variantRow(error)],
      stacks: stack ? [stack] : [],
      unresolved: isUnresolved && release !== undefined ? [unresolvedRow(error, release)] : [],
    };
  }

  /** @returns nothing where the source of the stack is not known */
  async #place({ stack }: ErrorRecord, options: ResolveOptions) {
    if (!stack) return undefined;
    const resolved = await this.#resolver(stack.frames, options);
    if (resolved.some((frame) => !frame.resolved && frame.late)) return "late" as const;
    const place = sourcePlace(resolved);
    const file = sourceFile(resolved);
    return place === undefined ? undefined : { identity: stack.identity, place, file };
  }

  /** The frames as the error's page shows them. @returns nothing where none could be resolved */
  async #stack(report: StoredReport, { eventId }: ErrorRecord, options: ResolveOptions) {
    const event = findEvent(report, eventId)?.event;
    if (!event) return undefined;
    const resolved = await resolveEvent(event, options, this.#resolver);
    if (resolved === event) return undefined;
    return stackRow(
      eventDetail(eventId, resolved).exceptions.map(({ frames }) => frames),
      this.#claims.now,
    );
  }

  #writeWith(filing: Filing): Promise<void> {
    this.#filings.push(filing);
    return this.#write();
  }

  /** Writes what is ready, together. What becomes ready meanwhile is written next. */
  #write(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#writeTogether());
    return this.#writing;
  }

  /** In one transaction; if the database refuses one of them, each in its own. */
  async #writeTogether(): Promise<void> {
    const ready = this.#filings;
    this.#filings = [];
    if (ready.length === 0) return;
    try {
      await this.#ack(ready).catch(async (error) => {
        if (!isMalformed(error)) throw error;
        for (const one of ready) await this.#writeAlone(one);
      });
    } catch (error) {
      this.#claims.forget(ready.map(({ id }) => id));
      throw error;
    }
  }

  async #writeAlone(one: Filing): Promise<void> {
    await this.#ack([one]).catch(async (error) => {
      if (!isMalformed(error)) throw error;
      await this.#setAside(one.id, error);
    });
  }

  async #ack(filings: readonly Filing[]): Promise<void> {
    const statements = fileStatements(filings);
    for (const value of statements.flatMap(({ values = [] }) => values)) {
      this.#writtenSince += typeof value === "string" ? value.length : 8;
    }
    await this.#claims.ack(
      filings.map(({ id }) => id),
      statements,
    );
  }

  /** The report fails alone. */
  async #setAside(id: number, error: unknown): Promise<undefined> {
    logRepeated("warn", "report not filed", { cause: String(error) });
    await this.#claims.ackFault(id, error instanceof Error ? error.name : "Error");
  }

  async #bound(): Promise<void> {
    const { now } = this.#claims;
    if (Math.abs(now - this.#bounded) < boundMs && this.#writtenSince < maxUnbounded) return;
    this.#bounded = now;
    this.#writtenSince = 0;
    await pruneRows(this.#rows, filedBounds, now);
  }
}

function measurementsIn(filings: readonly Filing[]): number {
  return filings.reduce((sum, { measurements }) => sum + measurements.length, 0);
}

/** The outbox says for itself when it can't be used. */
function logFailure(error: unknown): void {
  logRepeated("warn", "reports not filed", { cause: String(error) });
}

function isMalformed(error: unknown): boolean {
  return isOutboxError(error) && error.fault === "malformed";
}
