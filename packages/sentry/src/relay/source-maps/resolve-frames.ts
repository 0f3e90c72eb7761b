import { relative, resolve, sep } from "node:path";
import { buildId, sourceMapsFolder } from "../../shared/environment/build.ts";
import { servedApp } from "../../shared/environment/served-app.ts";
import { log, oncePerMinute } from "../../shared/log.ts";
import { singleton } from "../../shared/singleton.ts";
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

/** See {@link resolveFrames}. */
export type FrameResolver = (
  frames: readonly ReportedFrame[],
  options: ResolveOptions,
) => Promise<ResolvedFrame[]>;

/**
 * Finds the source of a stack's frames with the maps that the build has kept, in a thread of its own.
 * Safe with frames that strangers have written.
 *
 * @param frames in the protocol's order, oldest call first; of more than 250, the last ones count
 * @returns one for each frame, in the same order. Frames are `late` beyond the time, beyond the share
 *   of it that browsers' have, and beyond 16 calls of each side that wait. Never rejects
 */
export async function resolveFrames(
  frames: readonly ReportedFrame[],
  options: ResolveOptions,
): Promise<ResolvedFrame[]> {
  try {
    return await singleton("frame resolver", createProcessResolver)(frames, options);
  } catch (error) {
    logRepeated("warn", "stack not resolved", { error: String(error) });
    return frames.map(() => ({ resolved: false, late: true }));
  }
}

/** Has this process find frames otherwise than in the maps of its build: before it has looked for any. */
export function resolveFramesBy(resolver: FrameResolver): void {
  singleton("frame resolver", () => resolver);
}

const logRepeated = oncePerMinute(log);

function createProcessResolver(): FrameResolver {
  const { folder, distDir } = servedApp();
  const thread = new MapThread({
    folder: resolve(sourceMapsFolder()),
    distDir: relative(folder, distDir).replaceAll(sep, "/"),
    onFailure: ({ message, cause }) =>
      logRepeated("warn", "stack not resolved", { error: message, cause: String(cause) }),
  });
  return frameResolver(thread, buildId());
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
