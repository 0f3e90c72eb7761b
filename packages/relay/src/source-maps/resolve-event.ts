import { isRecord } from "../envelope/json-limits.ts";
import {
  builtPosition,
  type FrameResolver,
  type ReportedFrame,
  type ResolvedFrame,
  type ResolveOptions,
} from "./frames.ts";

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
