import { inboxCatalogue } from "@/lib/messages/inbox/catalogue";
import type { InboxMessages } from "@/lib/messages/inbox/en";

/** The inbox's texts in a language of the tests: English ones where the app doesn't have it. */
export function inboxTextsOf(locale: string): InboxMessages {
  const texts: Record<string, InboxMessages | undefined> = inboxCatalogue;
  return texts[locale] ?? inboxCatalogue.en;
}
