import Database from "better-sqlite3";
import { isBusy } from "./database";

/**
 * The right to deliver, held by one process at a time: an exclusive lock on a file of its own.
 * The operating system takes it back the moment the process ends, by `kill -9` too, so that
 * nobody waits for a lease to run out and no clock decides who may send.
 */
export class Lease {
  #db: Database.Database | undefined;

  constructor(private readonly file: string) {}

  get held(): boolean {
    return this.#db !== undefined;
  }

  /**
   * @returns whether it is held now
   * @throws {Error} of better-sqlite3 when the file can't be used
   */
  acquire(): boolean {
    if (this.#db) return true;
    const db = new Database(this.file, { timeout: 0 });
    try {
      db.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      db.close();
      if (isBusy(error)) return false;
      throw error;
    }
    this.#db = db;
    return true;
  }

  release(): void {
    this.#db?.close();
    this.#db = undefined;
  }
}
