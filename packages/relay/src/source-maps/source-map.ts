import { posix } from "node:path";
import { TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import type { BuiltPosition, SourceCode, SourceFrame } from "./frames.ts";

/** Lines of code on either side. */
const linesAround = 5;
const maxCodeLength = 200;

/** A parsed source map without sections. */
interface SourceMap {
  version: 3;
  names: string[];
  sources: string[];
  sourcesContent?: (string | null)[];
  mappings: string;
}

/** A part of the built file, from `offset` on. */
interface Section {
  offset: { line: number; column: number };
  map: SourceMap;
}

/** A parsed source map: https://tc39.es/ecma426/. The build's own are taken at their word. */
export type RawMap = SourceMap | { sections: Section[] };

/**
 * Looks up positions. A section is decoded only where a position is in it.
 *
 * @param distDir Next's folder, as its configuration names it: with slashes, relative to the app's
 * @returns as many as positions; undefined for those that the map has no source for
 * @throws {Error} for what is no source map
 */
export function findSources(
  map: RawMap,
  positions: readonly BuiltPosition[],
  distDir: string,
): (SourceFrame | undefined)[] {
  const sections = "sections" in map ? map.sections : [{ offset: { line: 0, column: 0 }, map }];
  const decoded = new Map<Section, TraceMap>();
  /** A stack goes to and fro between a few sources: each is split once. */
  const split = new Map<string, string[]>();
  return positions.map(({ file, line, column }) => {
    const section = sections.findLast(
      ({ offset }) => offset.line < line || (offset.line === line && offset.column <= column),
    );
    if (!section) return undefined;
    const { offset, map: part } = section;
    const traced = decoded.get(section) ?? new TraceMap(part);
    decoded.set(section, traced);
    const begin = line === offset.line ? offset.column : 0;
    const segment = traceSegment(traced, line - offset.line, column - begin);
    return segment ? sourceFrame(part, segment, `${distDir}/${file}`, split) : undefined;
  });
}

function sourceFrame(
  map: SourceMap,
  [, source = -1, line = 0, column = 0]: readonly number[],
  builtFile: string,
  split: Map<string, string[]>,
): SourceFrame | undefined {
  const name = map.sources[source];
  if (!name) return undefined;
  const file = projectPath(name, posix.dirname(builtFile));
  const own = !file.startsWith("[") && !file.split("/").includes("node_modules");
  const text = map.sourcesContent?.[source] ?? "";
  const lines = split.get(text) ?? text.split(/\r?\n/);
  split.set(text, lines);
  return {
    resolved: true,
    file,
    line: line + 1,
    column: column + 1,
    function: enclosingFunction(lines, line, column),
    own,
    code: own && text ? codeAround(lines, line, column) : undefined,
  };
}

/**
 * Browser maps name sources by `turbopack:///[project]/path` or `webpack://name/./path`, server maps
 * by a URL relative to the map.
 */
function projectPath(source: string, folder: string): string {
  const inProject = source
    .replace(/^turbopack:\/\/\/(?:\[project\]\/)?/, "")
    .replace(/^webpack:\/\/[\w-]*\/(?:\.\/)?/, "");
  return inProject === source ? posix.join(folder, decodeURIComponent(source)) : inProject;
}

function codeAround(lines: string[], line: number, column: number): SourceCode {
  const cut = (from: number, to: number) =>
    lines.slice(Math.max(0, from), to).map((text) => text.slice(0, maxCodeLength));
  const start = column < maxCodeLength ? 0 : column - maxCodeLength / 2;
  return {
    before: cut(line - linesAround, line),
    line: lines[line]?.slice(start, start + maxCodeLength) ?? "",
    after: cut(line + 1, line + 1 + linesAround),
  };
}

/** Lines looked at upwards of a position. */
const maxLines = 3000;
const maxLineLength = 500;

const notFunctions = new Set(
  "if for while switch catch with return function await new typeof super".split(" "),
);
// In these, no two spaces follow each other, see `compact`.
const declaration = /\bfunction\b ?\*? ?([\w$]+)/g;
/** `const name = (…) =>`, `name={(…) =>`, `name: async (…) =>`, `name = function` */
const assignment =
  /(?<![\w$])([\w$]+) ?(?::[^=(){}]{1,200})?[:=] ?\{? ?\(? ?(?:async )?(?:function\b|(?:\([^()]*\)|[\w$]+) ?(?::[^=(){}]{1,100})?=>)/g;
const functions = [declaration, assignment];
const method =
  /^(?:(?:public|private|protected|static|override|async|get|set) )*\*?(#?[\w$]+) ?(?:<[^<>]*>)?\([^;]*\) ?(?::[^={}]*)?\{$/g;

/**
 * The name of the function around a position. Maps rarely say it, so it is found by the indentation
 * of the source. In a function without a name it is that of the next one around it.
 *
 * @param lines from 0
 * @param line from 0
 * @param column from 0
 * @returns undefined at the top level
 */
export function enclosingFunction(
  lines: readonly string[],
  line: number,
  column: number,
): string | undefined {
  const own = lines[line] ?? "";
  const inLine = nameIn(compact(own.slice(0, column).slice(-maxLineLength)), functions);
  if (inLine) return inLine;
  let indent = indentOf(own);
  for (let i = line - 1; i >= 0 && i >= line - maxLines && indent > 0; i -= 1) {
    const text = lines[i] ?? "";
    if (text.length > maxLineLength || indentOf(text) >= indent) continue;
    const trimmed = compact(text.trim());
    if (!trimmed) continue;
    const name = nameIn(trimmed, functions) ?? nameIn(trimmed, [method]);
    if (name) return name;
    // The end of a head over several lines: the name stands where that begins, indented alike.
    indent = indentOf(text) + (trimmed.startsWith(")") ? 1 : 0);
  }
  return undefined;
}

function compact(text: string) {
  return text.replace(/\s+/g, " ");
}

function indentOf(text: string) {
  return text.length - text.trimStart().length;
}

/** @returns the last name of a function that begins in the text */
function nameIn(text: string, patterns: RegExp[]): string | undefined {
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(([, name = ""]) => !notFunctions.has(name))
    .sort((a, b) => a.index - b.index)
    .at(-1)?.[1];
}
