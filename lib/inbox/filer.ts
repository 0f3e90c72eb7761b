import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay, setImmediate as yieldToOthers } from "node:timers/promises";
import { categorySet } from "@/lib/envelope/categories";
import { log, oncePerMinute } from "@/lib/log";
import { isOutboxError, type StoredReport } from "@/lib/outbox/outbox";
import type { Rows, Statement, Value } from "@/lib/outbox/rows";
import { resolveEvent } from "@/lib/stacks/resolve-event";
import {
  type FrameResolver,
  type ResolveOptions,
  resolveFrames,
} from "@/lib/stacks/resolve-frames";
import { digest } from "./digest";
import type { ErrorRecord } from "./error-records";
import { eventDetail, type Frame, findEvent } from "./event-detail";
import type { FeedbackMessage } from "./feedback-messages";
import { text } from "./fields";
import { filedBounds, pruneRows } from "./filed-bounds";
import { groupId, sourceFile, sourcePlace } from "./group-id";

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
/** Reports that are read at once: each can have 2 MB. */
const batchSize = 16;
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
const resolveTimeoutMs = 2_000;
/** More where the thread that reads maps has to start first. */
const resolverStartMs = 5_000;
/** How often it looks for reports that another process has claimed or freed, and has not filed. */
const unfinishedMs = 5_000;
/** Time, and number of reports filed, between two looks at the bounds. */
const boundMs = 60_000;
const maxFiledUnbounded = 1_000;

const filedCategories = categorySet(["error", "feedback"]);
const logRepeated = oncePerMinute(log);

interface Waiting {
  id: number;
}

/** What is to be written about one report. */
interface Filing {
  id: number;
  statements: Statement[];
}

/** All of a report but its error, whose stack has yet to be resolved. */
interface Unresolved extends Filing {
  report: StoredReport;
  error: ErrorRecord;
}

/**
 * Files errors and feedback: reads each new report once, resolves its stack while the maps of its
 * build are there, and keeps what pages show in rows that outlive the report. The report itself stays
 * in the outbox.
 *
 * Any number of processes may share the work. Each claims what it files, for a while: so what a
 * process was filing as it died is filed by another, or by the next. Rows and the end of the claim
 * are one transaction, and an event has one row, so nothing is missing and nothing is there twice.
 */
export class Filer {
  readonly #rows: Rows;
  readonly #release: string;
  readonly #resolver: FrameResolver;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #me = randomUUID();
  /** Reports up to this id are filed, or are deferred. */
  #cursor = 0;
  #lookedForUnfinished = Number.NEGATIVE_INFINITY;
  /** Reports that wait for other servers or for the resolver, and when they are tried again. */
  readonly #deferred = new Map<number, number>();
  #bounded = Number.NEGATIVE_INFINITY;
  #filedSince = 0;
  /** What is ready to be written. */
  readonly #filings: Filing[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #resolving = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(rows: Rows, options: FilerOptions) {
    const { release, resolver = resolveFrames, now = Date.now, leaseMs = defaultLeaseMs } = options;
    this.#rows = rows;
    this.#release = release;
    this.#resolver = resolver;
    this.#now = now;
    this.#leaseMs = leaseMs;
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
    try {
      while (await this.#fileSome()) await yieldToOthers();
      await this.#bound();
    } catch (error) {
      logFailure(error);
    }
  }

  /** @returns whether there may be more */
  async #fileSome(): Promise<boolean> {
    const now = this.#now();
    await this.#tryAgain(now);
    const [newest] = await this.#rows.select<{ id: number | null }>({
      text: "select max(id) as id from {reports}",
    });
    const waiting = await this.#waiting(now);
    const some = waiting.filter(({ id }) => !this.#deferred.has(id));
    const claimed = some.length > 0 ? await this.#claim(some, now) : [];
    const isLast = waiting.length < batchSize;
    this.#cursor = Math.max(this.#cursor, (isLast ? newest?.id : waiting.at(-1)?.id) ?? 0);
    const unresolved: Unresolved[] = [];
    for (const report of claimed) {
      await yieldToOthers();
      const read = this.#read(report);
      if ("error" in read) unresolved.push(read);
      else this.#filings.push(read);
    }
    await this.#write();
    for (const read of unresolved) await this.#startResolving(read);
    return !isLast;
  }

  async #tryAgain(now: number): Promise<void> {
    if (now - this.#lookedForUnfinished >= unfinishedMs) {
      this.#lookedForUnfinished = now;
      const [first] = await this.#rows.select<{ id: number | null }>({
        text: "select min(report_id) as id from {filings} where done = 0",
      });
      this.#cursor = Math.min(this.#cursor, (first?.id ?? Number.POSITIVE_INFINITY) - 1);
    }
    for (const [id, at] of this.#deferred) {
      if (at > now) continue;
      this.#deferred.delete(id);
      this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  #waiting(now: number): Promise<Waiting[]> {
    return this.#rows.select<Waiting>({
      text: `select id from {reports} as r
        where id > $1 and categories & ${filedCategories} <> 0 and not exists (
          select 1 from {filings} as f where f.report_id = r.id and (f.done = 1 or f.free_at > $2))
        order by id limit ${batchSize}`,
      values: [this.#cursor, now],
    });
  }

  /** @returns those that no other process has claimed */
  async #claim(some: readonly Waiting[], now: number): Promise<StoredReport[]> {
    const ids = some.map(({ id }) => id);
    const rows = ids.map((_, i) => `($${i + 4}, $1, $2, 0)`).join(", ");
    await this.#rows.change([
      {
        text: `insert into {filings} as f (report_id, claimed_by, free_at, done) values ${rows}
          on conflict (report_id) do update
            set claimed_by = excluded.claimed_by, free_at = excluded.free_at
            where f.done = 0 and f.free_at <= $3`,
        values: [this.#me, now + this.#leaseMs, now, ...ids],
      },
    ]);
    return this.#rows.select<StoredReport>({
      text: `select id, received_at as "receivedAt", origin, categories, envelope
        from {reports} where id in (select report_id from {filings}
          where report_id in (${ids.map((_, i) => `$${i + 2}`).join(", ")})
            and claimed_by = $1 and done = 0)
        order by id`,
      values: [this.#me, ...ids],
    });
  }

  #read(report: StoredReport): Filing | Unresolved {
    const { id } = report;
    try {
      const { errors, feedback } = digest(report);
      const [error] = errors;
      const statements = [...feedback.map(insertMessage), filed(id)];
      if (error?.isBuilt) return { id, report, error, statements };
      return { id, statements: [...(error ? [insertError(error, undefined)] : []), ...statements] };
    } catch (error) {
      return { id, statements: this.#setAside(id, error) };
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
    const { id } = read;
    try {
      this.#filings.push({ id, statements: await this.#resolve(read) });
    } catch (error) {
      this.#filings.push({ id, statements: this.#setAside(id, error) });
    }
    await this.#write();
  }

  /** @returns what files the report, or frees it where it is to wait */
  async #resolve({ report, error, statements }: Unresolved): Promise<Statement[]> {
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
    if (found === "late" && mayWait && this.#deferred.size < maxLate) {
      return this.#defer(report.id, Math.min(this.#now() + lateMs, waitsUntil));
    }
    if (found === undefined && isForeign && mayWait) return this.#defer(report.id, waitsUntil);
    if (found && found !== "late") {
      error.group = groupId(found.identity, found.place);
      error.file = text(found.file) ?? error.file;
    }
    const stack = await this.#stack(report, error, options);
    return [...(stack ? [stack.statement] : []), insertError(error, stack?.id), ...statements];
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
    return insertStack(
      eventDetail(eventId, resolved).exceptions.map(({ frames }) => frames),
      this.#now(),
    );
  }

  #defer(id: number, until: number): Statement[] {
    this.#deferred.set(id, until);
    return [
      {
        text: "update {filings} set claimed_by = null, free_at = 0 where report_id = $1 and done = 0",
        values: [id],
      },
    ];
  }

  #setAside(id: number, error: unknown): Statement[] {
    logRepeated("warn", "report not filed", { cause: String(error) });
    const fault = error instanceof Error ? error.name : "Error";
    return [
      {
        text: "update {filings} set done = 1, fault = $2 where report_id = $1",
        values: [id, fault.slice(0, 100)],
      },
    ];
  }

  /** Writes what is ready, together. What becomes ready meanwhile is written next. */
  #write(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#writeTogether());
    return this.#writing;
  }

  /** In one transaction; if the database refuses one of them, each in its own. */
  async #writeTogether(): Promise<void> {
    const filings = this.#filings.splice(0);
    if (filings.length === 0) return;
    this.#filedSince += filings.length;
    try {
      await this.#rows.change(filings.flatMap(({ statements }) => statements));
    } catch (error) {
      if (!isMalformed(error)) throw error;
      for (const { id, statements } of filings) await this.#writeAlone(id, statements);
    }
  }

  async #writeAlone(id: number, statements: readonly Statement[]): Promise<void> {
    try {
      await this.#rows.change(statements);
    } catch (error) {
      if (!isMalformed(error)) throw error;
      await this.#rows.change(this.#setAside(id, error));
    }
  }

  async #bound(): Promise<void> {
    const now = this.#now();
    if (now - this.#bounded < boundMs && this.#filedSince < maxFiledUnbounded) return;
    this.#bounded = now;
    this.#filedSince = 0;
    await pruneRows(this.#rows, filedBounds, now);
  }
}

/** The outbox says for itself when it can't be used. */
function logFailure(error: unknown): void {
  logRepeated("warn", "reports not filed", { cause: String(error) });
}

function isMalformed(error: unknown): boolean {
  return isOutboxError(error) && error.fault === "malformed";
}

function filed(id: number): Statement {
  return { text: "update {filings} set done = 1 where report_id = $1", values: [id] };
}

/** Characters of a stack; beyond them it is kept without its code. */
const maxStackLength = 64 * 1024;

function insertStack(stacks: readonly Frame[][], now: number) {
  let frames = JSON.stringify(stacks);
  if (frames.length > maxStackLength) {
    const bare = stacks.map((stack) => stack.map(({ source: _, ...frame }) => frame));
    frames = JSON.stringify(bare);
  }
  if (frames.length > maxStackLength) return undefined;
  const id = createHash("sha256").update(frames).digest("hex").slice(0, 32);
  const statement: Statement = {
    text: `insert into {stacks} (id, used_at, size, frames) values ($1, $2, $3, $4)
      on conflict (id) do update set used_at = excluded.used_at`,
    values: [id, now, Buffer.byteLength(frames) + 100, frames],
  };
  return { id, statement };
}

/** @returns a statement that does nothing where there is a row with the same first value */
function insertOnce(table: string, row: Record<string, Value | undefined>): Statement {
  const columns = Object.keys(row);
  return {
    text: `insert into {${table}} (${columns.join(", ")})
      values (${columns.map((_, i) => `$${i + 1}`).join(", ")})
      on conflict (${columns[0]}) do nothing`,
    values: Object.values(row).map((value) => value ?? null),
  };
}

function insertMessage(message: FeedbackMessage): Statement {
  const { key, reportId, name, contact, page, about, at } = message;
  const texts = [key, key, message.message, name, contact, page].join("");
  return insertOnce("feedback", {
    message_key: key,
    report_id: reportId,
    message: message.message,
    name,
    contact,
    page,
    about,
    seen_at: at,
    size: overheadBytes + Buffer.byteLength(texts),
  });
}

/** Of the entries in indexes, and of the row beside its texts. Pages are not full: a third more. */
const overheadBytes = 400;

function insertError(error: ErrorRecord, stackId: string | undefined): Statement {
  const { type, message, route, file, release, environment } = error;
  const words = [type, message, route, file].filter(Boolean).join("\n").toLowerCase();
  // The row, and what indexes repeat of it.
  const texts = [words, words, route, release, release, environment].join("");
  return insertOnce("errors", {
    event_id: error.eventId,
    report_id: error.reportId,
    group_id: error.group,
    kind: error.kind,
    type,
    message,
    file,
    seen_at: error.at,
    origin: error.origin,
    route,
    release,
    environment,
    trace_id: error.traceId,
    stack_id: stackId,
    words,
    size: overheadBytes + Math.round(1.3 * Buffer.byteLength(texts)),
  });
}
