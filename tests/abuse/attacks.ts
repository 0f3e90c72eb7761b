import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { decodedMappings, type SectionedSourceMapInput, TraceMap } from "@jridgewell/trace-mapping";
import { envelope, errorEvent } from "../support/envelopes";
import { envelopeOf, eventId } from "../support/sdk-envelopes";
import { variants } from "../support/variants.ts";
import type { Asked } from "./target";

/** The largest envelope that the tunnel takes, with room for the headers in it. */
const largest = 2 * 1024 * 1024 - 4096;

type Frame = Record<string, unknown>;

/** For envelopes that were compressed before they are sent. */
export const gzipped: Asked = { headers: { "Content-Encoding": "gzip" } };

/** An error of so many bytes, the most that the tunnel takes by default: then 2 kB on the wire. */
export function zeros(bytes = largest): Buffer {
  const id = eventId();
  const event = `{"event_id":"${id}","extra":"${"0".repeat(bytes)}"}`;
  return gzipSync(envelopeOf({ event_id: id }, [{ type: "event" }, event]));
}

/** An envelope that claims to hold as many measurements as a number can say. */
export function liar(type: string, items = 100): Buffer {
  const item = [{ type, item_count: Number.MAX_SAFE_INTEGER }, "{}"] as const;
  return envelopeOf({}, ...Array<typeof item>(items).fill(item));
}

/** A frame of the build, so that its stack is kept until it is resolved. */
const builtFrame: Frame = {
  filename: "http://localhost/_next/static/chunks/0.js",
  function: "onClick",
  lineno: 1,
  colno: 1,
};

/** An error with a second frame whose numbers are the given JSON. Each has another stack. */
export function errorWithNumbers(json: string): Buffer {
  const frames = [
    { ...builtFrame, function: eventId() },
    { ...builtFrame, lineno: "JSON", colno: 1 },
  ];
  const event = JSON.stringify(errorWith(frames, { event_id: eventId() }));
  return envelopeOf({}, [{ type: "event" }, event.replace('"JSON"', () => json)]);
}

/** Arrays in arrays. */
export function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** JSON that takes twenty times its length in memory. */
export function bulky(bytes = largest - 2000): string {
  return `[${"{},".repeat(Math.floor(bytes / 3) - 1)}{}]`;
}

/** Takes two bytes for each character in memory, since one of them needs two. */
function wide(length: number, start: string): string {
  return `ā ${start} `.padEnd(length, "x");
}

/** What the inbox keeps of an event at its longest, ten times. */
export function longestErrors(n: number): Buffer {
  const items = Array.from({ length: 10 }, (_, i): [string, Frame] => {
    const short = wide(200, `${i} ${n}`);
    const frames = [{ ...builtFrame, filename: wide(500, short), lineno: 1 + n, colno: 1 + i }];
    const value = wide(500, short);
    return [
      "event",
      {
        event_id: eventId(),
        release: short,
        environment: short,
        transaction: short,
        exception: { values: [{ type: short, value, stacktrace: { frames } }] },
      },
    ];
  });
  return gzipSync(envelope(items));
}

/** Fifty page loads of one trace. */
export function visits(traceId: string): Buffer {
  const items = Array.from({ length: 50 }, (_, i) => ({
    trace_id: traceId,
    span_id: i.toString(16).padStart(16, "0"),
    name: "/",
    start_timestamp: 1,
    end_timestamp: 2 + i,
    is_segment: true,
    attributes: { "sentry.op": { value: "pageload", type: "string" } },
  }));
  const payload = JSON.stringify({ items });
  return gzipSync(envelopeOf({}, [{ type: "span", item_count: items.length }, payload]));
}

/** An event with these frames, the newest call last. */
export function errorWith(frames: Frame[], over: Frame = {}, value = "nothing there"): Frame {
  const exception = { values: [{ type: "TypeError", value, stacktrace: { frames } }] };
  return errorEvent({ timestamp: Date.now() / 1000, exception, ...over });
}

/** Names of categories that nobody knows, as an answer's header has room for. */
export function madeUpLimits(n: number): string {
  const letters = n
    .toString(26)
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
  const names = Array.from(
    { length: 300 },
    (_, i) => `${"x".repeat(i % 20)}_${letters}_${"y".repeat(i / 20)}`,
  );
  return `86400:${names.join(";")}:organization`;
}

/**
 * Looks through the source maps of the build.
 *
 * @returns frames by turns in the two largest sources of one chunk, and frames of another chunk
 */
export function framesOfBuild(): { alternating: Frame[]; ordinary: Frame[] } {
  const folder = join(variants.default.folder, ".next/source-maps");
  const maps = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /static.chunks.*\.js\.map\.gz$/.test(path))
    .map((path) => ({ path, sources: positionsBySource(join(folder, path)) }))
    .filter(({ sources }) => sources.length > 1)
    .sort((a, b) => (b.sources[1]?.lines ?? 0) - (a.sources[1]?.lines ?? 0));
  const [hard, , other] = maps;
  const [one, two] = hard?.sources ?? [];
  if (!hard || !other || !one || !two)
    throw new Error("The build has no two chunks of two sources.");
  const count = Math.min(one.positions.length, two.positions.length);
  return {
    alternating: Array.from({ length: count }).flatMap((_, i) => [
      frameAt(hard.path, one.positions[i]),
      frameAt(hard.path, two.positions[i]),
    ]),
    ordinary: (other.sources[0]?.positions ?? []).map((position) => frameAt(other.path, position)),
  };
}

type Position = readonly [line: number, column: number];

/** The sources of a map, that with the most lines first. */
function positionsBySource(path: string): { lines: number; positions: Position[] }[] {
  const map = JSON.parse(gunzipSync(readFileSync(path)).toString()) as SectionedSourceMapInput & {
    sections?: { offset: { line: number; column: number }; map: object }[];
  };
  const sections = map.sections ?? [{ offset: { line: 0, column: 0 }, map }];
  return sections
    .flatMap(({ offset, map: part }) => {
      const { sourcesContent = [] } = part as { sourcesContent?: (string | null)[] };
      const found = sourcesContent.map((text) => ({
        lines: text?.split("\n").length ?? 0,
        positions: [] as Position[],
      }));
      const traced = new TraceMap(part as ConstructorParameters<typeof TraceMap>[0]);
      for (const [line, segments] of decodedMappings(traced).entries()) {
        const shift = line === 0 ? offset.column : 0;
        for (const [column, source = -1] of segments) {
          found[source]?.positions.push([line + offset.line, column + shift]);
        }
      }
      return found;
    })
    .filter(({ positions }) => positions.length > 0)
    .sort((a, b) => b.lines - a.lines);
}

/** @param path below the folder of the maps: build, built file, ending */
function frameAt(path: string, [line, column]: Position = [0, 0]): Frame {
  const file = path
    .replace(/^[^\\/]+[\\/]/, "")
    .replace(/\.map\.gz$/, "")
    .replaceAll("\\", "/");
  return {
    filename: `http://localhost/_next/${file}`,
    function: "t",
    in_app: true,
    lineno: line + 1,
    colno: column + 1,
  };
}
