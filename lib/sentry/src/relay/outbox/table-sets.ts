import type { Dialect, Statement } from "./driver.ts";

/** The tables that one part of the app has in the store. Each set has a version of its own. */
export interface TableSet {
  /** Under which the store has their version. */
  name: string;
  /** A store that has another one is refused. */
  version: number;
  /** Creates all of them, in one transaction. */
  statements(dialect: Dialect): readonly Statement[];
}

/** All tables of an application, in the order in which they are created. */
export type Schema = readonly TableSet[];

/** A set as one engine creates it. */
export interface EngineSet extends Pick<TableSet, "name" | "version"> {
  statements: readonly Statement[];
}

/** What a store has. */
interface Found {
  /** All tables whose names begin as ours do. */
  tables: readonly string[];
  /** The rows of `versions`, if there is such a table. */
  versions: readonly { name: string; version: number }[];
}

/** The store may be a database in which others have tables of the same everyday names. */
export const prefix = "signpost_";

/** @param schema what stands before each table's name @returns the statement with `{errors}` as a table's name */
export function withTableNames(text: string, schema = ""): string {
  return text.replace(/\{(\w{1,40})\}/g, `${schema}${prefix}$1`);
}

/** The driver's own table: which sets the store has. It is created with the first of them. */
const versions = "create table {versions} (name text primary key, version integer not null)";

export function setsOf(schema: Schema, dialect: Dialect): EngineSet[] {
  return schema.map(({ statements, ...set }) => ({ ...set, statements: statements(dialect) }));
}

/**
 * @returns what creates the sets that the store lacks; or in one sentence why none of it may be used: it has
 *   tables of another version, or one with a name of ours that is somebody else's
 */
export function creationOf(sets: readonly EngineSet[], found: Found): Statement[] | string {
  const statements: Statement[] = [];
  const strange = (created: readonly Statement[]) =>
    created
      .map(({ text }) => prefix + (/^create table \{(\w+)\}/.exec(text)?.[1] ?? ""))
      .find((table) => found.tables.includes(table));
  const isNew = found.versions.length === 0;
  const stranger = isNew ? strange([{ text: versions }]) : undefined;
  if (stranger) return notOurs(stranger);
  if (isNew) statements.push({ text: versions });
  for (const { name, version, statements: creation } of sets) {
    const there = found.versions.find((one) => one.name === name);
    if (there && there.version !== version) return otherVersion(name, there.version, version);
    if (there) continue;
    const table = strange(creation);
    if (table) return notOurs(table);
    statements.push(...creation, {
      text: "insert into {versions} (name, version) values ($1, $2)",
      values: [name, version],
    });
  }
  return statements;
}

function notOurs(table: string): string {
  return `The table ${table} is there already, and Signpost has not made it: it is left alone, and nothing is stored beside it. Set DATABASE_SCHEMA, or DATA_DIR, to another place.`;
}

function otherVersion(name: string, found: number, known: number): string {
  const advice = found > known ? "Deploy a newer build" : "Deploy the build that has made them";
  return `The tables of the ${name} are of version ${found}, and this build knows version ${known}. ${advice}, or use another DATABASE_SCHEMA or DATA_DIR.`;
}
