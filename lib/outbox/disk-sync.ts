import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

/**
 * Waits for the disk without stopping the process: what was written to the file, through whatever
 * handle, is on disk once a sync that began afterwards has ended. Not to be used on a file that
 * SQLite locks by `fcntl`, where closing a handle gives its locks away; a `-wal` is none.
 */
export class DiskSync {
  readonly #handle: number;
  #underWay = 0;
  #closed = false;

  constructor(file: string) {
    this.#handle = openSync(file, "r+");
  }

  /** @throws {Error} of the file system */
  sync(): Promise<void> {
    this.#underWay++;
    return new Promise((resolve, reject) => {
      fdatasync(this.#handle, (error) => {
        this.#underWay--;
        this.#release();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** The same, before it returns. */
  syncNow(): void {
    fdatasyncSync(this.#handle);
  }

  /** Takes effect when no sync is under way any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    if (this.#closed && this.#underWay === 0) closeSync(this.#handle);
  }
}
