import { ar } from "./ar";
import { de } from "./de";
import { en, type Messages } from "./en";
import type { Locale } from "./locales";

/**
 * The texts of all languages. The browser imports this only when the language changes without a
 * hard navigation.
 */
export const catalogue: Record<Locale, Messages> = {
  en,
  de,
  ar,
};
