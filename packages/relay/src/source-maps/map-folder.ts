import { existsSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

const ending = ".map.gz";

/**
 * The maps in the folder that the build has left, as they are when it is first read. A file's name
 * from a report is only looked up among the names that are there, never made into a path.
 */
export class MapFolder {
  readonly #folder: string;
  /** Such as `b1/static/chunks/0abc.js`. */
  readonly #names = new Set<string>();
  readonly #builds = new Set<string>();

  /** @throws {Error} where it is there and can't be read */
  constructor(folder: string) {
    this.#folder = folder;
    if (!existsSync(folder)) return;
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(ending)) continue;
      const name = path.slice(0, -ending.length).replaceAll(sep, "/");
      this.#names.add(name);
      this.#builds.add(name.slice(0, name.indexOf("/")));
    }
  }

  /**
   * The map of a built file: of the given builds first, or else, where a file's name changes with its
   * content, of any.
   *
   * @param file such as `static/chunks/0abc.js`
   * @returns its path
   */
  find(file: string, builds: readonly string[]): string | undefined {
    const known = builds.filter((build) => this.#builds.has(build));
    const name = [...known, ...(file.startsWith("static/") ? this.#builds : [])]
      .map((build) => `${build}/${file}`)
      .find((candidate) => this.#names.has(candidate));
    return name && join(this.#folder, name + ending);
  }
}
