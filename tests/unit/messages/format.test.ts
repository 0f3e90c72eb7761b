import { expect, test } from "vitest";
import { format, type useFormat } from "@/lib/messages/format";
import type { Plural, Texts } from "@/lib/messages/texts";

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

const english = {
  sent: "Sent to {name} on {day}",
  orders: { one: "{count} order since {day}", other: "{count} orders since {day}" },
} as const;

test("a name that is misspelt in one language is a type error: its visitors would see braces", () => {
  const german: Texts<typeof english> = {
    // @ts-expect-error
    sent: "Am {tag} an {name} gesendet",
    // @ts-expect-error
    orders: { one: "Eine Bestellung seit {tag}", other: "{count} Bestellungen seit {day}" },
  };
  const other: Texts<typeof english> = {
    sent: "{name}, {day}",
    // @ts-expect-error
    orders: { one: "Eine Bestellung seit {day}", other: "{zahl} Bestellungen seit {day}" },
  };
  const values = { count: 1, day: new Date("2026-03-01"), name: "Ada" };
  expect(format("de", german.sent, values)).toBe("Am {tag} an Ada gesendet");
  expect(format("de", german.orders, values)).toBe("Eine Bestellung seit {tag}");
  expect(format("de", other.orders, { ...values, count: 2 })).toContain("{zahl}");
});

test("a value that the text does not name is a type error, but for the count of a plural", () => {
  const { sent, orders }: Texts<typeof english> = english;
  const inEnglish: ReturnType<typeof useFormat> = (text, values) => format("en", text, values);
  const date = new Date("2026-03-01");
  expect(inEnglish(sent, { name: "Ada", day: date })).toBe("Sent to Ada on March 1, 2026");
  expect(inEnglish(orders, { count: 1, day: date })).toBe("1 order since March 1, 2026");
  expect(inEnglish({ one: "One order", other: "Many" }, { count: 1 })).toBe("One order");
  // @ts-expect-error
  expect(inEnglish(sent, { name: "Ada", date })).toBe("Sent to Ada on {day}");
  // @ts-expect-error
  expect(inEnglish(orders, { count: 1, date })).toBe("1 order since {day}");
});
