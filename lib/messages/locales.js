/**
 * The languages of the app, each with its own name for the language switch and the direction it is
 * written in. URLs of the first one have no locale prefix. With one language alone, Next's i18n
 * routing is off. Plain JavaScript, because next.config.js reads it.
 */
export const languages = /** @type {const} */ ({
  en: { name: "English", direction: "ltr" },
  de: { name: "Deutsch", direction: "ltr" },
  ar: { name: "العربية", direction: "rtl" },
});

/** @typedef {keyof typeof languages} Locale */

export const locales = /** @type {Locale[]} */ (Object.keys(languages));

/** The language of URLs without a locale prefix. */
export const defaultLocale = /** @type {Locale} */ (locales[0]);

/** Whether Next knows languages: whether URLs may have a locale prefix. */
export const hasLocalePrefixes = locales.length > 1;

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
 * @param {Locale} locale
 * @returns {"ltr" | "rtl"} the direction the language is written in
 */
export function directionOf(locale) {
  return languages[locale].direction;
}
