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
