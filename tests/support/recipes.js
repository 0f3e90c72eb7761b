import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * One change to the project that a document shows.
 *
 * @typedef {{ kind: "write", file: string, text: string }
 *   | { kind: "edit", file: string, diff: string }
 *   | { kind: "drop", file: string, line: string }
 *   | { kind: "replace", file: string, old: string, text: string }
 *   | { kind: "remove", file: string }
 *   | { kind: "copy", file: string, to: string }} Step
 */

/**
 * The steps of a section of a document: its blocks of code in order, then the rows of its tables.
 *
 * A block of the language `diff` shows lines to add and to remove. Lines `+++` name the files in it.
 * One of the language `sh` holds `rm`, `cp` and `mkdir`, any other the text of a new file. Without
 * `+++`, the line before a block names the file or files that it is about. A row names files, then
 * lines that go, or texts with an arrow and what they become.
 *
 * @param {string} heading of the section
 * @param {string} [file] the document
 * @returns {Step[]}
 */
export function recipe(heading, file = "docs/make-it-yours.md") {
  const doc = readFileSync(file, "utf8");
  const section = doc.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`${file} has no section "${heading}"`);
  const blocks = section.matchAll(/([^\n]*)\n+```(\w+)\n(.*?)^```$/gms);
  const steps = [...blocks].flatMap(
    /** @returns {Step[]} */ ([, before = "", language, text = ""]) => {
      if (language === "sh") return text.trimEnd().split("\n").flatMap(command);
      const [head, ...parts] = text.split(/^\+\+\+ /m);
      if (head === "" && parts.length > 0) return parts.flatMap(filePart);
      const files = [...before.matchAll(/`([^`]+\.\w+)`/g)].map(([, file = ""]) => file);
      if (files.length === 0) throw new Error(`A block of "${heading}" names no file before it`);
      return files.map((file) =>
        language === "diff" ? { kind: "edit", file, diff: text } : { kind: "write", file, text },
      );
    },
  );
  return [...steps, ...[...section.matchAll(/^\| (`.+`) \| (`.+`) \|$/gm)].flatMap(tableRow)];
}

/**
 * @param {string} part of a diff, from the names of its files on
 * @returns {Step[]}
 */
function filePart(part) {
  const [names = "", ...lines] = part.split("\n");
  return names.split(" ").map((file) => ({ kind: "edit", file, diff: lines.join("\n") }));
}

/**
 * @param {string[]} row of a table, with its two cells
 * @returns {Step[]}
 */
function tableRow([, names = "", changes = ""]) {
  const files = [...names.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
  return files.flatMap((file) =>
    [...changes.matchAll(/`([^`]+)`(?: → `([^`]+)`)?/g)].map(
      /** @returns {Step} */ ([, old = "", text]) =>
        text === undefined
          ? { kind: "drop", file, line: old }
          : { kind: "replace", file, old, text },
    ),
  );
}

/**
 * The steps of several sections. Where one changes what another removes, it is only removed.
 *
 * @param {string[]} headings
 * @returns {Step[]}
 */
export function recipes(headings) {
  const steps = headings.flatMap((heading) => recipe(heading));
  const removals = steps.filter(({ kind }) => kind === "remove");
  return steps.filter(
    (step) =>
      !removals.some(
        ({ file }) =>
          (step.file === file && step.kind !== "remove") || step.file.startsWith(`${file}/`),
      ),
  );
}

/**
 * @param {string} line of a shell block
 * @returns {Step[]}
 */
function command(line) {
  const [name, ...args] = line
    .split(/\s+/)
    .map((word) => word.replace(/^"(.*)"$/, "$1"))
    .filter((word) => word !== "-r");
  if (name === "mkdir") return [];
  if (name === "rm") {
    return args
      .flatMap((file) => (file.includes("*") ? globSync(file) : file))
      .map((file) => ({ kind: "remove", file }));
  }
  const [file, to, ...others] = args;
  if (name === "cp" && file && to && others.length === 0) return [{ kind: "copy", file, to }];
  throw new Error(`A recipe can't run: ${line}`);
}

/**
 * Does the steps in a copy of the project.
 *
 * @param {Step[]} steps
 * @param {string} folder of the copy
 * @throws where a file or a line that a step is about is not there
 */
export function perform(steps, folder) {
  for (const step of steps) {
    const path = join(folder, step.file);
    switch (step.kind) {
      case "write":
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, step.text);
        break;
      case "edit":
        writeFileSync(path, applyDiff(readFileSync(path, "utf8"), step.diff, step.file));
        break;
      case "drop":
        replaceOne(path, new RegExp(linesOf(step.line), "gm"), "");
        break;
      case "replace":
        replaceOne(path, new RegExp(within(step.old), "g"), step.text);
        break;
      case "remove":
        rmSync(path, { recursive: true });
        break;
      case "copy":
        cpSync(path, join(folder, step.to), { recursive: true });
    }
  }
}

/**
 * @param {string} path
 * @param {RegExp} old global
 * @param {string} text
 * @throws where there is not one place for it
 */
function replaceOne(path, old, text) {
  const before = readFileSync(path, "utf8");
  const { length } = before.match(old) ?? [];
  if (length !== 1) throw new Error(`${path} has ${length ?? 0} places for ${old}, not one`);
  writeFileSync(
    path,
    before.replace(old, () => text),
  );
}

/**
 * Matches whole lines. `…` stands for the rest of a line, or for all lines up to one that is indented
 * as the first, and goes on as the text does.
 *
 * @param {string} text without the indentation
 */
function linesOf(text) {
  return `^( *)${text.split("…").map(escaped).join("(?:.*|[^]*?\\n\\1)")}\\n`;
}

/** @param {string} text in which `…` stands for what is there */
function within(text) {
  return text.split("…").map(escaped).join(".*");
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/**
 * Applies a diff without line numbers. A line `@@` separates its parts. In a line, `…` stands for any
 * text; alone, for any number of lines.
 *
 * @param {string} text
 * @param {string} diff
 * @param {string} file named in errors
 * @returns {string}
 * @throws where a part does not fit exactly one place
 */
export function applyDiff(text, diff, file) {
  return diff.split(/^@@\n/m).reduce((current, part) => {
    const lines = part.replace(/\n$/, "").split("\n");
    const old = lines.filter((line) => !line.startsWith("+"));
    const found = [...current.matchAll(new RegExp(old.map(patternOf).join(""), "gm"))];
    const [match] = found;
    if (found.length !== 1 || !match) {
      throw new Error(`${file} has ${found.length} places for this change, not one:\n${part}`);
    }
    let next = 0;
    const replaced = lines.map((line) => {
      if (line.startsWith("+")) return `${line.slice(1)}\n`;
      next += 1;
      return line.startsWith("-") ? "" : (match[next] ?? "");
    });
    const end = match.index + match[0].length;
    return current.slice(0, match.index) + replaced.join("") + current.slice(end);
  }, text);
}

/**
 * Matches a line of the file that is to stay or to go, as one group.
 *
 * @param {string} line of a diff
 */
function patternOf(line) {
  const text = line.slice(1);
  if (text.trim() === "…") return "((?:.*\\n)*?)";
  return `(^${within(text)}\\n)`;
}
