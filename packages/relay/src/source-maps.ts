/** Frames of a stack, and their places in the source. */

export {
  builtPosition,
  isCompiled,
  type ReportedFrame,
  type ResolvedFrame,
  readableName,
  type SourceCode,
  type SourceFrame,
  webpackModule,
} from "./source-maps/frames.ts";
export type { FrameResolver, ResolveOptions } from "./source-maps/resolve.ts";
export { resolveEvent } from "./source-maps/resolve.ts";
