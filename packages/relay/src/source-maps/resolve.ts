import { isRecord } from "../envelope/json-limits.ts";
import { type Log, oncePerMinute } from "../log.ts";
import { builtPosition, type ReportedFrame, type ResolvedFrame, readableName } from "./frames.ts";
import { MapThread } from "./map-thread.ts";

/** Frames of one call; SDKs send 50 for each error. */
const maxFrames = 250;

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

/** Where a build has left its source maps. */
export interface SourceMapOptions {
  /** The folder with the maps of this build and of older ones, by build and file. Nothing else is read. */
  folder: string;
  /** Of the build that runs. */
  build: string;
  /** Next's folder, as its configuration names it: with slashes, relative to the app's. */
  distDir?: string;
}

/** Finds frames with the maps that the build has kept, in a thread of its own. */
export function mapResolver({ folder, build, distDir }: SourceMapOptions, log: Log): FrameResolver {
  const logRepeated = oncePerMinute(log);
  const thread = new MapThread({
    folder,
    ...(distDir !== undefined && { distDir }),
    onFailure: ({ message, cause }) =>
      logRepeated("warn", "stack not resolved", { error: message, cause: String(cause) }),
  });
  const resolver = frameResolver(thread, build);
  return async (frames, options) => {
    try {
      return await resolver(frames, options);
    } catch (error) {
      logRepeated("warn", "stack not resolved", { error: String(error) });
      return frames.map(() => ({ resolved: false, late: true }));
    }
  };
}

/** @param running the id of the build that is served */
export function frameResolver(thread: MapThread, running: string): FrameResolver {
  return async (frames, { timeoutMs, build = running, onlyBuild, origin }) => {
    const from = Math.max(0, frames.length - maxFrames);
    const positions = frames.map((frame, i) => (i < from ? undefined : builtPosition(frame)));
    const { found, complete } = await thread.find(positions, {
      builds: onlyBuild ? [build] : [build, running],
      timeoutMs,
      isPublic: origin === "browser",
    });
    return frames.map((frame, i) => {
      const place = found[i];
      // Where the source has no name, it is as it was reported, unless a minifier has made that up.
      if (place) return { ...place, function: place.function ?? readableName(frame.function) };
      return { resolved: false, late: i < from || (!complete && positions[i] !== undefined) };
    });
  };
}

/** Frames that get their code, those nearest to the error: services limit the size of an event. */
const maxWithCode = 50;

/** These packages' own code, where they are workspaces: no error begins there, and it is in every stack. */
const wrapper = /^packages\/(?:relay|sentry|inbox)\/src\//;

type Fields = Record<string, unknown>;

/**
 * Gives the frames of an error event their places in the source: `filename`, `abs_path`, `lineno`,
 * `colno`, `function`, `in_app`, and for own code `context_line`, `pre_context`, `post_context`.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/
 *
 * @param event parsed and untrusted; it is not changed
 * @returns the very same event where nothing in it was resolved, else a copy that shares all the
 *   rest with it. It has code for 50 frames, at most 2,200 characters for each; never rejects
 */
export async function resolveEvent<Event>(
  event: Event,
  options: ResolveOptions,
  resolver: FrameResolver,
): Promise<Event> {
  if (!isRecord(event) || !isRecord(event.exception) || !Array.isArray(event.exception.values)) {
    return event;
  }
  const values: unknown[] = event.exception.values;
  // The last value is the error thrown last, so the frames nearest to it come last.
  const frames = values.flatMap(framesOf);
  // A release is the build's id unless the operator has chosen another.
  const release = typeof event.release === "string" ? event.release : undefined;
  const resolved = await resolver(frames, { ...options, build: options.build ?? release });
  if (!resolved.some((frame) => frame.resolved)) return event;
  const fields = frames.map((frame, i) =>
    withSource(frame, resolved[i], frames.length - i <= maxWithCode),
  );
  const copies = values.map((value) => {
    const own = fields.splice(0, framesOf(value).length);
    if (!isRecord(value) || own.length === 0) return value;
    return { ...value, stacktrace: { ...(value.stacktrace as Fields), frames: own } };
  });
  return { ...event, exception: { ...event.exception, values: copies } };
}

/** Oldest call first. */
function framesOf(value: unknown): ReportedFrame[] {
  if (!isRecord(value) || !isRecord(value.stacktrace)) return [];
  const { frames } = value.stacktrace;
  return Array.isArray(frames) && frames.every(isRecord) ? frames : [];
}

function withSource(
  frame: ReportedFrame,
  source: ResolvedFrame | undefined,
  withCode: boolean,
): Fields {
  if (!source?.resolved) {
    // It has a map, which names no source for it: it is the bundler's own code.
    const isNobodys = "in_app" in frame && source?.late === false && builtPosition(frame);
    return isNobodys ? { ...frame, in_app: false } : { ...frame };
  }
  const code = withCode ? source.code : undefined;
  return {
    ...frame,
    filename: source.file,
    // Not the script's URL: a service would look for a map there, and apply it a second time.
    abs_path: `app:///${source.file}`,
    lineno: source.line,
    colno: source.column,
    function: source.function ?? "?",
    in_app: source.own && !wrapper.test(source.file),
    // As reported, these are about the built file.
    module: undefined,
    pre_context: code?.before,
    context_line: code?.line,
    post_context: code?.after,
  };
}
