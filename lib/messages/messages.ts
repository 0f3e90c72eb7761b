import { createContext, useContext } from "react";
import type { Messages } from "./en";

/** The texts of the page's language. `_document` provides them on the server, `_app` in the browser. */
export const MessagesContext = createContext<Messages | undefined>(undefined);

/**
 * The texts of the page's language.
 *
 * @throws where no component above provides `MessagesContext`: development says so, in production the first text
 *   that is read is missing
 */
export function useMessages(): Messages {
  const messages = useContext(MessagesContext);
  // biome-ignore lint/style/noProcessEnv: the build puts the value in its place
  if (process.env.NODE_ENV !== "production" && !messages) {
    throw new Error("useMessages is used outside MessagesContext");
  }
  return messages as Messages;
}

/**
 * The texts of one page, by its pattern: `usePageTexts("/about").title`.
 *
 * @throws in development, where a page shows another one's that it did not ask for on the server: its
 *   document has them not
 */
export function usePageTexts<Page extends keyof Messages["pages"]>(
  page: Page,
): Messages["pages"][Page] {
  const texts = useMessages().pages[page];
  // biome-ignore lint/style/noProcessEnv: the build puts the value in its place
  if (process.env.NODE_ENV !== "production" && !texts) {
    throw new Error(`The texts of ${page} are another page's: what several show goes into a group`);
  }
  return texts;
}

/** What a page is called and what it is for. */
interface PageNames {
  title?: string;
  purpose?: string;
}

/** Title and purpose of any page; none for a page without texts. */
export function pageNames({ pages }: Messages, pathname: string): PageNames {
  return (pages as Record<string, PageNames | undefined>)[pathname] ?? {};
}
