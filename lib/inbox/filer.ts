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
/** Longer than a batch takes. */
const defaultLeaseMs = 20_000;
/**
 * How long an error waits for a server that runs its release, or for its stack to be resolved. After
 * that it is filed with the frames as they are.
 */
const maxWaitMs = 60_000;
/** Until an error is tried again whose stack could not be resolved in time. */
const lateMs = 2_000;
const resolveTimeoutMs = 2_000;
/** More where the thread that reads maps has to start first. */
const resolverStartMs = 5_000;
/** How often all reports are looked through, for those that another process gave up. */
const startOverMs = defaultLeaseMs;
/** Time, and number of reports filed, between two looks at the bounds. */
const boundMs = 60_000;
const maxFiledUnbounded = 1_000;

const filedCategories = categorySet(["error", "feedback"]);
const logRepeated = oncePerMinute(log);

interface Waiting {
  id: number;
  receivedAt: number;
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
  #startedOver = Number.NEGATIVE_INFINITY;
  /** Reports that wait for other servers or for the resolver, and when they are tried again. */
  readonly #deferred = new Map<number, number>();
  #bounded = Number.NEGATIVE_INFINITY;
  #filedSince = 0;
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
    if (maxMs === undefined) return this.#next;
    const done = new AbortController();
    const time = delay(maxMs, undefined, { signal: done.signal }).catch(() => {});
    await Promise.race([this.#next, time]);
    done.abort();
  }

  async #fileAll(): Promise<void> {
    try {
      while (await this.#fileSome()) await yieldToOthers();
      await this.#bound();
    } catch (error) {
      // The outbox says for itself when it can't be used.
      logRepeated("warn", "reports not filed", { cause: String(error) });
    }
  }

  /** @returns whether there may be more */
  async #fileSome(): Promise<boolean> {
    const now = this.#now();
    this.#tryAgain(now);
    const [newest] = await this.#rows.select<{ id: number | null }>({
      text: "select max(id) as id from {reports}",
    });
    const waiting = await this.#waiting(now);
    const some = waiting.filter(({ id }) => !this.#deferred.has(id));
    const claimed = some.length > 0 ? await this.#claim(some, now) : [];
    const statements = await Promise.all(claimed.map((report) => this.#filing(report)));
    await this.#write(claimed, statements);
    const isLast = waiting.length < batchSize;
    this.#cursor = Math.max(this.#cursor, (isLast ? newest?.id : waiting.at(-1)?.id) ?? 0);
    return !isLast;
  }

  #tryAgain(now: number): void {
    if (now - this.#startedOver >= startOverMs) {
      this.#startedOver = now;
      this.#cursor = 0;
    }
    for (const [id, at] of this.#deferred) {
      if (at > now) continue;
      this.#deferred.delete(id);
      this.#cursor = Math.min(this.#cursor, id - 1);
    }
  }

  #waiting(now: number): Promise<Waiting[]> {
    return this.#rows.select<Waiting>({
      text: `select id, received_at as "receivedAt" from {reports} as r
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

  /** @returns what files the report, or frees it where it is to wait */
  async #filing(report: StoredReport): Promise<Statement[]> {
    try {
      return await this.#read(report);
    } catch (error) {
      return this.#setAside(report.id, error);
    }
  }

  async #read(report: StoredReport): Promise<Statement[]> {
    await yieldToOthers();
    const { errors, feedback } = digest(report);
    const [error] = errors;
    const filings = [...feedback.map(insertMessage), filed(report.id)];
    if (!error) return filings;
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
    if (found === "late" && mayWait) {
      return this.#defer(report.id, Math.min(this.#now() + lateMs, waitsUntil));
    }
    if (found === undefined && isForeign && mayWait) return this.#defer(report.id, waitsUntil);
    if (found && found !== "late") {
      error.group = groupId(found.identity, found.place);
      error.file = text(found.file) ?? error.file;
    }
    const stack = await this.#stack(report, error, options);
    return [...(stack ? [stack.statement] : []), insertError(error, stack?.id), ...filings];
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

  /** All in one transaction; if the database refuses one of them, each in its own. */
  async #write(
    reports: readonly StoredReport[],
    statements: readonly Statement[][],
  ): Promise<void> {
    if (reports.length === 0) return;
    this.#filedSince += reports.length;
    try {
      await this.#rows.change(statements.flat());
    } catch (error) {
      if (!isMalformed(error)) throw error;
      for (const [i, { id }] of reports.entries()) await this.#writeAlone(id, statements[i] ?? []);
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

/** Of the entries in indexes, and of the row beside its texts. */
const overheadBytes = 400;

function insertError(error: ErrorRecord, stackId: string | undefined): Statement {
  const { type, message, route, file, release, environment } = error;
  const words = [type, message, route, file].filter(Boolean).join("\n").toLowerCase();
  const indexed = [route, release, release, environment].join("").length;
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
    size: overheadBytes + 2 * Buffer.byteLength(words) + 2 * indexed,
  });
}
