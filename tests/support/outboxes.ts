import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inject, onTestFinished } from "vitest";
import { inboxTables } from "@/packages/inbox/src/tables";
import { Housekeeping } from "@/packages/relay/src/delivery/housekeeping";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import type { Drops } from "@/packages/relay/src/envelope/client-report";
import type { LogFields, LogLevel } from "@/packages/relay/src/log";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import { Outbox, type OutboxOptions } from "@/packages/relay/src/outbox/outbox";
import { PostgresDriver } from "@/packages/relay/src/outbox/postgres-driver";
import type { ClaimedReport, Outcome } from "@/packages/relay/src/outbox/reports";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { type OutboxStats, Stats } from "@/packages/relay/src/outbox/stats";
import { outboxTables } from "@/packages/relay/src/outbox/tables";
import { temporaryFolder } from "./folders";
import { runSql } from "./postgres.js";

export { temporaryFolder } from "./folders";

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

/** All tables of the app. */
export const everyTable = [outboxTables, inboxTables];

/** The time of a test: it stands still unless the test moves it. */
interface TestClock {
  /** Milliseconds since the epoch. */
  now: number;
}

export interface OutboxSetting extends Partial<OutboxOptions> {
  clock?: TestClock;
}

function opened(driver: Driver, { clock = startOfTests(), ...options }: OutboxSetting) {
  const { lines, log } = recordedLog();
  const outbox = new Outbox(driver, {
    maxBytes: 64 * 1024 * 1024,
    maxAgeMs: 24 * 60 * 60 * 1000,
    log,
    now: () => clock.now,
    ...options,
  });
  onTestFinished(() => outbox.close());
  return { outbox, driver, clock, lines, log };
}

function startOfTests(): TestClock {
  return { now: Date.UTC(2026, 0, 1) };
}

/** An outbox in a SQLite file, closed when the test ends. */
export function openOutbox({
  file = join(temporaryFolder(), "outbox.db"),
  ...setting
}: OutboxSetting & { file?: string } = {}) {
  const driver = new SqliteDriver({ file, tables: everyTable });
  return { ...opened(driver, setting), file, stored: () => storedIn(file) };
}

/** An outbox in a schema of its own in the Postgres of the test run, closed when the test ends. */
export function openPostgresOutbox({
  url = inject("postgresUrl"),
  schema = `test_${randomUUID().replaceAll("-", "")}`,
  ...setting
}: OutboxSetting & { url?: string; schema?: string } = {}) {
  const { log } = recordedLog();
  const driver = new PostgresDriver({ url, schema, tables: everyTable, log });
  return { ...opened(driver, setting), url, schema };
}

/** What the tests of both engines need. */
export interface Opened {
  outbox: Outbox;
  driver: Driver;
  clock: TestClock;
  lines: LogLine[];
  /** Opens the same store as another process does, with the same clock. */
  another(setting?: OutboxSetting): Outbox;
  /** Runs SQL as somebody else; `reports` in it is the table. */
  run(sql: (table: (name: string) => string) => string): Promise<void>;
  /** Makes the store refuse new reports, all or those of an address, and nothing else. @returns undoes that */
  refuseReports(clientAddress?: string): Promise<() => Promise<void>>;
}

/** For `describe.each`: each engine's name, and how to open a new outbox of it. */
export const engines: [name: string, open: (setting?: OutboxSetting) => Opened][] = [
  [
    "SQLite",
    (setting = {}) => {
      const { file, clock, ...rest } = openOutbox(setting);
      const another = (other = {}) => openOutbox({ ...setting, ...other, file, clock }).outbox;
      const run: Opened["run"] = async (sql) => {
        const db = new DatabaseSync(file);
        db.exec(sql((name) => `signpost_${name}`));
        db.close();
      };
      const refuseReports = async (address?: string) => {
        const when = address ? `when new.client_address = '${address}'` : "";
        await run(
          () => `create trigger refused before insert on signpost_outbox ${when}
            begin select raise(abort, 'refused'); end`,
        );
        return () => run(() => "drop trigger refused");
      };
      return { ...rest, clock, another, run, refuseReports };
    },
  ],
  [
    "Postgres",
    (setting = {}) => {
      const { schema, clock, ...rest } = openPostgresOutbox(setting);
      const another = (other = {}) =>
        openPostgresOutbox({ ...setting, ...other, schema, clock }).outbox;
      const run: Opened["run"] = async (sql) => {
        await runSql(
          inject("postgresUrl"),
          sql((name) => `"${schema}".signpost_${name}`),
        );
      };
      const refuseReports = async (address?: string) => {
        const rule = address ? `client_address is distinct from '${address}'` : "false";
        await run(
          (table) =>
            `alter table ${table("outbox")} add constraint refused check (${rule}) not valid`,
        );
        return () => run((table) => `alter table ${table("outbox")} drop constraint refused`);
      };
      return { ...rest, clock, another, run, refuseReports };
    },
  ],
];

/** What became of a report that a destination has taken. */
export const taken: Outcome = { kind: "taken", value: undefined };

/** Claims all that can be claimed. */
export async function claimAll(outbox: Outbox, without = 0): Promise<ClaimedReport[]> {
  const claimed: ClaimedReport[] = [];
  for (;;) {
    const some = await outbox.claim({ limit: 1000, without });
    if (some.length === 0) return claimed;
    claimed.push(...some);
  }
}

/** Everything that was dropped since the outbox was created. */
export function dropsIn({ driver }: Outbox): Promise<Drops[]> {
  const text = "select reason, category, quantity from {drops} order by reason, category";
  return driver.read<Drops>({ text });
}

/** Whole envelopes in the store, in the order of their ids. */
export function envelopesIn({ driver }: Outbox): Promise<{ id: number; envelope: Uint8Array }[]> {
  return driver.read({ text: "select id, envelope from {outbox} order by id" });
}

/** What another process would find in the file. */
function storedIn(file: string): { id: number; envelope: Uint8Array }[] {
  if (!existsSync(file)) return [];
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db.prepare("select id, envelope from signpost_outbox order by id").all();
    return rows as unknown as { id: number; envelope: Uint8Array }[];
  } finally {
    db.close();
  }
}

const stats = new WeakMap<Outbox, Stats>();
const keepers = new WeakMap<Outbox, Housekeeping>();

/** What operators are told of an outbox. */
export function statsOf(outbox: Outbox): Promise<OutboxStats> {
  const made = stats.get(outbox) ?? new Stats(outbox, outbox.options.log);
  stats.set(outbox, made);
  return made.read();
}

/** The housekeeping of an outbox, which does nothing by itself. */
export function housekeepingOf(outbox: Outbox): Housekeeping {
  const { log } = outbox.options;
  const none = { destination: undefined, limits: new ServiceLimits(), health: { failedAt: 0 } };
  const made = keepers.get(outbox) ?? new Housekeeping({ outbox, log, ...none });
  keepers.set(outbox, made);
  return made;
}
