/** @typedef {"en" | "de" | "ar"} Locale */

/**
 * The app's languages. Plain JavaScript, because next.config.js reads it too.
 *
 * @type {readonly Locale[]}
 */
export const locales = ["en", "de", "ar"];

/**
 * The language of URLs without a locale prefix.
 *
 * @type {Locale}
 */
export const defaultLocale = "en";

/**
 * Each language's own name, as the language switch shows it.
 *
 * @type {Readonly<Record<Locale, string>>}
 */
export const languageNames = {
  en: "English",
  de: "Deutsch",
  ar: "العربية",
};

/**
 * @param {string | undefined} text
 * @returns {text is Locale}
 */
export function isLocale(text) {
  return locales.some((locale) => locale === text);
}

/**
 * @param {string | undefined} text such as the `locale` of Next's router
 * @returns {Locale} the default language for anything that is not one of the app's languages
 */
export function toLocale(text) {
  return isLocale(text) ? text : defaultLocale;
}

/**
 * The direction a language is written in, as HTML's `dir` attribute names it.
 *
 * @param {Locale} locale
 * @returns {"ltr" | "rtl"}
 */
export function directionOf(locale) {
  return locale === "ar" ? "rtl" : "ltr";
}
