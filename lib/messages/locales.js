/** The languages of the app. Plain JavaScript, because next.config.js reads it. */
export const locales = /** @type {const} */ (["en", "de", "ar"]);

/** @typedef {(typeof locales)[number]} Locale */

/**
 * The language of URLs without a locale prefix.
 *
 * @type {Locale}
 */
export const defaultLocale = "en";

/**
 * Each language's own name, for the language switch.
 *
 * @type {Record<Locale, string>}
 */
export const languageNames = { en: "English", de: "Deutsch", ar: "العربية" };

/**
 * @param {string | undefined} text
 * @returns {text is Locale} whether the app has this language
 */
export function isLocale(text) {
  return /** @type {readonly (string | undefined)[]} */ (locales).includes(text);
}

/**
 * @param {string | undefined} text such as the `locale` of Next's router
 * @returns {Locale} the default language for anything that is not a language of the app
 */
export function toLocale(text) {
  return isLocale(text) ? text : defaultLocale;
}

/**
 * @param {string} locale
 * @returns {"ltr" | "rtl"} the direction the language is written in
 */
export function directionOf(locale) {
  return locale === "ar" ? "rtl" : "ltr";
}
