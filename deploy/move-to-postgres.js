/*
 * Moves what waits for delivery, and what the inbox shows, from DATA_DIR to Postgres. Start one server with
 * DATABASE_URL first: it makes the tables. Then, with no server running, where `pg` is installed, as it is
 * in the standalone output:
 *
 *   node move-to-postgres.js /var/lib/signpost/outbox.db "$DATABASE_URL" signpost
 *
 * The last is DATABASE_SCHEMA. What is there already stays as it is, so it can be run again.
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

const [file = "", url, schema = "signpost"] = process.argv.slice(2);
/** The tables' versions, and what each store notes for itself. */
const left = ["signpost_versions", "signpost_notes"];
/** Rows of one statement. */
const batch = 200;

const from = new DatabaseSync(file, { readOnly: true });
const to = new pg.Client(url);
await to.connect();

const versions = "select name, version from";
const there = (await to.query(`${versions} "${schema}".signpost_versions order by name`)).rows;
const here = from.prepare(`${versions} signpost_versions order by name`).all();
if (JSON.stringify(here) !== JSON.stringify(there)) {
  throw new Error(
    `The tables have other versions: ${JSON.stringify(here)} and ${JSON.stringify(there)}`,
  );
}

await to.query("begin");
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
  let moved = 0;
  for (const row of from.prepare(`select * from ${table}`).iterate()) {
    rows.push(row);
    if (rows.length < batch) continue;
    moved += await write(table, rows);
    rows = [];
  }
  moved += await write(table, rows);
  process.stdout.write(`${table}: ${moved}\n`);
}
await to.query("commit");
await to.end();

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
