import type { Dialect, Statement } from "./driver.ts";

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
  /** A store that has none of them gets none, and one whose tables can't be used is used without them. */
  isOptional?: boolean;
}

/** All tables of an application, in the order in which they are created. */
export type Schema = readonly TableSet[];

/** A set as one engine creates it. */
export interface EngineSet extends Pick<TableSet, "name" | "isOptional"> {
  migrations: readonly EngineMigration[];
}

interface EngineMigration extends Pick<Migration, "version" | "isBreaking"> {
  statements: readonly Statement[];
}

/** A row of `versions`. */
export interface Version {
  name: string;
  version: number;
}

/** What a store has. */
export interface Found {
  /** All tables whose names begin as ours do. */
  tables: readonly string[];
  /** None if there is no such table. */
  versions: readonly Version[];
}

/** The next migration of a store. */
export interface Step extends Version {
  /** The version before it, if there was one. */
  from: number | undefined;
  /** Those of the migration, and what notes the version. */
  statements: readonly Statement[];
}

/** The store may be a database in which others have tables of the same everyday names. */
export const prefix = "signpost_";

/** @param schema what stands before each table's name @returns the statement with `{errors}` as a table's name */
export function withTableNames(text: string, schema = ""): string {
  return text.replace(/\{(\w{1,40})\}/g, `${schema}${prefix}$1`);
}

/**
 * The driver's own table: which sets the store has. It is created with the first of them.
 *
 * - `outbox`: the oldest version that a server must know to use these tables: that of the last breaking
 *   migration, or of the first one. Servers of 0.1.0 look at nothing else, and want the one they know.
 * - `outbox latest`: the version that the tables have, once there was a second migration.
 */
const versions = "create table {versions} (name text primary key, version integer not null)";
const latestOf = (name: string) => `${name} latest`;

export function setsOf(schema: Schema, dialect: Dialect): EngineSet[] {
  return schema.map(({ migrations, ...set }) => ({
    ...set,
    migrations: migrations.map(({ statements, ...migration }) => ({
      ...migration,
      statements: statements(dialect),
    })),
  }));
}

/**
 * @returns the next migration that the store lacks, undefined if it has all; or in one sentence why none of it
 *   may be used: it has tables of a version that this build can't use, or one with a name of ours that is
 *   somebody else's
 */
export function nextStep(sets: readonly EngineSet[], found: Found): Step | string | undefined {
  const isNew = found.versions.length === 0;
  const stranger = isNew ? createdIn([{ text: versions }], found) : undefined;
  if (stranger) return notOurs(stranger);
  const steps: Step[] = [];
  for (const set of sets) {
    const missing = missingIn(set, found);
    if (typeof missing === "string") {
      if (set.isOptional) continue;
      return missing;
    }
    const [migration] = missing;
    if (!migration) continue;
    const { version } = migration;
    const before = isNew ? [{ text: versions }] : [];
    const statements = [...before, ...migration.statements, ...notes(set, migration)];
    steps.push({ name: set.name, from: latestIn(set.name, found), version, statements });
  }
  return steps[0];
}

/** @returns those that are not done yet; or why the set can't be used */
function missingIn(set: EngineSet, found: Found): readonly EngineMigration[] | string {
  const { name, migrations, isOptional } = set;
  const [oldest = 0, newest = 0] = [migrations[0]?.version, migrations.at(-1)?.version];
  const wanted = versionOf(name, found.versions);
  if (wanted === undefined && isOptional) return [];
  const latest = latestIn(name, found) ?? oldest - 1;
  if (wanted !== undefined && wanted > newest) return otherVersion(name, wanted, newest);
  if (wanted !== undefined && latest < oldest) return otherVersion(name, latest, newest);
  const missing = migrations.filter(({ version }) => version > latest);
  const stranger = createdIn(
    missing.flatMap(({ statements }) => statements),
    found,
  );
  return stranger ? notOurs(stranger) : missing;
}

function versionOf(name: string, all: readonly Version[]): number | undefined {
  return all.find((one) => one.name === name)?.version;
}

function latestIn(name: string, { versions: all }: Pick<Found, "versions">): number | undefined {
  return versionOf(latestOf(name), all) ?? versionOf(name, all);
}

/** @returns a table that they create and that is there already */
function createdIn(statements: readonly Statement[], { tables }: Found): string | undefined {
  return statements
    .map(({ text }) => prefix + (/^create table \{(\w+)\}/.exec(text)?.[1] ?? ""))
    .find((table) => tables.includes(table));
}

/** What notes that the migration is done. */
function notes({ name, migrations }: EngineSet, done: EngineMigration): Statement[] {
  const isFirst = done === migrations[0];
  const names = isFirst ? [name] : [...(done.isBreaking ? [name] : []), latestOf(name)];
  return names.map((each) => ({
    text: `insert into {versions} (name, version) values ($1, $2)
      on conflict (name) do update set version = excluded.version`,
    values: [each, done.version],
  }));
}

/** @returns the sets as a store with these versions has them, to be migrated on from there */
export function setsAt(sets: readonly EngineSet[], all: readonly Version[]): EngineSet[] {
  return sets.map((set) => {
    const latest = latestIn(set.name, { versions: all });
    if (latest === undefined) return set;
    const [first, ...later] = set.migrations;
    const done = later.filter(({ version }) => version <= latest);
    return { name: set.name, migrations: first ? [first, ...done] : done };
  });
}

function notOurs(table: string): string {
  return `The table ${table} is there already, and Signpost has not made it: it is left alone, and nothing is stored beside it. Set DATABASE_SCHEMA, or DATA_DIR, to another place.`;
}

function otherVersion(name: string, found: number, known: number): string {
  const advice = found > known ? "Deploy a newer build" : "Deploy the build that has made them";
  return `The tables of the ${name} are of version ${found}, and this build knows version ${known}. ${advice}, or use another DATABASE_SCHEMA or DATA_DIR.`;
}
