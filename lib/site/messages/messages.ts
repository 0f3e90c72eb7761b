import { createContext, useContext } from "react";
import type { Messages } from "./en";

/** The texts of the page's language. `_document` provides them on the server, `_app` in the browser. */
export const MessagesContext = createContext<Messages | undefined>(undefined);

/**
 * The texts of the page's language.
 *
 * @throws where no component above provides `MessagesContext`
 */
export function useMessages(): Messages {
  const messages = useContext(MessagesContext);
  if (!messages) throw new Error("useMessages is used outside MessagesContext");
  return messages;
}
