import { useRouter } from "next/router";
import { inboxCatalogue } from "@/lib/messages/inbox/catalogue";
import type { InboxMessages } from "@/lib/messages/inbox/en";
import { toLocale } from "@/lib/messages/locales";

/** The inbox's texts in the visitor's language. */
export function useInboxMessages(): InboxMessages {
  return inboxCatalogue[toLocale(useRouter().locale)];
}
