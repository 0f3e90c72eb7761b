import { closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * The processes that use one database. Each has locked a file beside it for as long as it lives: the system
 * frees the lock of a process that dies, whichever way. So it is known also where containers share nothing
 * but this folder, and an id of a process says nothing.
 */
export class Processes {
  readonly #file: string;
  readonly #me: string;
  readonly #unseen: string;
  #own: DatabaseSync | undefined;

  constructor(file: string, me: string) {
    this.#file = file;
    this.#me = me;
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
      renameSync(this.#unseen, this.#pathOf("process", this.#me));
    } catch {
      this.leave();
    }
  }

  leave(): void {
    try {
      // Before the lock ends: a file without one is of a process that has died.
      rmSync(this.#pathOf("process", this.#me), { force: true });
      rmSync(this.#unseen, { force: true });
    } catch {
      // The folder is none any more, or can't be written: others find the file then, and remove it.
    }
    this.#own?.close();
    this.#own = undefined;
  }

  /** This process is about to exit by itself, with or without claims. */
  exit(): void {
    if (!this.#own) return;
    try {
      renameSync(this.#pathOf("process", this.#me), this.#pathOf("exited", this.#me));
    } catch {
      // As if it were killed.
    }
  }

  /** @returns others that have ended, each once */
  ended(): string[] {
    return (["process", "exited"] as const).flatMap((how) =>
      this.#unlocked(how, "exclusive").filter((id) => {
        try {
          rmSync(this.#pathOf(how, id), { force: true });
          return true;
        } catch {
          return false;
        }
      }),
    );
  }

  /** @returns whether one was killed and nobody was told yet: it may have been the power that failed */
  wereKilled(): boolean {
    // All that ask at the same moment see it.
    return this.#unlocked("process", "shared").length > 0;
  }

  /** @returns those others that have ended this way */
  #unlocked(how: "process" | "exited", lockedBy: "exclusive" | "shared"): string[] {
    const prefix = basename(this.#pathOf(how, ""));
    const ids = readdirSync(dirname(this.#file))
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
    return ids.filter((id) => {
      if (id === this.#me) return false;
      try {
        lock(this.#pathOf(how, id), lockedBy).close();
        return true;
      } catch {
        // It lives, or another looks at it.
        return false;
      }
    });
  }

  #pathOf(how: "process" | "exited", id: string): string {
    return `${this.#file}.${how}-${id}`;
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
