import type { Locale } from "../locales";
import { ar } from "./ar";
import { de } from "./de";
import { en, type InboxMessages } from "./en";

/** The inbox's texts in all languages. Only the server and the inbox's own pages import them. */
export const inboxCatalogue: Record<Locale, InboxMessages> = { en, de, ar };
