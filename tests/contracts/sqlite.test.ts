import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
let file: string;
const opened: Database.Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signpost-sqlite-"));
  file = join(folder, "outbox.db");
});
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
  rmSync(folder, { recursive: true });
});

function open(path = file, options: Database.Options = { timeout: 0 }): Database.Database {
  const db = new Database(path, options);
  opened.push(db);
  return db;
}

function openInWal(): Database.Database {
  const db = open();
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.pragma("wal_autocheckpoint = 0");
  db.exec(
    "CREATE TABLE IF NOT EXISTS reports (id INTEGER PRIMARY KEY AUTOINCREMENT, envelope BLOB)",
  );
  return db;
}

/** The code of what is thrown. */
function codeOf(run: () => unknown): string {
  try {
    run();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof Database.SqliteError ? error.code : String(error);
  }
}

test("a commit is in the -wal file when it returns, and only there", () => {
  const db = openInWal();
  db.prepare("INSERT INTO reports (envelope) VALUES (?)").run(Buffer.from("an envelope's bytes"));
  expect(
    [file, `${file}-wal`].map((path) => readFileSync(path).includes("an envelope's bytes")),
    "A commit in WAL mode is no longer written to the -wal file before it returns: lib/outbox/sqlite/outbox-file.ts has that file synced and then calls the report stored.",
  ).toEqual([false, true]);
});

test("the -wal file begins anew after all of it was carried over", () => {
  const db = openInWal();
  const insert = db.prepare("INSERT INTO reports (envelope) VALUES (zeroblob(50000))");
  insert.run();
  const [{ busy, log, checkpointed }] = db.pragma("wal_checkpoint(PASSIVE)") as [
    Record<string, number>,
  ];
  expect(
    [busy, log === checkpointed],
    "wal_checkpoint(PASSIVE) no longer carries over all that nobody reads: lib/outbox/sqlite/checkpoint-worker.ts asks for it.",
  ).toEqual([0, true]);
  const before = statSync(`${file}-wal`).size;
  insert.run();
  expect(
    statSync(`${file}-wal`).size,
    "SQLite no longer begins its -wal anew after a whole checkpoint: lib/outbox/sqlite/checkpoint-worker.ts relies on that, and the file would grow for ever.",
  ).toBe(before);
});

test("better-sqlite3 opens a file in a worker thread too", async () => {
  openInWal();
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    const Database = require("better-sqlite3");
    const db = new Database(workerData, { fileMustExist: true, timeout: 0 });
    parentPort.postMessage(db.pragma("wal_checkpoint(PASSIVE)"));
    db.close();`;
  const worker = new Worker(code, { eval: true, workerData: file });
  const result = await new Promise((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
  });
  expect(
    result,
    "better-sqlite3 no longer works in a worker thread: lib/outbox/sqlite/checkpoint-worker.ts carries the -wal over there.",
  ).toMatchObject([{ busy: 0 }]);
});

test("an exclusive transaction keeps every other connection out until it is closed", () => {
  const lease = join(folder, "lease");
  const holder = open(lease);
  holder.exec("BEGIN EXCLUSIVE");
  const taken = () => codeOf(() => open(lease).exec("BEGIN EXCLUSIVE"));
  expect(
    taken(),
    "BEGIN EXCLUSIVE no longer fails at once with SQLITE_BUSY while another connection holds it: lib/outbox/sqlite/claims.ts has one process deliver by it, and reports would be sent twice.",
  ).toBe("SQLITE_BUSY");
  holder.close();
  expect(
    taken(),
    "Closing a connection no longer gives back BEGIN EXCLUSIVE: lib/outbox/sqlite/claims.ts relies on it, and nobody would deliver.",
  ).toBe("nothing was thrown");
});

test("faults come as SqliteError with the codes that the outbox tells apart", () => {
  const sentence = (what: string) =>
    `better-sqlite3 gives ${what} another code: lib/outbox/sqlite/outbox-file.ts tells faults apart by it.`;
  const db = openInWal();
  const other = open();
  db.exec("BEGIN IMMEDIATE");
  expect(
    codeOf(() => other.exec("BEGIN IMMEDIATE")),
    sentence("a held lock"),
  ).toBe("SQLITE_BUSY");
  db.exec("ROLLBACK");
  db.pragma("max_page_count = 4");
  const fill = db.prepare("INSERT INTO reports (envelope) VALUES (zeroblob(90000))");
  expect(
    codeOf(() => fill.run()),
    sentence("a full disk"),
  ).toBe("SQLITE_FULL");

  const noDatabase = join(folder, "text.db");
  writeFileSync(noDatabase, "This is no database at all. ".repeat(100));
  expect(
    codeOf(() => open(noDatabase).pragma("journal_mode = WAL")),
    sentence("a file that is none of SQLite's"),
  ).toBe("SQLITE_NOTADB");

  const damaged = join(folder, "damaged.db");
  const whole = open(damaged);
  whole.exec("CREATE TABLE reports (envelope BLOB); INSERT INTO reports VALUES (zeroblob(90000))");
  whole.close();
  truncateSync(damaged, 8192);
  expect(
    codeOf(() => open(damaged).prepare("SELECT * FROM reports").all()),
    sentence("a damaged file"),
  ).toMatch(/^SQLITE_(CORRUPT|IOERR_SHORT_READ)/);
});

test("ids count on from what is put into sqlite_sequence", () => {
  const db = openInWal();
  db.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ('reports', 1000)");
  const { lastInsertRowid } = db.prepare("INSERT INTO reports (envelope) VALUES (NULL)").run();
  expect(
    lastInsertRowid,
    "AUTOINCREMENT no longer counts on from sqlite_sequence: lib/outbox/sqlite/outbox-file.ts sets it, so that a new file never uses an id again.",
  ).toBe(1001);
});

test("data_version tells of the commits of others, and of nobody else's", () => {
  const [db, other] = [openInWal(), openInWal()];
  const version = () => db.pragma("data_version", { simple: true });
  const insert = "INSERT INTO reports (envelope) VALUES (x'00')";
  const before = version();
  db.exec(insert);
  db.exec("BEGIN IMMEDIATE");
  db.exec(insert);
  const within = version();
  db.exec("COMMIT");
  other.exec(insert);
  expect(
    [within === before, version() === before],
    "PRAGMA data_version no longer changes with the commits of other connections alone: lib/outbox/sqlite/report-table.ts counts the reports again when it changes.",
  ).toEqual([true, false]);
});

test("statements go on when another connection replaces their index", () => {
  const [db, other] = [openInWal(), openInWal()];
  db.exec("CREATE INDEX by_size ON reports (length(envelope))");
  const insert = db.prepare("INSERT INTO reports (envelope) VALUES (x'00')");
  const count = db.prepare("SELECT count(*) FROM reports INDEXED BY by_size").pluck();
  insert.run();
  other.exec("BEGIN; DROP INDEX by_size; CREATE INDEX by_size ON reports ((id > 1), id); COMMIT");
  insert.run();
  expect(
    count.get(),
    "A statement no longer survives that its index is replaced: lib/outbox/sqlite/schema.ts does that while a process of the version before is at work.",
  ).toBe(2);
});
