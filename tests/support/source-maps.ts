import { gzipSync } from "node:zlib";
import { writeIn } from "./folders";

export { temporaryFolder as mapsFolder } from "./folders";

/** Writes the map of a built file of the build "b1", or whatever is to stand in its place. */
export function writeMap(
  folder: string,
  file: string,
  map: object | string,
  { build = "b1", compress = gzipSync as (text: string) => Buffer } = {},
): string {
  const text = typeof map === "string" ? map : JSON.stringify(map);
  return writeIn(folder, `${build}/${file}.map.gz`, compress(text));
}

export type Mapping = [column: number, source: number, line: number, sourceColumn: number];

/** @param lines the mappings of each built line, all numbers from 0 */
export function encodeMappings(lines: Mapping[][]): string {
  const last = [0, 0, 0, 0];
  return lines
    .map((line) => {
      last[0] = 0;
      return line
        .map((mapping) =>
          mapping.map((value, i) => {
            const delta = value - (last[i] ?? 0);
            last[i] = value;
            return vlq(delta);
          }),
        )
        .map((fields) => fields.join(""))
        .join(",");
    })
    .join(";");
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base 64 VLQ: https://tc39.es/ecma426/#sec-base64-vlq */
function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/** A map of one built line with these mappings, of one source. */
export function simpleMap(source: string, content: string | undefined, mappings: Mapping[]) {
  return {
    version: 3,
    sources: [source],
    ...(content !== undefined && { sourcesContent: [content] }),
    names: [],
    mappings: encodeMappings([mappings]),
  };
}
