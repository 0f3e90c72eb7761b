/**
 * A frame as an SDK reports it, line and column from 1. Untrusted: anybody can post a report.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/
 */
export interface ReportedFrame {
  filename?: unknown;
  abs_path?: unknown;
  function?: unknown;
  lineno?: unknown;
  colno?: unknown;
}

/** A place in the source, line and column from 1. */
export interface SourceFrame {
  resolved: true;
  /** Path in the project, such as `pages/index.tsx` or `node_modules/react-dom/…`. */
  file: string;
  line: number;
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

/** Where it is `late`, there was no time, or too much to do: another try may find it. */
export type ResolvedFrame = SourceFrame | { resolved: false; late: boolean };

export interface ResolveOptions {
  /** For what is found until then, in milliseconds; 5 s more where the thread has to start first. */
  timeoutMs: number;
  /** Of the frames; the running one if it is not known. Files of two may have the same name. */
  build?: string | undefined;
  /** Look in the maps of `build` alone, not in the running build's too. */
  onlyBuild?: boolean;
  /** Anybody can post a browser's report: those share a fifth of the thread's time. */
  origin?: "browser" | "server";
}

/**
 * Finds the source of a stack's frames. Safe with frames that strangers have written.
 *
 * @param frames in the protocol's order, oldest call first; of more than 250, the last ones count
 * @returns one for each frame, in the same order. Frames are `late` beyond the time, beyond the share
 *   of it that browsers' have, and beyond 16 calls of each side that wait. Never rejects
 */
export type FrameResolver = (
  frames: readonly ReportedFrame[],
  options: ResolveOptions,
) => Promise<ResolvedFrame[]>;

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
 * In a URL the folder is called `_next`, whatever base path or other host stands before it, and in the
 * server's reports too, with `dev` below it in development. Reports of other SDKs may say `.next`.
 */
const nextFolder = /(?:^|[\\/])[._]next[\\/](?:dev[\\/])?(?=(?:static|server)[\\/])/;
const scriptName = /[^\\/]\.js$/;

/** @returns nothing where the frame is in no file of a build */
export function builtPosition(frame: ReportedFrame): BuiltPosition | undefined {
  const { abs_path, filename, lineno, colno } = frame;
  if (!isPosition(lineno) || !isPosition(colno)) return undefined;
  const file = nameInBuild(abs_path) ?? nameInBuild(filename);
  return file === undefined ? undefined : { file, line: lineno - 1, column: colno - 1 };
}

/** As webpack names what it compiles in development. @returns nothing for any other frame */
export function webpackModule({ filename, lineno, colno }: ReportedFrame): string | undefined {
  const isOne =
    typeof filename === "string" &&
    filename.length <= maxPathLength &&
    filename.startsWith("webpack-internal:///");
  return isOne && isPosition(lineno) && isPosition(colno) ? filename : undefined;
}

/** Whether it is a place in what a bundler has made: a source map may lead to its source. */
export function isCompiled(frame: ReportedFrame): boolean {
  return builtPosition(frame) !== undefined || webpackModule(frame) !== undefined;
}

/** What follows the last of Next's folders. Paths are untrusted, so each step takes linear time. */
function nameInBuild(path: unknown): string | undefined {
  if (typeof path !== "string" || path.length > maxPathLength) return undefined;
  const [plain = ""] = path.split(/[?#]/, 1);
  const name = plain.split(nextFolder).at(-1);
  if (name === undefined || name === plain || !scriptName.test(name)) return undefined;
  return decoded(name).replaceAll("\\", "/");
}

/** In a URL, the brackets of a dynamic page's file are escaped. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A file's name may hold a percent sign; then it is no URL.
    return name;
  }
}

function isPosition(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= maxPosition;
}

/** Names that a minifier gives: up to two letters, also after `Object.`, `async` or `new`. */
const minifiedName = /(?:^|[\s.])[\w$]{1,2}$/;

/** @returns nothing for a minified or empty name */
export function readableName(name: unknown): string | undefined {
  if (typeof name !== "string" || name.length > 200) return undefined;
  return minifiedName.test(name) || name === "" || name === "<anonymous>" ? undefined : name;
}
