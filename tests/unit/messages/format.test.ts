import { expect, test } from "vitest";
import { format, type Plural } from "@/lib/messages/format";

const forms: Plural = {
  zero: "zero",
  one: "one",
  two: "two",
  few: "few {count}",
  many: "many {count}",
  other: "other {count}",
};

test.each<[string, number, string]>([
  ["en", 0, "other 0"],
  ["en", 1, "one"],
  ["en", 1500, "other 1,500"],
  ["de", 1500.5, "other 1.500,5"],
  ["ar", 0, "zero"],
  ["ar", 2, "two"],
  ["ar", 5, "few 5"],
  ["ar", 11, "many 11"],
  ["ar", 1500, "other 1,500"],
])("a number in %s: %d", (locale, count, text) => {
  expect(format(locale, forms, { count })).toBe(text);
});

test("a form that a language's texts lack is the general one", () => {
  expect(format("ar", { other: "{count}!" }, { count: 2 })).toBe("2!");
});

test("dates are days in the language, texts stay as they are, and so does a name without a value", () => {
  const values = { day: new Date("2026-03-01T23:30:00Z"), name: "{day}" };
  expect(format("en", "{name}, {day}, {other}", values)).toBe("{day}, March 1, 2026, {other}");
  expect(format("de", "{day}", values)).toBe("1. März 2026");
  expect(format("ar", "{day}", values)).toBe("1 مارس 2026");
});
