import { resolve } from "node:path";
import { buildId, sourceMapsFolder } from "@/lib/config/build";
import { log, oncePerMinute } from "@/lib/log";
import { processWide } from "@/lib/process-wide";
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
   * The build that the frames are of, where that is known. A server's file may be called alike in
   * two builds: without this it is taken for the running one's.
   */
  build?: string | undefined;
  /** Whether the running build is no candidate: it is not the one that `build` names. */
  onlyBuild?: boolean;
  /**
   * Which side made the report. Anybody can post what a browser made: such stacks share a part of
   * the thread's time, and are answered unresolved, and `late`, once it is used up.
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
 * @returns one for each frame, in the same order. Whatever can't be resolved, for whatever reason,
 *   is marked; never rejects. More than 32 calls at once, or 16 of browsers, are
 *   answered unresolved, and `late`
 */
export async function resolveFrames(
  frames: readonly ReportedFrame[],
  options: ResolveOptions,
): Promise<ResolvedFrame[]> {
  try {
    return await processWide("frame resolver", createProcessResolver)(frames, options);
  } catch (error) {
    logRepeated("warn", "stack not resolved", { error: String(error) });
    return frames.map(() => ({ resolved: false, late: true }));
  }
}

/** A thread that can't start fails anew for each error that is reported. */
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
 * The name of the function: what the source around the position says, or else what its caller
 * calls, or else what was reported, unless a minifier has made that up. A library calls by names of
 * its own, such as `callback`.
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
