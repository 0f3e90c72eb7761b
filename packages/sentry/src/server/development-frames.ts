import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { FrameResolver } from "@signpost/relay/source-maps";
import {
  builtPosition,
  type ReportedFrame,
  type ResolvedFrame,
  readableName,
  type SourceCode,
  webpackModule,
} from "@signpost/relay/source-maps";
import { servedOrigin } from "../shared/environment/runtime.ts";
import { servedApp } from "../shared/environment/served-app.ts";
import { log, oncePerMinute } from "../shared/log.ts";

/** Where Next's development server is asked, whatever the base path, as its error overlay asks it. */
export const framesPath = "/__nextjs_original-stack-frames";
/** As Sentry's SDK waits for it. */
const maxWaitMs = 3000;
/** Frames of one call. */
const maxFrames = 250;

/**
 * What Next answers for each frame.
 * Source: next/dist/server/dev/middleware-turbopack.js and middleware-webpack.js
 */
interface Answer {
  status: "fulfilled" | "rejected";
  value?: {
    originalStackFrame: {
      file: string | null;
      /** Counts from 1, as the column does. */
      line1: number | null;
      column1: number | null;
      ignored: boolean;
    } | null;
    originalCodeFrame: string | null;
  };
}

const logRepeated = oncePerMinute(log);

/**
 * Finds the source of frames in development, where no build has left maps: Next's development server has them.
 * It finds them as its files are now.
 *
 * @param origin of the server, such as "http://localhost:3000"
 * @param distDir Next's folder
 */
export function developmentFrames(
  origin: () => string = servedOrigin,
  distDir: () => string = () => servedApp().distDir,
): FrameResolver {
  return async (frames, { timeoutMs, origin: side }) => {
    // The port of a custom server is not known.
    if (!origin()) return frames.map(() => ({ resolved: false, late: false }));
    const asked = frames.slice(-maxFrames).map((frame) => askedFrame(frame, distDir()));
    const body = {
      frames: asked.filter((one) => one !== undefined),
      isServer: side === "server",
      isEdgeServer: false,
      isAppDirectory: false,
    };
    let answers: Answer[] | undefined;
    try {
      answers = body.frames.length === 0 ? [] : await ask(origin() + framesPath, body, timeoutMs);
    } catch (error) {
      logRepeated("warn", "stack not resolved", { cause: String(error) });
    }
    const from = frames.length - asked.length;
    let next = 0;
    return frames.map((frame, i) => {
      if (!asked[i - from]) return { resolved: false, late: false };
      if (!answers) return { resolved: false, late: true };
      return resolvedFrame(frame, answers[next++]);
    });
  };
}

async function ask(url: string, body: object, timeoutMs: number): Promise<Answer[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(Math.max(timeoutMs, maxWaitMs)),
  });
  if (!response.ok) throw new Error(`Next's development server answers ${response.status}`);
  return response.json();
}

/** @returns nothing where the frame is in nothing that Next has compiled */
function askedFrame(frame: ReportedFrame, distDir: string) {
  const position = builtPosition(frame);
  const file = position ? join(folderIn(distDir), position.file) : webpackModule(frame);
  if (!file) return undefined;
  return {
    file,
    methodName: String(frame.function ?? "<unknown>"),
    arguments: [],
    line1: frame.lineno,
    column1: frame.colno,
  };
}

/** Next 16 compiles for development into a folder of its own. */
function folderIn(distDir: string): string {
  const own = join(distDir, "dev");
  return existsSync(own) ? own : distDir;
}

function resolvedFrame(frame: ReportedFrame, answer: Answer | undefined): ResolvedFrame {
  const { originalStackFrame: found, originalCodeFrame = null } = answer?.value ?? {};
  // Where no map leads on, Next gives back what it was asked.
  if (!found?.file || !found.line1 || isAbsolute(found.file))
    return { resolved: false, late: false };
  return {
    resolved: true,
    file: found.file,
    line: found.line1,
    column: found.column1 ?? 1,
    function: readableName(frame.function),
    own: !found.ignored && !found.file.includes("node_modules"),
    code: originalCodeFrame === null ? undefined : codeIn(originalCodeFrame),
  };
}

/** Takes the lines of code out of the picture of them that Next draws for terminals. */
function codeIn(picture: string): SourceCode | undefined {
  const lines = stripVTControlCharacters(picture)
    .split("\n")
    .flatMap((line) => {
      // `>` marks the one that is meant. The line of `^` below it has no number.
      const [start = "", ...rest] = line.split("|");
      const number = start.replace(">", "").trim();
      if (!/^\d+$/.test(number) || rest.length === 0) return [];
      return { isMeant: start.includes(">"), text: rest.join("|").replace(/^ /, "") };
    });
  const at = lines.findIndex(({ isMeant }) => isMeant);
  const [line, ...after] = lines.slice(at).map(({ text }) => text);
  if (at < 0 || line === undefined) return undefined;
  return { before: lines.slice(0, at).map(({ text }) => text), line, after };
}
