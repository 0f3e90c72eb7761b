import { type Dialect, type Driver, OutboxError, type Statement } from "./driver.ts";

/** What takes a set's tables from one version to the next, in a transaction of its own. */
export interface Migration {
  /** Which version the tables have after it. */
  version: number;
  /**
   * Servers that know only versions before it can't go on beside it: they are refused. Without that, each of
   * their statements still works. See docs/upgrading.md for how that is held.
   */
  isBreaking?: true;
  statements(dialect: Dialect): readonly Statement[];
}

/** The tables that one part of the app has in the store. Each set has versions of its own. */
export interface TableSet {
  /** Under which the store has their version. */
  name: string;
  /**
   * In order, each one version on. The first creates the tables of the oldest version that was released. A
   * migration that was released is never changed.
   */
  migrations: readonly [Migration, ...Migration[]];
  /** A store that has none of them gets none, and one whose tables can't be used or migrated is used without them. */
  isOptional?: boolean;
}

/** A set as one engine creates it: without functions, which no thread can be given. */
export type EngineSet = ReturnType<typeof setsOf>[number];
type EngineMigration = EngineSet["migrations"][number];

/** A row of `versions`, which has one for each set. */
export interface Version {
  name: string;
  /**
   * The oldest version that a server must know to use these tables: that of the last breaking migration, or of
   * the first one. Servers of 0.1.0 look at nothing else, and want the one they know.
   */
  version: number;
  /** The one that the tables have, if it is another; undefined where 0.1.0 has made `versions`. */
  latest: number | null | undefined;
}

/** What a store has. */
export interface Found {
  /** All tables whose names begin as ours do. */
  tables: readonly string[];
  /** None if there is no such table. */
  versions: readonly Version[];
}

/** The next migration of a store. */
export interface Step {
  name: string;
  /** The versions before and after it; `from` is undefined where the tables are created. */
  from: number | undefined;
  to: number;
  /** Those of the migration, and what notes the version. */
  statements: readonly Statement[];
}

/** The store may be a database in which others have tables of the same everyday names. */
export const prefix = "signpost_";

/** @param schema what stands before each table's name @returns the statement with `{errors}` as a table's name */
export function withTableNames(text: string, schema = ""): string {
  return text.replace(/\{(\w{1,40})\}/g, `${schema}${prefix}$1`);
}

/** The driver's own table: which sets the store has. It is created with the first of them. */
const versions =
  "create table {versions} (name text primary key, version integer not null, latest integer)";
const withLatest = "alter table {versions} add column latest integer";
export const allVersions = { text: "select * from {versions}" };

/** @param rows of `versions` @returns none if that is somebody else's */
export function readVersions(rows: readonly object[]): Version[] {
  const isOurs = (row: object) => "name" in row && "version" in row;
  return rows.every(isOurs) ? (rows as Version[]) : [];
}

/** @returns whether the store has the set's tables as this build knows them. A store that can't be read has none */
export async function hasNewest(
  { name, migrations }: TableSet,
  driver: Pick<Driver, "read">,
): Promise<boolean> {
  const newest = migrations.at(-1)?.version ?? 0;
  const text = "select * from {versions} where name = $1";
  // The outbox logs why it can't be read.
  const [found] = await driver.read<Version>({ text, values: [name] }).catch(() => []);
  if (!found) return false;
  return found.version <= newest && (found.latest ?? found.version) >= newest;
}

/** @param tables in the order in which they are created */
export function setsOf(tables: readonly TableSet[], dialect: Dialect) {
  return tables.map(({ migrations, ...set }) => ({
    ...set,
    migrations: migrations.map(({ statements, ...migration }) => ({
      ...migration,
      statements: statements(dialect),
    })),
  }));
}

/** The optional ones come last, and nothing else fails with them. */
export function split(sets: readonly EngineSet[]): Record<"needed" | "optional", EngineSet[]> {
  return {
    needed: sets.filter(({ isOptional }) => !isOptional),
    optional: sets.filter(({ isOptional }) => isOptional),
  };
}

/**
 * @returns the next migration that the store lacks, undefined if it has all
 * @throws {OutboxError} if none of it may be used: it has tables of a version that this build can't use, or one
 *   with a name of ours that is somebody else's
 */
export function nextStep(sets: readonly EngineSet[], found: Found): Step | undefined {
  const isNew = found.versions.length === 0;
  const stranger = isNew ? createdIn([{ text: versions }], found) : undefined;
  if (stranger) throw unusable(notOurs(stranger));
  const steps: Step[] = [];
  for (const set of sets) {
    const missing = missingIn(set, found);
    if (typeof missing === "string") {
      if (set.isOptional) continue;
      throw unusable(missing);
    }
    const [migration] = missing;
    if (!migration) continue;
    const from = latestOf(set.name, found.versions);
    const before = isNew ? [{ text: versions }] : [];
    const statements = [...before, ...migration.statements, ...notes(set.name, migration, found)];
    steps.push({ name: set.name, from, to: migration.version, statements });
  }
  return steps[0];
}

function unusable(reason: string): OutboxError {
  return new OutboxError("unwritable", reason);
}

/** @returns those that are not done yet; or in one sentence why the set can't be used */
function missingIn(set: EngineSet, found: Found): readonly EngineMigration[] | string {
  const { name, migrations, isOptional } = set;
  const [oldest = 0, newest = 0] = [migrations[0]?.version, migrations.at(-1)?.version];
  const wanted = found.versions.find((one) => one.name === name)?.version;
  const latest = latestOf(name, found.versions);
  if (wanted === undefined && isOptional) return [];
  if (wanted !== undefined && wanted > newest) return otherVersion(name, wanted, newest);
  if (latest !== undefined && latest < oldest) return otherVersion(name, latest, newest);
  const missing = migrations.filter(({ version }) => latest === undefined || version > latest);
  const stranger = createdIn(
    missing.flatMap(({ statements }) => statements),
    found,
  );
  return stranger ? notOurs(stranger) : missing;
}

function latestOf(name: string, all: readonly Version[]): number | undefined {
  const found = all.find((one) => one.name === name);
  return found?.latest ?? found?.version;
}

/** @returns a table that they create and that is there already */
function createdIn(statements: readonly Statement[], { tables }: Found): string | undefined {
  return statements
    .map(({ text }) => prefix + (/^create table \{(\w+)\}/.exec(text)?.[1] ?? ""))
    .find((table) => tables.includes(table));
}

/** What notes that the migration is done. */
function notes(name: string, done: EngineMigration, found: Found): Statement[] {
  const { version, isBreaking } = done;
  if (latestOf(name, found.versions) === undefined) {
    const text = "insert into {versions} (name, version) values ($1, $2)";
    return [{ text, values: [name, version] }];
  }
  const isOld = found.versions.some(({ latest }) => latest === undefined);
  const set = isBreaking ? "version = $2, latest = $2" : "latest = $2";
  return [
    ...(isOld ? [{ text: withLatest }] : []),
    { text: `update {versions} set ${set} where name = $1`, values: [name, version] },
  ];
}

/** @returns the sets as a store with these versions has them, to be migrated on from there */
export function setsAt(sets: readonly EngineSet[], all: readonly Version[]): EngineSet[] {
  return sets.map((set) => {
    const latest = latestOf(set.name, all);
    if (latest === undefined) return set;
    const [first, ...later] = set.migrations;
    const done = later.filter(({ version }) => version <= latest);
    return { name: set.name, migrations: first ? [first, ...done] : done };
  });
}

/** Where a store is, by its names in an app and beside a bare relay. */
const place = "schema or data folder (DATABASE_SCHEMA or DATA_DIR, or `store` of createRelay)";

function notOurs(table: string): string {
  return `The table ${table} is there already, and Signpost has not made it: it is left alone, and nothing is stored beside it. Use another ${place}.`;
}

function otherVersion(name: string, found: number, known: number): string {
  const advice = found > known ? "Deploy a newer build" : "Deploy the build that has made them";
  return `The tables of the ${name} are of version ${found}, and this build knows version ${known}. ${advice}, or use another ${place}.`;
}

/**
 * As 0.1.0 made them.
 *
 * `outbox`: reports that wait. `low` is 1 for those of low priority. Nobody can claim one before
 * `free_at`: the end of a lease, or of a back-off. The envelope is the last column, so that the others
 * are read without it.
 *
 * `drops`: how many were dropped, and how many of these a client report has covered.
 *
 * `notes`: what servers of a store tell each other, such as its secret, and the release of each build.
 */
function firstTables({ types, engine, now }: Dialect): Statement[] {
  const { id, integer, bytes } = types;
  return [
    `create table {outbox} (
      id ${id},
      received_at ${integer} not null default (${now}),
      server text,
      origin text not null,
      low ${integer} not null,
      categories ${integer} not null,
      sender ${integer} not null,
      release text,
      size ${integer} not null,
      attempts ${integer} not null default 0,
      free_at ${integer} not null default 0,
      claimed_by text,
      client_address text,
      envelope ${bytes} not null
    ) ${tuned[engine]}`,
    "create index signpost_outbox_waiting on {outbox} (low, attempts, id, categories)",
    "create index signpost_outbox_by_age on {outbox} (low, received_at)",
    "create index signpost_outbox_by_sender on {outbox} (sender, low, size, received_at)",
    firstId[engine],
    `create table {drops} (
      reason text not null,
      category text not null,
      quantity ${integer} not null,
      reported ${integer} not null default 0,
      primary key (reason, category)
    )`,
    "create table {notes} (name text primary key, value text not null)",
  ].map((text) => ({ text }));
}

/** Ids begin at the time in microseconds: none recurs if the tables are created anew. */
const firstId = {
  sqlite: `insert into sqlite_sequence (name, seq)
    select 'signpost_outbox', cast(unixepoch('subsec') * 1000000 as integer)
    where not exists (select 1 from sqlite_sequence where name = 'signpost_outbox')`,
  postgres: `select setval(pg_get_serial_sequence('{outbox}', 'id'),
      (extract(epoch from clock_timestamp()) * 1000000)::bigint)
    where not exists (select 1 from {outbox})`,
};

/** Claims change rows in place, and rows come and go. */
const tuned = {
  sqlite: "strict",
  postgres: "with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)",
};

export const outboxTables: TableSet = {
  name: "outbox",
  migrations: [{ version: 1, statements: firstTables }],
};
