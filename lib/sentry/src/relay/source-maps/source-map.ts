import { posix } from "node:path";
import type { BuiltPosition, SourceCode, SourceFrame } from "./frames.ts";
import { enclosingFunction } from "./function-names.ts";

/** Lines of code on either side. */
const linesAround = 5;
const maxCodeLength = 200;

/** A parsed source map: https://tc39.es/ecma426/. The build's own are taken at their word. */
export interface RawMap {
  sections?: { offset: { line: number; column: number }; map: RawMap }[];
  sources: string[];
  sourcesContent?: (string | null)[];
  mappings: string;
}

/** Where code of a source begins in the built file. All numbers are from 0. */
interface Segment {
  map: RawMap;
  line: number;
  /** Column, and where code has one: index of the source, its line, its column. */
  fields: number[];
}

/**
 * Looks up positions in one pass over the map. Decoded as a whole, as libraries do it, the largest
 * takes three times as long, and 80 MB.
 *
 * @returns as many as positions; undefined for those that the map has no source for
 * @throws {Error} for what is no source map
 */
export function findSources(
  map: RawMap,
  positions: readonly BuiltPosition[],
): (SourceFrame | undefined)[] {
  const byLine = new Map<number, [index: number, column: number][]>();
  for (const [index, { line, column }] of positions.entries()) {
    byLine.set(line, [...(byLine.get(line) ?? []), [index, column]]);
  }
  const begun: Segment[] = [];
  for (const { offset, map: part } of map.sections ?? [{ offset: { line: 0, column: 0 }, map }]) {
    for (const segment of segmentsOf(part, offset, byLine)) {
      const [begin = 0] = segment.fields;
      for (const [index, column] of byLine.get(segment.line) ?? []) {
        // Of several that begin right there, the first counts.
        if (begin <= column && begun[index]?.fields[0] !== column) begun[index] = segment;
      }
    }
  }
  /** A stack goes to and fro between a few sources: each is split once. */
  const split = new Map<string, string[]>();
  return positions.map(({ file }, i) => begun[i] && sourceFrame(begun[i], file, split));
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitValues: (number | undefined)[] = Array(128).fill(undefined);
for (const [value, digit] of [...digits].entries()) digitValues[digit.charCodeAt(0)] = value;

/** Each field is a Base 64 VLQ: the difference to the same field of the segment before. */
function* segmentsOf(
  map: RawMap,
  offset: { line: number; column: number },
  lines: ReadonlyMap<number, unknown>,
): Generator<Segment> {
  const { mappings } = map;
  const sums = [offset.column, 0, 0, 0, 0];
  let [line, field, value, shift] = [offset.line, 0, 0, 0];
  for (let i = 0; i <= mappings.length; i += 1) {
    const digit = digitValues[mappings.charCodeAt(i)];
    if (digit === undefined) {
      if (field > 0 && lines.has(line)) yield { map, line, fields: sums.slice(0, field) };
      field = 0;
      if (mappings[i] !== ";") continue;
      line += 1;
      sums[0] = 0;
      continue;
    }
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    sums[field] = (sums[field] ?? 0) + (value & 1 ? -(value >>> 1) : value >>> 1);
    field += 1;
    value = 0;
    shift = 0;
  }
}

function sourceFrame(
  { map, fields }: Segment,
  builtFile: string,
  split: Map<string, string[]>,
): SourceFrame | undefined {
  const [, source = -1, line = 0, column = 0] = fields;
  const name = map.sources[source];
  if (!name) return undefined;
  const file = projectPath(name, posix.dirname(`.next/${builtFile}`));
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
