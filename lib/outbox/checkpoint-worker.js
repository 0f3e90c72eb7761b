import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

/**
 * A thread that carries over into the database what SQLite has gathered in its `-wal`, with the
 * waits for the disk that this takes. Asked for a step, it answers with an error's words, or with
 * nothing:
 *
 * - `most`: carries over all that is there, and minds no writer beside it.
 * - `rest`: does so again and writes a line. If nobody else writes meanwhile, that line begins the
 *   `-wal` anew, and the wait for the disk that a new one takes is over.
 *
 * Source: https://www.sqlite.org/wal.html#checkpointing
 *
 * @typedef {{ step: "most" | "rest", identity: string | undefined }} CheckpointRequest `identity`
 *   is the file's, as `fileIdentity` gives it: another one at the same path is left alone
 */
parentPort?.on("message", (/** @type {CheckpointRequest} */ request) => {
  /** @type {string | undefined} */
  let trouble;
  try {
    checkpoint(workerData.file, request);
  } catch (error) {
    // Another process that writes will carry it over.
    const busy = error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
    trouble = busy ? undefined : String(error);
  }
  parentPort?.postMessage(trouble);
});

/**
 * @param {string} file opened for this once, as it may be deleted or replaced at any time
 * @param {CheckpointRequest} request
 */
function checkpoint(file, { step, identity }) {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma("synchronous = NORMAL");
    // Reading opens the `-wal`. If the file is still the same then, the `-wal` is its own.
    db.pragma("schema_version");
    const { dev, ino } = statSync(file);
    if (`${dev}:${ino}` !== identity) return;
    db.pragma("wal_checkpoint(PASSIVE)");
    if (step === "most") return;
    db.prepare(
      `INSERT INTO notes (name, value) VALUES ('checkpoint', '')
       ON CONFLICT DO UPDATE SET value = excluded.value`,
    ).run();
  } finally {
    db.close();
  }
}
