/** Frames of a stack, and their places in the source. */

export {
  builtPosition,
  type FrameResolver,
  isCompiled,
  type ReportedFrame,
  type ResolvedFrame,
  type ResolveOptions,
  readableName,
  type SourceCode,
  type SourceFrame,
  webpackModule,
} from "./source-maps/frames.ts";
export { resolveEvent } from "./source-maps/resolve-event.ts";
