import { posix } from "node:path";
import { TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import type { SourceCode } from "./frames.ts";
import { calledFunction, enclosingFunction } from "./function-names.ts";
import { SourceLines } from "./source-lines.ts";

/** Lines of code on either side. */
const linesAround = 5;
const maxCodeLength = 200;
const maxFileLength = 500;
/** What a character of the mappings takes in memory, decoded: some six make an array of five numbers. */
const bytesPerCharacter = 16;

/** What a map says of one position. */
export interface SourcePosition {
  file: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** The function around it. */
  inside: string | undefined;
  /** The function called there. */
  calls: string | undefined;
  own: boolean;
  code: SourceCode | undefined;
}

/** A map, or one section of a map. */
interface Section {
  /** Where it begins in the built file, from 0. */
  line: number;
  /** From 0. */
  column: number;
  sources: string[];
  contents: (string | null)[];
  mappings: string;
  /** Made when it is first asked. */
  traced?: TraceMap;
  /** Of the sources used so far: a stack goes to and fro between a few. */
  lines: Map<number, SourceLines>;
}

/** The build's own maps are taken at their word, but for their size. */
interface RawMap {
  sections?: RawSection[];
  sources: string[];
  sourcesContent?: (string | null)[];
  mappings: string;
}

interface RawSection {
  offset: { line: number; column: number };
  map: RawMap;
}

/**
 * One parsed source map. Only the section that holds a position is decoded: a chunk has hundreds of
 * modules, each with a section of its own, and a stack passes through a few of them.
 *
 * Format: https://tc39.es/ecma426/
 */
export class SourceMap {
  /** In order. */
  #sections: Section[];
  #folder: string;
  /** Estimate of what it takes in memory. */
  bytes;

  /**
   * @param file the built file's path in the project, which sources may be relative to
   * @throws {Error} for anything else, and for a section that refers to another file
   */
  constructor(file: string, json: string) {
    const map: RawMap = JSON.parse(json);
    this.#folder = posix.dirname(file);
    this.#sections = Array.isArray(map.sections)
      ? map.sections.map(({ offset, map }) => section(offset, map))
      : [section({ line: 0, column: 0 }, map)];
    this.bytes = 2 * json.length;
  }

  /**
   * @param line in the built file, from 0
   * @param column from 0
   */
  find(line: number, column: number): SourcePosition | undefined {
    const part = this.#sections.findLast(
      (begin) => begin.line < line || (begin.line === line && begin.column <= column),
    );
    if (!part) return undefined;
    const shift = part.line === line ? part.column : 0;
    const segment = traceSegment(this.#traced(part), line - part.line, column - shift);
    if (!segment || segment.length === 1) return undefined;
    const [, source, sourceLine, sourceColumn] = segment;
    const file = projectPath(part.sources[source], this.#folder);
    if (!file) return undefined;
    const own = !file.startsWith("[") && !file.split("/").includes("node_modules");
    const lines = this.#linesOf(part, source);
    const text = lines?.at(sourceLine);
    return {
      file,
      line: sourceLine + 1,
      column: sourceColumn + 1,
      own,
      inside: lines && enclosingFunction(lines, sourceLine, sourceColumn),
      calls: text === undefined ? undefined : calledFunction(text, sourceColumn),
      code: own && lines ? codeAround(lines, sourceLine, sourceColumn) : undefined,
    };
  }

  #traced(part: Section) {
    if (!part.traced) {
      const { sources, mappings } = part;
      this.bytes += bytesPerCharacter * mappings.length;
      part.traced = new TraceMap({ version: 3, names: [], sources, mappings });
    }
    return part.traced;
  }

  #linesOf(part: Section, source: number) {
    const text = part.contents[source];
    if (typeof text !== "string") return undefined;
    const known = part.lines.get(source);
    if (known) return known;
    const lines = new SourceLines(text);
    this.bytes += lines.bytes;
    part.lines.set(source, lines);
    return lines;
  }
}

function section(offset: RawSection["offset"], map: RawMap): Section {
  const { sources, sourcesContent: contents = [], mappings } = map;
  if (typeof mappings !== "string") throw new Error("The file is no source map.");
  return { ...offset, sources, contents, mappings, lines: new Map() };
}

/**
 * Browser maps name sources by `turbopack:///[project]/path` or `webpack://name/./path`, server maps
 * by a URL relative to the map. What leads out of the project or is at any other address is no name.
 *
 * @param folder of the map
 */
export function projectPath(source: string | undefined, folder: string): string | undefined {
  if (!source || source.length > maxFileLength) return undefined;
  const inProject = source
    .replace(/^turbopack:\/\/\/(?:\[project\]\/)?/, "")
    .replace(/^webpack:\/\/[\w-]*\/(?:\.\/)?/, "");
  const path = inProject === source ? relativePath(source, folder) : inProject;
  if (!path || /^[\\/]|[:\p{Cc}]/u.test(path)) return undefined;
  return path.split(/[\\/]/).includes("..") ? undefined : path;
}

function relativePath(source: string, folder: string) {
  if (/^[a-z][a-z\d+.-]*:|^[\\/]/i.test(source)) return undefined;
  try {
    return posix.join(folder, decodeURIComponent(source));
  } catch {
    return undefined;
  }
}

function codeAround(lines: SourceLines, line: number, column: number): SourceCode {
  const cut = (numbers: number[]) =>
    numbers.flatMap((number) => lines.at(number)?.slice(0, maxCodeLength) ?? []);
  const distances = Array.from({ length: linesAround }, (_, i) => i + 1);
  const start = column < maxCodeLength ? 0 : column - maxCodeLength / 2;
  return {
    before: cut(distances.map((distance) => line - distance).reverse()),
    line: lines.at(line)?.slice(start, start + maxCodeLength) ?? "",
    after: cut(distances.map((distance) => line + distance)),
  };
}
