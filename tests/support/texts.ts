import type { Messages } from "@/lib/messages/en";
import { type Locale, locales, textsOf as textsIn } from "@/lib/messages/locales";

/** The texts of all languages of the app. */
export const catalogue = Object.fromEntries(
  await Promise.all(locales.map(async (locale) => [locale, await textsIn(locale)])),
) as Record<Locale, Messages>;

/** The texts of a language of the tests: English ones where the app doesn't have the language. */
export function textsOf(locale: string): Messages {
  const texts: Record<string, Messages | undefined> = catalogue;
  return texts[locale] ?? catalogue.en;
}
