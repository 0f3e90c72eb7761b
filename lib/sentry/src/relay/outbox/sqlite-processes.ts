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
  readonly #unseen: string;
  #own: DatabaseSync | undefined;

  constructor(file: string, me: string) {
    this.#me = me;
    this.#folder = dirname(file);
    this.#prefix = `${basename(file)}.process-`;
    // A name of which bundlers find no file: of `join` and a dot, they find all of the project.
    this.#unseen = `${file}.starting-${me}`;
  }

  /**
   * Locks the file of this process, if that is possible. Windows renames no open file: claims of processes that
   * die end with their leases there.
   */
  enter(): void {
    // Under a name that others don't look for: they take a file without a lock for that of the dead.
    try {
      this.#own = lock(this.#unseen, "exclusive");
      renameSync(this.#unseen, this.#pathOf(this.#me));
    } catch {
      this.leave();
    }
  }

  leave(): void {
    try {
      // Before the lock ends: a file without one is of a process that has died.
      rmSync(this.#pathOf(this.#me), { force: true });
      rmSync(this.#unseen, { force: true });
    } catch {
      // The folder is none any more, or can't be written: others find the file then, and remove it.
    }
    this.#own?.close();
    this.#own = undefined;
  }

  /** @returns others that have died, each once */
  ended(): string[] {
    return this.#dead("exclusive").filter((id) => {
      try {
        rmSync(this.#pathOf(id), { force: true });
        return true;
      } catch {
        return false;
      }
    });
  }

  /** @returns whether one has died and nobody was told yet: it may have been the power that failed */
  haveDied(): boolean {
    // All that ask at the same moment see it.
    return this.#dead("shared").length > 0;
  }

  #dead(how: "exclusive" | "shared"): string[] {
    const ids = readdirSync(this.#folder)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length));
    return ids.filter((id) => {
      if (id === this.#me) return false;
      try {
        lock(this.#pathOf(id), how).close();
        return true;
      } catch {
        // It lives, or another looks at it.
        return false;
      }
    });
  }

  #pathOf(id: string): string {
    return join(this.#folder, this.#prefix + id);
  }
}

/**
 * Locks a file, which is made if it is missing, until what is returned is closed, or the process ends.
 *
 * @param how for this process alone, or with all that share it
 * @throws what SQLite or the file system says, such as that another process has it
 */
export function lock(path: string, how: "exclusive" | "shared"): DatabaseSync {
  // SQLite itself would make it as the process's umask says.
  closeSync(openSync(path, "a", 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Without a journal, which would be one more file.
    db.exec("pragma journal_mode = memory");
    db.exec(how === "exclusive" ? "begin exclusive" : "begin; select 1 from sqlite_master");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
