/** What the product is called: in the title of every page, the header and the texts. */
export const productName = "Signpost";

/** The text of a document's `<title>` element. */
export function documentTitle(title: string): string {
  return `${title} · ${productName}`;
}
