/** What the product is called: in the title of every page, the header and the texts. */
export const productName = "Signpost";
