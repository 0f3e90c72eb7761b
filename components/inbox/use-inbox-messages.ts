import { inboxCatalogue } from "@/lib/messages/inbox/catalogue";
import type { InboxMessages } from "@/lib/messages/inbox/en";
import { useRoute } from "@/lib/navigation/route";

/** The inbox's texts in the visitor's language. */
export function useInboxMessages(): InboxMessages {
  return inboxCatalogue[useRoute().locale];
}
