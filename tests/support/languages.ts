import { defaultLocale, type Locale, locales } from "@/lib/messages/locales";

/** A language besides the default one; the default one itself in an app with one language. */
export const otherLocale: Locale =
  locales.find((locale) => locale !== defaultLocale) ?? defaultLocale;

/** What begins the path of each page in a language, without base path. */
export function localePrefix(locale: Locale): string {
  return locale === defaultLocale ? "" : `/${locale}`;
}

/** The tags of a test for each language: their pages differ in texts alone, which the types check. */
export function rarely(locale: Locale): string[] {
  return locale === defaultLocale ? [] : ["@verify"];
}
