/** The languages of the app; next.config.js lists the same codes for Next. */
export const locales = ["en", "de", "ar"] as const;
export type Locale = (typeof locales)[number];

export const defaultLocale: Locale = "en";

/** The language's own name, as the switch shows it. */
export const languageNames: Record<Locale, string> = {
  en: "English",
  de: "Deutsch",
  ar: "العربية",
};

/** @returns whether the language is one of ours */
export function isLocale(text: string | undefined): text is Locale {
  return (locales as readonly string[]).includes(text ?? "");
}

/** The direction a language is written in. */
export function directionOf(locale: string): "ltr" | "rtl" {
  return locale === "ar" ? "rtl" : "ltr";
}
