import type { Messages } from "./en.ts";

interface Language {
  /** Its own name for itself, for the language switch. */
  name: string;
  direction: "ltr" | "rtl";
  /** The document has those of its own page. The browser loads all of them once it is idle, for later pages. */
  texts: () => Promise<{ messages: Messages }>;
}

/**
 * The languages of the app. URLs of the first one have no locale prefix. With one language alone,
 * Next's i18n routing is off. Node itself runs this file, because next.config.js imports it.
 */
export const languages = {
  en: { name: "English", direction: "ltr", texts: () => import("./en.ts") },
  de: { name: "Deutsch", direction: "ltr", texts: () => import("./de.ts") },
  ar: { name: "العربية", direction: "rtl", texts: () => import("./ar.ts") },
} satisfies Record<string, Language>;

export type Locale = keyof typeof languages;

export const locales = Object.keys(languages) as Locale[];

/** The language of URLs without a locale prefix. */
export const defaultLocale = locales[0] as Locale;

/** Whether Next knows languages: whether URLs may have a locale prefix. */
export const hasLocalePrefixes = locales.length > 1;

/** @returns whether the app has this language */
export function isLocale(text: unknown): text is Locale {
  return (locales as readonly unknown[]).includes(text);
}

/**
 * @param text such as the `locale` of Next's router
 * @returns the default language for anything that is not a language of the app
 */
export function toLocale(text: unknown): Locale {
  return isLocale(text) ? text : defaultLocale;
}

/** @returns the direction the language is written in */
export function directionOf(locale: Locale): "ltr" | "rtl" {
  const { direction }: Language = languages[locale];
  return direction;
}

/** @returns the texts of a language */
export async function textsOf(locale: Locale): Promise<Messages> {
  return (await languages[locale].texts()).messages;
}
