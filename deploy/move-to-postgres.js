/*
 * Moves what waits for delivery, and what the inbox shows, from DATA_DIR to Postgres. Start one server with
 * DATABASE_URL first: it makes the tables. Then, with no server running, where `pg` is installed, as it is
 * in the standalone output:
 *
 *   node move-to-postgres.js /var/lib/signpost/outbox.db "$DATABASE_URL" signpost
 *
 * The last is DATABASE_SCHEMA. It moves into tables in which nothing was filed yet, all or nothing. The old
 * folder stays as it is: delete it then, since it holds persons' data that nothing removes any more.
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

const [file = "", url, schema = "signpost"] = process.argv.slice(2);
/** The tables' versions, and what each store notes for itself. */
const left = ["signpost_versions", "signpost_notes"];
/** What a server files is counted there or waits there: both together would be counted twice, or mixed up. */
const empty = ["signpost_error_groups", "signpost_sessions", "signpost_outbox"];
/** Rows of one statement, and bytes from which on it takes no more of them. */
const batch = { rows: 200, bytes: 4 * 1024 * 1024 };

const from = new DatabaseSync(file, { readOnly: true });
const to = new pg.Client(url);
await to.connect();

const [here, there] = [
  from.prepare("select * from signpost_versions order by name").all(),
  (await to.query(`select * from "${schema}".signpost_versions order by name`)).rows,
].map((rows) => JSON.stringify(rows.map(({ name, version, latest }) => [name, latest ?? version])));
if (here !== there) {
  throw new Error(`The tables have other versions: ${here} and ${there}`);
}

await to.query("begin");
for (const table of empty) {
  const { rowCount } = await to.query(`select 1 from "${schema}".${table} limit 1`);
  if (rowCount) {
    throw new Error(
      `${table} has rows already: it can be moved once, and before a server has filed anything. Drop the schema, and start a server once to which no visitor comes.`,
    );
  }
}
const tables = from
  .prepare(
    "select name from sqlite_master where type = 'table' and name like 'signpost\\_%' escape '\\'",
  )
  .all()
  .map(({ name }) => String(name))
  .filter((name) => !left.includes(name));
for (const table of tables) {
  /** @type {Record<string, import("node:sqlite").SQLOutputValue>[]} */
  let rows = [];
  let bytes = 0;
  let moved = 0;
  for (const row of from.prepare(`select * from ${table}`).iterate()) {
    rows.push(row);
    bytes += bytesOf(row);
    if (rows.length < batch.rows && bytes < batch.bytes) continue;
    moved += await write(table, rows);
    rows = [];
    bytes = 0;
  }
  moved += await write(table, rows);
  process.stdout.write(`${table}: ${moved}\n`);
}
await to.query("commit");
await to.end();

/** @param {Record<string, import("node:sqlite").SQLOutputValue>} row */
function bytesOf(row) {
  return Object.values(row)
    .map((value) => (value instanceof Uint8Array ? value.length : String(value).length))
    .reduce((sum, length) => sum + length, 0);
}

/**
 * @param {string} table
 * @param {Record<string, import("node:sqlite").SQLOutputValue>[]} rows
 * @returns {Promise<number>} how many were not there
 */
async function write(table, rows) {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return 0;
  /** @type {unknown[]} */
  const values = [];
  const add = (/** @type {unknown} */ value) =>
    `$${values.push(value instanceof Uint8Array ? Buffer.from(value) : value)}`;
  const tuples = rows.map((row) => `(${names.map((name) => add(row[name])).join(", ")})`);
  const { rowCount } = await to.query(
    `insert into "${schema}".${table} (${names.join(", ")}) values ${tuples.join(", ")}
      on conflict do nothing`,
    values,
  );
  return rowCount ?? 0;
}
