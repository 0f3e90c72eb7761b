import { resolve } from "node:path";
import { buildId, sourceMapsFolder } from "@/lib/config/build";
import { log, oncePerMinute } from "@/lib/log";
import { singleton } from "@/lib/singleton";
import { builtPosition, type ReportedFrame, type ResolvedFrame, readableName } from "./frames";
import { MapThread } from "./map-thread";
import type { SourcePosition } from "./source-map";

/** Frames of one call; SDKs send 50 for each error. */
const maxFrames = 250;
/** Of a build's id. Services allow no longer release either. */
const maxBuildLength = 200;

export interface ResolveOptions {
  /** Milliseconds after which the frames found until then are all there are. */
  timeoutMs: number;
  /** How much longer it may take where the thread that reads maps has to start first. */
  startMs?: number;
  /**
   * The build of the frames, if it is known. Files of two builds may have the same name: without
   * this, the running build's is taken.
   */
  build?: string | undefined;
  /** Look in the maps of `build` alone, not in the running build's too. */
  onlyBuild?: boolean;
  /**
   * Which side made the report. Anybody can post a browser's report: those share a part of the
   * thread's time, and once it is used up their frames are unresolved and `late`.
   */
  origin?: "browser" | "server";
}

/** Resolves the frames of one stack: see {@link resolveFrames}. */
export type FrameResolver = (
  frames: readonly ReportedFrame[],
  options: ResolveOptions,
) => Promise<ResolvedFrame[]>;

/**
 * Finds the source of a stack's frames with the maps that the build has kept, in a thread that
 * holds the maps used last. Safe with frames that strangers have written.
 *
 * @param frames in the protocol's order, oldest call first; of more than 250, the last ones count
 * @returns one for each frame, in the same order; `resolved: false` for one that can't be resolved, for
 *   whatever reason. Beyond 32 calls at once, or 16 of browsers, frames are unresolved and `late`.
 *   Never rejects
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

/** Once a minute: a thread that can't start fails for each reported error. */
const logRepeated = oncePerMinute(log);

function createProcessResolver(): FrameResolver {
  const thread = new MapThread({
    folder: resolve(sourceMapsFolder()),
    onFailure: ({ message, cause }) =>
      logRepeated("warn", "stack not resolved", { error: message, cause: String(cause ?? "") }),
  });
  return frameResolver(thread, buildId());
}

/** @param running the id of the build that is served */
export function frameResolver(thread: MapThread, running: string): FrameResolver {
  return async (frames, { timeoutMs, startMs, build, onlyBuild, origin }) => {
    const from = Math.max(0, frames.length - maxFrames);
    const positions = frames.map((frame, i) => (i < from ? undefined : builtPosition(frame)));
    const other = build && build !== running && build.length <= maxBuildLength;
    const { found, complete } = await thread.find(positions, {
      builds: other ? (onlyBuild ? [build] : [build, running]) : [running],
      timeoutMs,
      startMs,
      public: origin === "browser",
    });
    return frames.map(
      (frame, i) =>
        sourceFrame(frame, found[i], found[i - 1]) ?? {
          resolved: false,
          late: !complete && positions[i] !== undefined,
        },
    );
  };
}

/**
 * The function is named by the source around the position, or else by the call in its caller, if that
 * is no library, which would call it `callback` or the like; or else as it was reported, unless a
 * minifier has made that up.
 */
function sourceFrame(
  frame: ReportedFrame,
  position: SourcePosition | undefined,
  caller: SourcePosition | undefined,
): ResolvedFrame | undefined {
  if (!position) return undefined;
  const { inside, calls: _, ...place } = position;
  const name = inside ?? (caller?.own ? caller.calls : undefined) ?? readableName(frame.function);
  return { resolved: true, ...place, function: name };
}
