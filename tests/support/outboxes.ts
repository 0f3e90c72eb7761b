import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { inject, onTestFinished } from "vitest";
import type { LogFields, LogLevel } from "@/lib/log";
import type { OutboxBounds, OutboxEngine, StoredReport } from "@/lib/outbox/outbox";
import { PostgresOutbox, type PostgresOutboxOptions } from "@/lib/outbox/postgres/postgres-outbox";
import { SqliteOutbox, type SqliteOutboxOptions } from "@/lib/outbox/sqlite/sqlite-outbox";
import { runSql } from "./postgres.js";

export interface LogLine {
  level: LogLevel;
  event: string;
  fields: LogFields;
}

/** A log that keeps its lines. */
export function recordedLog() {
  const lines: LogLine[] = [];
  const log = (level: LogLevel, event: string, fields: LogFields = {}) => {
    lines.push({ level, event, fields });
  };
  return { lines, log };
}

/** A new folder, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const generousBounds: OutboxBounds = {
  maxBytes: 64 * 1024 * 1024,
  maxAgeMs: 24 * 60 * 60 * 1000,
  whenFull: "refuse",
};

/** The time of a test: it stands still unless the test moves it. */
export interface TestClock {
  /** Milliseconds since the epoch, of a clock that is never set. */
  now: number;
  /** By how many milliseconds the wall clock was set forward; negative: back. */
  setBy?: number;
}

/** An outbox on a real file, closed when the test ends. */
export function openOutbox({
  file = join(temporaryFolder(), "outbox.db"),
  bounds = generousBounds,
  clock = { now: Date.UTC(2026, 0, 1) } as TestClock,
  limited,
}: {
  file?: string;
  bounds?: OutboxBounds;
  clock?: TestClock;
  limited?: SqliteOutboxOptions["limited"];
} = {}) {
  const { lines, log } = recordedLog();
  let database: Database.Database | undefined;
  let timesOpened = 0;
  const outbox = new SqliteOutbox({
    file,
    bounds,
    log,
    limited,
    now: () => clock.now + (clock.setBy ?? 0),
    monotonicNow: () => clock.now,
    onOpen(db) {
      database = db;
      timesOpened++;
    },
  });
  onTestFinished(() => outbox.close());
  /** Simulates a disk with room for no more than so many pages of 4 KiB. */
  const limitDisk = (pages: number) => database?.pragma(`max_page_count = ${pages}`);
  const opened = () => timesOpened;
  return { outbox, file, clock, lines, log, limitDisk, opened, stored: () => storedIn(file) };
}

/** What another process would find in the file. */
export function storedIn(file: string): StoredReport[] {
  if (!existsSync(file)) return [];
  const db = new Database(file, { readonly: true });
  try {
    const columns = "id, received_at AS receivedAt, origin, categories, envelope";
    return db.prepare<[], StoredReport>(`SELECT ${columns} FROM reports ORDER BY id`).all();
  } finally {
    db.close();
  }
}

interface PostgresSetting {
  url?: string;
  schema?: string;
  bounds?: OutboxBounds;
  clock?: TestClock;
  limited?: PostgresOutboxOptions["limited"];
  server?: string;
  leaseMs?: number;
}

/** An outbox in a schema of its own in the Postgres of the test run, closed when the test ends. */
export function openPostgresOutbox({
  url = inject("postgresUrl"),
  schema = `test_${randomUUID().replaceAll("-", "")}`,
  bounds = generousBounds,
  clock = { now: Date.UTC(2026, 0, 1) } as TestClock,
  ...rest
}: PostgresSetting = {}) {
  const { lines, log } = recordedLog();
  const now = () => clock.now + (clock.setBy ?? 0);
  const outbox = new PostgresOutbox({ url, schema, bounds, log, now, ...rest });
  onTestFinished(() => outbox.close());
  return { outbox, url, schema, clock, lines, log };
}

/** What the tests of both engines need. */
export interface Opened {
  outbox: OutboxEngine;
  clock: TestClock;
  lines: LogLine[];
  /** Opens the same store as another process does, with the same clock. */
  another(): OutboxEngine;
  /** Makes the store refuse each new report, and nothing else. @returns undoes that */
  refuseReports(): Promise<() => Promise<unknown>>;
}

interface ContractSetting {
  bounds?: OutboxBounds;
  limited?: SqliteOutboxOptions["limited"];
}

/** For `describe.each`: each engine's name, and how to open a new outbox of it. */
export const engines: [name: string, open: (setting?: ContractSetting) => Opened][] = [
  [
    "SQLite",
    (setting = {}) => {
      const { file, clock, ...opened } = openOutbox(setting);
      const run = async (sql: string) => {
        const db = new Database(file);
        db.exec(sql);
        db.close();
      };
      const refuseReports = async () => {
        await run(`create trigger refused before insert on reports
          begin select raise(abort, 'refused'); end`);
        return () => run("drop trigger refused");
      };
      const another = () => openOutbox({ ...setting, file, clock }).outbox;
      return { ...opened, clock, another, refuseReports };
    },
  ],
  [
    "Postgres",
    (setting = {}) => {
      const { schema, clock, ...opened } = openPostgresOutbox(setting);
      const another = () => openPostgresOutbox({ ...setting, schema, clock }).outbox;
      const run = (sql: string) => runSql(inject("postgresUrl"), sql);
      const reports = `"${schema}".reports`;
      const refuseReports = async () => {
        await run(`alter table ${reports} add constraint refused check (false) not valid`);
        return () => run(`alter table ${reports} drop constraint refused`);
      };
      return { ...opened, clock, another, refuseReports };
    },
  ],
];

type Method = keyof OutboxEngine;

/**
 * The same outbox as behind a network: a call reaches it later than it was made. Calls of a method
 * that the test holds reach it when the test lets them pass.
 */
export function withDelays(outbox: OutboxEngine) {
  const held: { method: Method; pass(): void }[] = [];
  const holds = new Set<Method>();
  const calls = new Map<Method, number>();
  const engine = new Proxy(outbox, {
    get(_, name) {
      const method = name as Method;
      return async (...args: unknown[]) => {
        calls.set(method, (calls.get(method) ?? 0) + 1);
        if (holds.has(method)) await new Promise<void>((pass) => held.push({ method, pass }));
        else await undefined;
        const run = outbox[method] as (...args: unknown[]) => Promise<unknown>;
        return run.apply(outbox, args);
      };
    },
  });
  const pass = (method: Method) => {
    holds.delete(method);
    for (const call of held.splice(0)) {
      if (call.method === method) call.pass();
      else held.push(call);
    }
  };
  return {
    engine,
    /** How often a method was called. */
    calls: (method: Method) => calls.get(method) ?? 0,
    /** From now on calls of this method are held. */
    hold: (method: Method) => holds.add(method),
    /** How many calls of this method are held. */
    held: (method: Method) => held.filter((call) => call.method === method).length,
    /** Lets them pass, and later ones too. */
    pass,
    passAll: () => [...holds].forEach(pass),
  };
}
