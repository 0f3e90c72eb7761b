import { setTimeout as delay, setImmediate as yieldToOthers } from "node:timers/promises";
import { log, oncePerMinute } from "@/lib/log";
import { isOutboxError, type StoredReport } from "@/lib/outbox/outbox";
import type { Rows, Statement } from "@/lib/outbox/rows";
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
  setAside,
  stackRow,
  unresolvedRow,
  variantRow,
} from "./filed-statements";
import { groupId, sourceFile, sourcePlace } from "./group-id";
import { ReportClaims } from "./report-claims";

export interface FilerOptions {
  /** The release that this process runs: only its build has the maps of its errors for sure. */
  release: string;
  resolver?: FrameResolver;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** How long a claim outlives its process, in milliseconds. */
  leaseMs?: number;
}

/** How often it looks for new reports by itself. */
const intervalMs = 1000;
/** Errors whose stacks are resolved at the same time: parsed, each can take several times its bytes. */
const maxResolving = 8;
/** Longer than a batch takes. */
const defaultLeaseMs = 30_000;
/**
 * How long an error waits for a server that runs its release, or for its stack to be resolved. After
 * that it is filed with the frames as they are.
 */
const maxWaitMs = 60_000;
/** Until an error is tried again whose stack could not be resolved in time, and how many may wait. */
const lateMs = 2_000;
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
  report: StoredReport;
  error: ErrorRecord;
  /** All but the error. */
  filing: Filing;
}

/** What is written about a report that is not filed: why, or that others may try. */
interface Unfiled {
  id: number;
  statement: Statement;
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
  readonly #now: () => number;
  #bounded = Number.NEGATIVE_INFINITY;
  #writtenSince = 0;
  #hasReopened = false;
  /** What is ready to be written. */
  #filings: (Filing | Unfiled)[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #resolving = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(rows: Rows, options: FilerOptions) {
    const { release, resolver = resolveFrames, now = Date.now, leaseMs = defaultLeaseMs } = options;
    this.#rows = rows;
    this.#claims = new ReportClaims(rows, { now, leaseMs });
    this.#release = release;
    this.#resolver = resolver;
    this.#now = now;
  }

  /** Files by itself from now on. */
  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.file(), intervalMs);
    this.#timer.unref();
    void this.file();
  }

  /**
   * Files what can be filed at once, and nothing by itself any more.
   *
   * @param maxMs maximum time
   */
  async stop(maxMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.file(maxMs);
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
    const done = new AbortController();
    const time = delay(maxMs, undefined, { signal: done.signal }).catch(() => {});
    await Promise.race([filed, time]);
    done.abort();
  }

  async #fileAll(): Promise<void> {
    await this.#reopen().catch(logFailure);
    try {
      let isMore = true;
      while (isMore) {
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
    if (found) await this.#rows.change(reopenStatements(this.#release));
    this.#hasReopened = true;
  }

  /** @returns whether there may be more */
  async #fileSome(): Promise<boolean> {
    const { reports, isLast } = await this.#claims.next();
    const unresolved: Unresolved[] = [];
    for (const report of reports) {
      await yieldToOthers();
      const read = this.#read(report);
      if ("report" in read) unresolved.push(read);
      else this.#filings.push(read);
      if (measurementsIn(this.#filings) > maxTogether) await this.#write();
    }
    await this.#write();
    for (const read of unresolved) await this.#startResolving(read);
    return !isLast;
  }

  #read(report: StoredReport): Filing | Unfiled | Unresolved {
    try {
      const found = digest(report);
      const filing = filingOf(report, found);
      const [error] = found.errors;
      if (error?.isBuilt) return { report, error, filing };
      if (!error) return filing;
      return { ...filing, errors: [errorRow(error, undefined)], variants: [variantRow(error)] };
    } catch (error) {
      return notFiled(report.id, error);
    }
  }

  /** Others are filed meanwhile, as long as few are being resolved. */
  async #startResolving(read: Unresolved): Promise<void> {
    while (this.#resolving.size >= maxResolving) await Promise.race(this.#resolving);
    const resolving = this.#fileResolved(read).catch(logFailure);
    this.#resolving.add(resolving);
    void resolving.then(() => this.#resolving.delete(resolving));
  }

  async #fileResolved(read: Unresolved): Promise<void> {
    const filing = await this.#resolve(read).catch((error) => notFiled(read.report.id, error));
    this.#filings.push(filing);
    await this.#write();
  }

  /** @returns what files the report, or frees it where it is to wait */
  async #resolve({ report, error, filing }: Unresolved): Promise<Filing | Unfiled> {
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
    const mayWait = error.stack !== undefined && this.#now() < waitsUntil;
    if (found === "late" && mayWait && this.#claims.deferred < maxLate) {
      return this.#defer(report.id, Math.min(this.#now() + lateMs, waitsUntil));
    }
    if (found === undefined && isForeign && mayWait && this.#claims.deferred < maxForeign) {
      return this.#defer(report.id, waitsUntil);
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

  #defer(id: number, until: number): Unfiled {
    return { id, statement: this.#claims.defer(id, until) };
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
      this.#now(),
    );
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
      await this.#change(ready);
    } catch (error) {
      if (!isMalformed(error)) throw error;
      for (const one of ready) await this.#writeAlone(one);
    }
  }

  async #writeAlone(one: Filing | Unfiled): Promise<void> {
    try {
      await this.#change([one]);
    } catch (error) {
      if (!isMalformed(error)) throw error;
      await this.#change([notFiled(one.id, error)]);
    }
  }

  async #change(some: readonly (Filing | Unfiled)[]): Promise<void> {
    const filings = some.flatMap((one) => ("statement" in one ? [] : [one]));
    const others = some.flatMap((one) => ("statement" in one ? [one.statement] : []));
    const all = [...(filings.length > 0 ? fileStatements(filings) : []), ...others];
    for (const { values = [] } of all) {
      for (const value of values)
        this.#writtenSince += typeof value === "string" ? value.length : 8;
    }
    await this.#rows.change(all);
  }

  async #bound(): Promise<void> {
    const now = this.#now();
    if (now - this.#bounded < boundMs && this.#writtenSince < maxUnbounded) return;
    this.#bounded = now;
    this.#writtenSince = 0;
    await pruneRows(this.#rows, filedBounds, now);
  }
}

function measurementsIn(some: readonly (Filing | Unfiled)[]): number {
  return some.reduce((sum, one) => sum + ("statement" in one ? 0 : one.measurements.length), 0);
}

function notFiled(id: number, error: unknown): Unfiled {
  logRepeated("warn", "report not filed", { cause: String(error) });
  return { id, statement: setAside(id, error instanceof Error ? error.name : "Error") };
}

/** The outbox says for itself when it can't be used. */
function logFailure(error: unknown): void {
  logRepeated("warn", "reports not filed", { cause: String(error) });
}

function isMalformed(error: unknown): boolean {
  return isOutboxError(error) && error.fault === "malformed";
}
