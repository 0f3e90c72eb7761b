import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * The processes that use one database. Each has locked a file beside it for as long as it lives: the system
 * frees the lock of a process that dies, whichever way. So it is known also where containers share nothing
 * but this folder, and an id of a process says nothing.
 */
export class Processes {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #me: string;
  #own: DatabaseSync | undefined;

  constructor(file: string, me: string) {
    this.#me = me;
    this.#folder = dirname(file);
    this.#prefix = `${basename(file)}.process-`;
  }

  /** Locks the file of this process, if that is possible. */
  enter(): void {
    this.#own = lock(this.#pathOf(this.#me));
  }

  leave(): void {
    try {
      // Before the lock ends: a file without one is of a process that has died.
      rmSync(this.#pathOf(this.#me), { force: true });
    } catch {
      // The folder is none any more, or can't be written: others find the file then, and remove it.
    }
    this.#own?.close();
    this.#own = undefined;
  }

  /** @returns others that have died, each once */
  ended(): string[] {
    const ids = readdirSync(this.#folder)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length));
    return ids.filter((id) => {
      const locked = id === this.#me ? undefined : lock(this.#pathOf(id));
      if (!locked) return false;
      locked.close();
      rmSync(this.#pathOf(id), { force: true });
      return true;
    });
  }

  #pathOf(id: string): string {
    return join(this.#folder, this.#prefix + id);
  }
}

/** @returns undefined if another process has it, or there can be no such file */
function lock(path: string): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    // SQLite itself would make it as the process's umask says.
    closeSync(openSync(path, "a", 0o600));
    db = new DatabaseSync(path, { timeout: 0 });
    // Without a journal, which would be one more file.
    db.exec("pragma journal_mode = memory; begin exclusive");
    return db;
  } catch {
    db?.close();
    return undefined;
  }
}
