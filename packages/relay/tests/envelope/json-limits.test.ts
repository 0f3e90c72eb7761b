import { expect, test } from "vitest";
import { checkJson } from "@/packages/relay/src/envelope/json-limits";

const check = (text: string) => () =>
  checkJson(Buffer.from(text), { maxValues: 500_000, maxDepth: 16 });

test("what stands in strings does not count", () => {
  const text = `[[{,"\\`.repeat(200_000);
  expect(check(JSON.stringify({ a: [text, text] }))).not.toThrow();
  expect(check(JSON.stringify({ a: `${text}\\`, b: [] }))).not.toThrow();
});

test.each([
  ["a million values", `[${"0,".repeat(1_000_000)}0]`],
  ["a million arrays", `[${"[],".repeat(1_000_000)}0]`],
  ["a million keys after an escaped quote", `["\\"",${'{"a":0},'.repeat(1_000_000)}0]`],
  ["deep nesting", "[".repeat(1_000_000)],
  ["deep objects", '{"a":'.repeat(20)],
])("%s are too many", (_, text) => {
  expect(check(text)).toThrow("too many parts");
});

test("an open string ends with the text", () => {
  expect(check('{"a')).not.toThrow();
  expect(check('{"a\\"')).not.toThrow();
});
