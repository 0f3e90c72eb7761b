import { use, useContext, useEffect, useLayoutEffect, useState } from "react";
import type { Messages } from "@/lib/messages/en";
import { directionOf, type Locale, textsOf } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { reloadOnFailure } from "@/lib/navigation/hard-navigation";

/** The element in which `_document` puts the texts of the document's page, as JSON. */
export const messagesElementId = "messages";

/**
 * The texts of a page and a language, for `_app`. Those of the page that the visitor comes to stand in
 * its document, so no script of the first load holds any. All others of the language are loaded when
 * the browser is idle, and awaited where a navigation comes first: until then the page before stays,
 * with its texts and their direction, as while its own code is loaded (Next renders in a transition).
 *
 * If they can't be loaded, the page is loaded anew. If that can't be done, the old texts stay, and each
 * navigation tries again.
 *
 * A hook of `_app` instead of a provider: so the page renders again together with the default
 * `PageHead` when other texts arrive. `next/head` takes the title that was rendered last.
 *
 * @param pathname the page's pattern, as Next names it
 */
export function useLoadedMessages(locale: Locale, pathname: string): Messages {
  const fromServer = useContext(MessagesContext);
  const [first] = useState(() => ({ locale, messages: fromServer ?? readFromDocument() }));
  const isThere = locale === first.locale && pathname in first.messages.pages;
  const messages = fromServer || isThere ? first.messages : use(load(locale, first.messages));
  const isFirst = messages === first.messages;
  const shown = isFirst ? first.locale : locale;

  // Before the texts are painted.
  useLayoutEffect(() => {
    document.documentElement.dir = directionOf(shown);
  }, [shown]);

  // After each render: a navigation is one.
  useEffect(() => {
    if (isFirst && !isThere) loads.delete(locale);
  });

  useEffect(() => {
    const ahead = () => void textsOf(locale).catch(() => {});
    // Safari has no requestIdleCallback.
    (window.requestIdleCallback ?? setTimeout)(ahead);
  }, [locale]);

  return messages;
}

const loads = new Map<Locale, Promise<Messages>>();

/** @returns the same promise each time, which never rejects */
function load(locale: Locale, otherwise: Messages): Promise<Messages> {
  const texts =
    loads.get(locale) ??
    reloadOnFailure(textsOf(locale)).catch((error) => {
      // Reported as what nobody catches.
      reportError(error);
      return otherwise;
    });
  loads.set(locale, texts);
  return texts;
}

function readFromDocument(): Messages {
  return JSON.parse(document.getElementById(messagesElementId)?.textContent ?? "");
}
