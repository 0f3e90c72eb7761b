import { useEffect } from "react";
import { useMessages } from "@/lib/messages/messages";
import { documentTitle, pageTexts } from "@/lib/messages/page-texts";
import { useRoute } from "@/lib/navigation/route";

/**
 * Keeps title and description right when the page changes in the browser; the server's are put in
 * by `_document`. `next/head` does the same for a kilobyte of script, and may be used beside it.
 */
export function DocumentTitle() {
  const { title, purpose } = pageTexts(useMessages(), useRoute().pathname);
  useTitle(title);
  useEffect(() => {
    document.querySelector("meta[name=description]")?.setAttribute("content", purpose);
  }, [purpose]);
  return null;
}

/** Sets the document's title for as long as the component is there. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = documentTitle(title);
    return () => {
      document.title = before;
    };
  }, [title]);
}
