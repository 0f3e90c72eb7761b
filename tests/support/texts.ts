import { catalogue } from "@/lib/messages/catalogue";
import type { Messages } from "@/lib/messages/en";

/** The texts of a language of the tests: English ones where the app doesn't have the language. */
export function textsOf(locale: string): Messages {
  const texts: Record<string, Messages | undefined> = catalogue;
  return texts[locale] ?? catalogue.en;
}
