import { describe, expect, test } from "vitest";
import {
  lineOrColumn,
  milliseconds,
  number,
  parseObject,
  payloadLimits,
} from "@/packages/inbox/src/model/fields";

const parsed = (json: string, type = "event") => parseObject(Buffer.from(json), type);

const odd: unknown[] = [{}, [], [[1]], "1", true, null, undefined, Number.NaN, -1];

test.each([
  [0, 0],
  [1, 1],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, undefined],
  [2 ** 32, undefined],
  [2 ** 53, undefined],
  [2 ** 64, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [0.5, undefined],
  ...odd.map((value) => [value, undefined]),
])("%j as a line is %j", (value, expected) => {
  expect(lineOrColumn(value)).toBe(expected);
});

test("a number outside of its bounds, or what is none, is nothing", () => {
  expect([0, 5, 10].map((value) => number(value, 0, 10))).toEqual([0, 5, 10]);
  for (const value of [-0.1, 10.1, 2 ** 53, ...odd]) expect(number(value, 0, 10)).toBeUndefined();
});

test("a time is one of the years 1970 to 9999", () => {
  expect(milliseconds(1.5)).toBe(1500);
  expect(milliseconds("2026-01-01T00:00:00Z")).toBe(Date.UTC(2026, 0, 1));
  for (const value of [
    2 ** 53,
    1e300,
    "-000001-01-01T00:00:00Z",
    "1".repeat(100),
    {},
    [1],
    true,
    -1,
  ]) {
    expect(milliseconds(value)).toBeUndefined();
  }
});

describe("a payload is not parsed", () => {
  const { event, container } = payloadLimits;
  test.each([
    ["over a megabyte", JSON.stringify({ a: "x".repeat(event.maxBytes) })],
    ["of too many values", `{"a":[${"{},".repeat(event.maxValues)}{}]}`],
    ["nested too deeply", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`],
    ["nested a million times", `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    ["that is no object", "[]"],
    ["that is no JSON", "{"],
  ])("%s", (_, json) => {
    expect(parsed(json)).toBeUndefined();
  });

  test("over the larger bounds of a container", () => {
    expect(parsed(JSON.stringify({ a: "x".repeat(container.maxBytes) }), "span")).toBeUndefined();
    expect(parsed(`{"items":[${"{},".repeat(container.maxValues)}{}]}`, "span")).toBeUndefined();
  });
});

describe("a payload is parsed", () => {
  const attributes = (count: number) =>
    Array.from({ length: count }, (_, i) => [`http.request.header.name_${i}`, `value ${i}`]);
  const span = { span_id: "1".repeat(16), trace_id: "2".repeat(32), start_timestamp: 1, op: "db" };

  test("with a thousand spans in a transaction", () => {
    const spans = Array(1000).fill({ ...span, data: Object.fromEntries(attributes(14)) });
    expect(parsed(JSON.stringify({ spans }))).toBeDefined();
  });

  test("with a thousand spans in a container", () => {
    const typed = attributes(20).map(([name, value]) => [name, { value, type: "string" }]);
    const items = Array(1000).fill({ ...span, attributes: Object.fromEntries(typed) });
    expect(parsed(JSON.stringify({ items }), "span")).toBeDefined();
  });

  test("with all that an SDK puts into an event", () => {
    const frames = Array(50).fill({
      filename: "x".repeat(100),
      context_line: "x".repeat(120),
      pre_context: Array(5).fill("x".repeat(120)),
      post_context: Array(5).fill("x".repeat(120)),
    });
    const values = Array(5).fill({ stacktrace: { frames } });
    const breadcrumbs = Array(100).fill({ data: { arguments: Array(20).fill("x".repeat(50)) } });
    expect(parsed(JSON.stringify({ exception: { values }, breadcrumbs }))).toBeDefined();
  });
});
