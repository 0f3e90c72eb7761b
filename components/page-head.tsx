import Head from "next/head";
import { memo, useContext } from "react";
import { MessagesContext } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";

interface Props {
  title: string;
  description?: string;
}

/**
 * Title and description of the document, rendered by the server too. `_app` sets them for every page
 * from its texts; a page or component sets its own by rendering this or `next/head` itself.
 *
 * `next/head` takes what was rendered last. So this renders again only with another title or with
 * other texts, and with those everywhere, in the order of the page: the page's own comes after that
 * of `_app`, even if the page is memoized.
 *
 * No element has a key: by a key, `next/head` would keep two descriptions.
 */
export const PageHead = memo(function PageHead({ title, description }: Props) {
  useContext(MessagesContext);
  return (
    <Head>
      <title>{documentTitle(title)}</title>
      {description && <meta name="description" content={description} />}
    </Head>
  );
});
