import { closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
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
    // Under a name that others don't look for: they take a file without a lock for that of the dead.
    const unseen = join(this.#folder, `.${this.#prefix}${this.#me}`);
    this.#own = lock(unseen, this.#pathOf(this.#me));
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

/**
 * @param name what the file is called once it is locked
 * @returns undefined if another process has it, or there can be no such file
 */
function lock(path: string, name = path): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    // SQLite itself would make it as the process's umask says.
    closeSync(openSync(path, "a", 0o600));
    db = new DatabaseSync(path, { timeout: 0 });
    // Without a journal, which would be one more file.
    db.exec("pragma journal_mode = memory; begin exclusive");
    renameSync(path, name);
    return db;
  } catch {
    db?.close();
    return undefined;
  }
}
