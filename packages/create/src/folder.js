import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder whose files are changed by what is in them. All paths are relative to it. */
export class Folder {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** @param {string} path */
  has(path) {
    return existsSync(join(this.folder, path));
  }

  /** @param {string} file */
  read(file) {
    return readFileSync(join(this.folder, file), "utf8");
  }

  /**
   * @param {string} file
   * @param {string} text
   */
  write(file, text) {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /**
   * @param {string[]} paths
   * @throws where one of these files or folders is not there
   */
  remove(...paths) {
    for (const path of paths) rmSync(join(this.folder, path), { recursive: true });
  }

  /**
   * @param {string} file
   * @param {string | RegExp} old
   * @param {string} text
   * @throws {Error} where the old text is not there exactly once
   */
  replace(file, old, text) {
    const before = this.read(file);
    const pattern = new RegExp(typeof old === "string" ? escaped(old) : old.source, "gm");
    const { length = 0 } = before.match(pattern) ?? [];
    if (length !== 1) {
      throw new Error(`${join(this.folder, file)} has ${length} places for ${pattern}, not one`);
    }
    this.write(
      file,
      before.replace(pattern, () => text),
    );
  }

  /**
   * Removes lines by what each begins with, without its indentation.
   *
   * @param {string} file
   * @param {string[]} beginnings
   */
  removeLines(file, ...beginnings) {
    for (const text of beginnings) this.replace(file, new RegExp(`^ *${escaped(text)}.*\\n`), "");
  }

  /**
   * Removes properties of an object literal, each with all of its value.
   *
   * @param {string} file
   * @param {string[]} names
   */
  removeProperties(file, ...names) {
    for (const name of names) {
      const value = "(?: \\{\\n[\\s\\S]*?^\\1\\},\\n| .*\\n)";
      this.replace(file, new RegExp(`^( *)${escaped(name)}:${value}`), "");
    }
  }

  /**
   * Adds lines after the one that has this text.
   *
   * @param {string} file
   * @param {string} after
   * @param {string[]} lines
   */
  addLines(file, after, ...lines) {
    this.replace(file, after, [after, ...lines].join("\n"));
  }
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
