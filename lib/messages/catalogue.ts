import { ar } from "./ar";
import { de } from "./de";
import { en, type Messages } from "./en";
import type { Locale } from "./locales.js";

/** The texts in all languages: for the server, and for a change of language without a full load. */
export const catalogue: Record<Locale, Messages> = { en, de, ar };
