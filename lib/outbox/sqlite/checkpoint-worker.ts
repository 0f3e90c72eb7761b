import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

/**
 * The thread behind `Checkpoints`. It answers each request with an error's text, or with undefined.
 *
 * - `copy` copies the `-wal` into the database while others write.
 * - `restart` copies the rest and writes one row. If nobody else writes meanwhile, SQLite starts
 *   the `-wal` from its beginning with that row, and waits for the disk here instead of in the
 *   process's next write.
 *
 * Source: https://www.sqlite.org/wal.html#checkpointing
 *
 * `identity`: of the file that the process writes, as `fileIdentity` returns it.
 */
export type CheckpointRequest = { step: "copy" | "restart"; identity: string | undefined };

parentPort?.on("message", (request: CheckpointRequest) => {
  let failure: string | undefined;
  try {
    checkpoint(workerData.file, request);
  } catch (error) {
    // Another process is writing, and will do the checkpoint.
    const busy = error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
    failure = busy ? undefined : String(error);
  }
  parentPort?.postMessage(failure);
});

/** @param file opened for each step, as it can be deleted or replaced at any time */
function checkpoint(file: string, { step, identity }: CheckpointRequest) {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma("synchronous = NORMAL");
    // A read opens the `-wal`. If the path still names the same file after that, they belong together.
    db.pragma("schema_version");
    const { dev, ino } = statSync(file);
    if (`${dev}:${ino}` !== identity) return;
    db.pragma("wal_checkpoint(PASSIVE)");
    if (step === "copy") return;
    db.prepare(
      `INSERT INTO notes (name, value) VALUES ('checkpoint', '')
       ON CONFLICT DO UPDATE SET value = excluded.value`,
    ).run();
  } finally {
    db.close();
  }
}
