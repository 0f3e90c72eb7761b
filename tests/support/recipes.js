import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * One change to the project that a document shows.
 *
 * @typedef {{ kind: "write", file: string, text: string }
 *   | { kind: "edit", file: string, diff: string }
 *   | { kind: "remove", file: string }
 *   | { kind: "copy", file: string, to: string }} Step
 */

/**
 * The steps of a section of a document, in order. The line before a block of code names
 * the file or files that it is about. A block of the language `diff` shows lines to add and to
 * remove, one of the language `sh` holds `rm` and `cp`, any other the text of a new file.
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
  return [...blocks].flatMap(([, before = "", language, text = ""]) => {
    if (language === "sh") return text.trimEnd().split("\n").flatMap(command);
    const files = [...before.matchAll(/`([^`]+\.\w+)`/g)].map(([, file = ""]) => file);
    if (files.length === 0) throw new Error(`A block of "${heading}" names no file before it`);
    return files.map((file) =>
      language === "diff" ? { kind: "edit", file, diff: text } : { kind: "write", file, text },
    );
  });
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
  if (name === "rm") return args.map((file) => ({ kind: "remove", file }));
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
      case "remove":
        rmSync(path, { recursive: true });
        break;
      case "copy":
        cpSync(path, join(folder, step.to), { recursive: true });
    }
  }
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
  const escaped = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return `(^${escaped.join(".*")}\\n)`;
}
