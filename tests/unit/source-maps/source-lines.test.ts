import { expect, test } from "vitest";
import { SourceLines } from "@/lib/source-maps/source-lines";

test.each([
  [""],
  ["a"],
  ["\n"],
  ["a\n"],
  ["\r\n\r\n"],
  ["\r"],
  ["a\r\nb\n\nc\rd\n\r\ne"],
  ["ä\n\ud800\n𝄞"],
])("%j is split at each LF and CRLF", (text) => {
  const lines = new SourceLines(text);
  const expected = text.split(/\r?\n/);
  expect(expected.map((_, i) => lines.at(i))).toEqual(expected);
  expect([lines.at(-1), lines.at(expected.length)]).toEqual([undefined, undefined]);
  expect(lines.bytes).toBe(4 * expected.length);
});
