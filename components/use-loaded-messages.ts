import { useContext, useEffect, useLayoutEffect, useState } from "react";
import type { Messages } from "@/lib/messages/en";
import { directionOf, type Locale, textsOf } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { announceWithTexts } from "@/lib/navigation/arrival";
import { reloadOnFailure } from "@/lib/navigation/hard-navigation";

/** The element in which `_document` puts the texts of the document's language, as JSON. */
export const messagesElementId = "messages";

/**
 * The texts of a language, for `_app`. They come with the document, so no script of the first load
 * holds them. When the visitor changes the language without a hard navigation, those of the new
 * language are loaded; until then the old ones stay, and with them the direction. If they can't be
 * loaded, the page is loaded anew, and if that can't be done, each navigation tries again.
 *
 * A hook of `_app` instead of a provider: so the page renders again together with the default
 * `PageHead` when other texts arrive. `next/head` takes the title that was rendered last.
 */
export function useLoadedMessages(locale: Locale): Messages {
  const fromServer = useContext(MessagesContext);
  const [current, setCurrent] = useState(() => ({
    locale,
    messages: fromServer ?? readFromDocument(),
  }));

  // Before the texts are painted.
  useLayoutEffect(() => {
    document.documentElement.dir = directionOf(current.locale);
  }, [current.locale]);

  // After each render: a navigation is one.
  useEffect(() => {
    // The effects of all components below have run by now, so the title is that of these texts.
    announceWithTexts(locale === current.locale);
    if (locale === current.locale) return;
    let wanted = true;
    // A rejection is not handled here, so that it is reported like any unhandled one.
    void reloadOnFailure(textsOf(locale)).then((messages) => {
      if (wanted) setCurrent({ locale, messages });
    });
    return () => {
      wanted = false;
    };
  });

  return current.messages;
}

function readFromDocument(): Messages {
  return JSON.parse(document.getElementById(messagesElementId)?.textContent ?? "");
}
