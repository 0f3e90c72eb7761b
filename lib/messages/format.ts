import { useRouter } from "next/router";
import { toLocale } from "./locales";

/**
 * A text in the forms that its language has for numbers, by the categories of the CLDR: English and
 * German have `one` and `other`, Arabic has all six.
 * https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html
 */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The shape of a language's texts, after that of another: what is plural there has forms of its own. */
export type Texts<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends Plural ? Plural : Texts<T[K]>;
};

/** By the names that a text has in braces. */
export type Values = Record<string, string | number | Date>;

/**
 * A text with its values: `{name}` becomes that of this name. Numbers and dates are written as the
 * language writes them: numbers in digits that are the same for the server and each browser, dates as
 * the day in UTC, which both agree on too.
 *
 * @param text where it is a plural, the value `count` decides on its form
 */
export function format(locale: string, text: string | Plural, values: Values): string {
  const form =
    typeof text === "string"
      ? text
      : (text[new Intl.PluralRules(locale).select(Number(values.count))] ?? text.other);
  return form.replace(/\{(\w{1,40})\}/g, (name, key) => write(locale, values[key] ?? name));
}

/** `format` in the language of the page. */
export function useFormat(): (text: string | Plural, values: Values) => string {
  const locale = toLocale(useRouter().locale);
  return (text, values) => format(locale, text, values);
}

const numberingSystem = "latn";

function write(locale: string, value: string | number | Date): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") {
    return new Intl.NumberFormat(locale, { numberingSystem }).format(value);
  }
  const options = { dateStyle: "long", timeZone: "UTC", numberingSystem } as const;
  return new Intl.DateTimeFormat(locale, options).format(value);
}
