import type { Page } from "playwright/test";

/** The texts of every title and description that a document has. */
export interface Head {
  titles: string[];
  descriptions: string[];
}

/** What the HTML of a document or of its head says. */
export function headIn(html: string): Head {
  const texts = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, text = ""]) => text.replaceAll("&#x27;", "'"));
  return {
    titles: texts(/<title\b[^>]*>([^<]*)/g),
    descriptions: texts(/<meta name="description" content="([^"]*)/g),
  };
}

/** What the page's document has now. */
export async function headOf(page: Page): Promise<Head> {
  return headIn(await page.evaluate("document.head.innerHTML"));
}
