import { isRecord } from "@/lib/envelope/scrub";
import { builtPosition, type ReportedFrame, type ResolvedFrame } from "./frames";
import { type FrameResolver, type ResolveOptions, resolveFrames } from "./resolve-frames";

/** Frames of one event that are resolved: those nearest to each error, the last error's first. */
const maxFrames = 250;
/** Characters of code that an event may grow by; services refuse events of more than a megabyte. */
const maxCodeLength = 100_000;

/** Signpost's code around the app's: no error begins there, and it is in every stack. */
const wrapper = /^lib\/(?:navigation|reporting|sentry|server)\//;

type Fields = Record<string, unknown>;

/**
 * Gives the frames of an error event their places in the source: `filename`, `abs_path`, `lineno`,
 * `colno`, `function`, `in_app`, and for own code `context_line`, `pre_context`, `post_context`.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/
 *
 * @param event parsed and untrusted; it is not changed
 * @returns the very same event where nothing in it was resolved, else a copy that shares all the
 *   rest with it. It has at most 100,000 characters of code and 250 resolved frames; never rejects
 */
export async function resolveEvent<Event>(
  event: Event,
  options: ResolveOptions,
  resolver: FrameResolver = resolveFrames,
): Promise<Event> {
  if (!isRecord(event) || !isRecord(event.exception) || !Array.isArray(event.exception.values)) {
    return event;
  }
  const values: unknown[] = event.exception.values;
  const stacks = lastFrames(values);
  const frames = stacks.flatMap((stack) => stack.frames);
  const resolved = await resolver(frames, { ...options, build: options.build ?? buildOf(event) });
  if (!resolved.some((frame) => frame.resolved)) return event;
  const sources = limitCode(resolved);
  const fields = frames.map((frame, i) => withSource(frame, sources[i]));
  const copies = [...values];
  let next = 0;
  for (const { value, all, index, frames: own } of stacks) {
    const others = all.slice(0, all.length - own.length);
    const changed = fields.slice(next, next + own.length);
    next += own.length;
    copies[index] = {
      ...value,
      stacktrace: { ...(value.stacktrace as Fields), frames: [...others, ...changed] },
    };
  }
  return { ...event, exception: { ...event.exception, values: copies } };
}

interface Stack {
  index: number;
  value: Fields;
  all: unknown[];
  frames: ReportedFrame[];
}

/** In the order of the values. The last value is the error thrown last. */
function lastFrames(values: unknown[]): Stack[] {
  let left = maxFrames;
  return values
    .map((value, index) => ({ value, index }))
    .reverse()
    .flatMap(({ value, index }) => {
      if (!isRecord(value) || !isRecord(value.stacktrace)) return [];
      const all: unknown = value.stacktrace.frames;
      if (!Array.isArray(all) || left === 0 || !all.every(isRecord)) return [];
      const frames: ReportedFrame[] = all.slice(-left);
      left -= frames.length;
      return [{ index, value, all, frames }];
    })
    .reverse();
}

/** A release is the build's id unless the operator has chosen another. */
function buildOf(event: Fields): string | undefined {
  return typeof event.release === "string" ? event.release : undefined;
}

function withSource(frame: ReportedFrame, source: ResolvedFrame | undefined): Fields {
  if (!source?.resolved) {
    // It has a map, which names no source for it: it is the bundler's own code.
    const isNobodys = "in_app" in frame && source?.late === false && builtPosition(frame);
    return isNobodys ? { ...frame, in_app: false } : { ...frame };
  }
  // These are about the built file.
  const {
    module: _,
    context_line: _line,
    pre_context: _before,
    post_context: _after,
    ...rest
  } = frame as Fields;
  return {
    ...rest,
    filename: source.file,
    // Not the script's URL: a service would look for a map there, and apply it a second time.
    abs_path: `app:///${source.file}`,
    lineno: source.line,
    colno: source.column,
    function: source.function ?? "?",
    in_app: source.own && !wrapper.test(source.file),
    ...(source.code && {
      context_line: source.code.line,
      pre_context: source.code.before,
      post_context: source.code.after,
    }),
  };
}

/** The frames nearest to an error come last: they keep their code. */
function limitCode(frames: ResolvedFrame[]): ResolvedFrame[] {
  let length = 0;
  return frames
    .toReversed()
    .map((frame) => {
      if (!frame.resolved || !frame.code) return frame;
      const { before, line, after } = frame.code;
      length += [...before, line, ...after].join("").length;
      return length <= maxCodeLength ? frame : { ...frame, code: undefined };
    })
    .toReversed();
}
