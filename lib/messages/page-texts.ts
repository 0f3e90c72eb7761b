import type { Messages } from "./en";
import { productName } from "./product-name";

/** What a page is called and what it is for. */
interface PageTexts {
  title: string;
  purpose: string;
}

/**
 * The texts of a page.
 *
 * @param pathname the page's pattern, as Next names it
 * @returns undefined for a page without texts
 */
export function pageTexts({ routes }: Messages, pathname: string): PageTexts | undefined {
  const texts: Record<string, PageTexts | undefined> = routes;
  return texts[pathname];
}

/** The text of a document's `<title>` element. */
export function documentTitle(title: string): string {
  return `${title} · ${productName}`;
}
