import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { orLoadWhole } from "@/lib/navigation/full-load";
import { useRoute } from "@/lib/navigation/route";
import type { Messages } from "./en";
import { directionOf } from "./locales.js";

/** Where the document's own language stands in the page: inert JSON, put there by `_document`. */
export const messagesElementId = "messages";

/** On the server, `_document` fills it; in the browser, `MessagesProvider`. */
export const MessagesContext = createContext<Messages | undefined>(undefined);

function messagesOfDocument(): Messages {
  return JSON.parse(document.getElementById(messagesElementId)?.textContent ?? "");
}

/**
 * Gives the texts of the present language to all below. They come with the document, so no script
 * carries them; another language is loaded only when the visitor changes to it without a full load.
 */
export function MessagesProvider({ children }: { children: ReactNode }) {
  const fromServer = useContext(MessagesContext);
  const { locale } = useRoute();
  const [current, setCurrent] = useState(() => ({
    locale,
    messages: fromServer ?? messagesOfDocument(),
  }));

  useEffect(() => {
    document.documentElement.dir = directionOf(locale);
    if (locale === current.locale) return;
    let wanted = true;
    // A rejection is left to the reporting of unhandled ones: the old language stays meanwhile.
    void orLoadWhole(import("./catalogue")).then(({ catalogue }) => {
      if (wanted) setCurrent({ locale, messages: catalogue[locale] });
    });
    return () => {
      wanted = false;
    };
  }, [locale, current.locale]);

  return <MessagesContext value={current.messages}>{children}</MessagesContext>;
}

/** The texts in the visitor's language. */
export function useMessages(): Messages {
  const messages = useContext(MessagesContext);
  if (!messages) throw new Error("useMessages is used outside MessagesProvider");
  return messages;
}
