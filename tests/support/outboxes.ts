import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { LogFields, LogLevel } from "@/lib/log";
import type { OutboxBounds } from "@/lib/outbox/report-table";
import { SqliteOutbox } from "@/lib/outbox/sqlite-outbox";

export interface LogLine {
  level: LogLevel;
  event: string;
  fields: LogFields;
}

/** A log that can be looked at. */
export function recordedLog() {
  const lines: LogLine[] = [];
  const log = (level: LogLevel, event: string, fields: LogFields = {}) => {
    lines.push({ level, event, fields });
  };
  return { lines, log };
}

/** A folder of its own, gone when the test ends. */
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

/** An outbox on a real file, closed when the test ends. Time stands still unless `clock` moves. */
export function openOutbox({
  file = join(temporaryFolder(), "outbox.db"),
  bounds = generousBounds,
  clock = { now: Date.UTC(2026, 0, 1) },
}: {
  file?: string;
  bounds?: OutboxBounds;
  clock?: { now: number };
} = {}) {
  const { lines, log } = recordedLog();
  let database: Database.Database | undefined;
  const outbox = new SqliteOutbox({
    file,
    bounds,
    log,
    now: () => clock.now,
    onOpen(db) {
      database = db;
    },
  });
  onTestFinished(() => outbox.close());
  /** Makes a disk that has no room for more than so many pages of 4 KiB. */
  const limitDisk = (pages: number) => database?.pragma(`max_page_count = ${pages}`);
  return { outbox, file, clock, lines, log, limitDisk };
}
