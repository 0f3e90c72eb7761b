/**
 * A frame as an SDK reports it. Untrusted: anybody can post a report.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/
 */
export interface ReportedFrame {
  filename?: unknown;
  abs_path?: unknown;
  function?: unknown;
  /** From 1. */
  lineno?: unknown;
  /** From 1. */
  colno?: unknown;
}

/** A place in the source. */
export interface SourceFrame {
  resolved: true;
  /** Path in the project, such as `pages/index.tsx` or `node_modules/react-dom/…`. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** Undefined at the top level of a module. */
  function: string | undefined;
  /** Of the project itself, not of a library. */
  own: boolean;
  /** The line and up to five on either side, of own frames whose source the map holds. */
  code: SourceCode | undefined;
}

export interface SourceCode {
  before: string[];
  line: string;
  after: string[];
}

interface UnresolvedFrame {
  resolved: false;
  /** The thread had no time, or too much to do: another try may find it. */
  late: boolean;
}

export type ResolvedFrame = SourceFrame | UnresolvedFrame;

/** A place in a file of the build, both from 0. */
export interface BuiltPosition {
  /** Path below Next's folder, such as `static/chunks/0abc.js`. */
  file: string;
  line: number;
  column: number;
}

const maxPathLength = 500;
/** Of a line or a column: no file is that long. */
const maxPosition = 2 ** 31 - 1;

/**
 * In a URL the folder is called `_next`, whatever base path or other host stands before it, and on
 * the server `.next`.
 */
const nextFolder = /(?:^|[\\/])[._]next[\\/](?=(?:static|server)[\\/])/g;
const scriptName = /[^\\/]\.js$/;

/** @returns nothing where the frame is in no file of a build */
export function builtPosition(frame: ReportedFrame): BuiltPosition | undefined {
  const { lineno, colno } = frame;
  if (!isPosition(lineno) || !isPosition(colno)) return undefined;
  for (const path of [frame.abs_path, frame.filename]) {
    if (typeof path !== "string" || path.length > maxPathLength) continue;
    const name = nameInBuild(path);
    if (name) return { file: decoded(name), line: lineno - 1, column: colno - 1 };
  }
  return undefined;
}

/** What follows the last of Next's folders. Paths are untrusted, so each step takes linear time. */
function nameInBuild(path: string): string | undefined {
  const end = path.search(/[?#]/);
  const plain = end < 0 ? path : path.slice(0, end);
  if (!scriptName.test(plain)) return undefined;
  const folder = [...plain.matchAll(nextFolder)].at(-1);
  return folder && plain.slice(folder.index + folder[0].length);
}

function isPosition(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= maxPosition;
}

/** In a URL, the brackets of a dynamic page's file are escaped. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("\\", "/");
  } catch {
    // A file's name may hold a percent sign; then it is no URL.
    return name.replaceAll("\\", "/");
  }
}

/** Names that a minifier gives: up to two letters, also after `Object.`, `async` or `new`. */
const minifiedName = /(?:^|[\s.])[\w$]{1,2}$/;

/** @returns nothing for a minified or empty name */
export function readableName(name: unknown): string | undefined {
  if (typeof name !== "string" || name.length > 200) return undefined;
  return minifiedName.test(name) || name === "" || name === "<anonymous>" ? undefined : name;
}
