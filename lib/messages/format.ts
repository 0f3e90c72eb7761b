import { useRouter } from "next/router";
import { toLocale } from "./locales";
import type { Naming, Plural } from "./texts";

/** Any text that names each of the values. */
type NamesAll<Name> = (Name extends string ? (text: Naming<Name>) => void : never) extends (
  text: infer Text,
) => void
  ? Text & string
  : string;

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

/**
 * `format` in the language of the page. That a text names each of the values is held by types: the `count`
 * of a plural alone it may leave out.
 */
export function useFormat(): <V extends Values>(
  text: NamesAll<keyof V> | Plural<NamesAll<Exclude<keyof V, "count">>>,
  values: V,
) => string {
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
