import Head from "next/head";
import { documentTitle } from "@/lib/messages/page-texts";

/**
 * Title and description of the document, rendered by the server too. `_app` sets them for every page
 * from its texts; a page or component sets its own by rendering this or `next/head` itself.
 *
 * No element has a key: by a key, `next/head` would keep two descriptions.
 */
export function PageHead({ title, description }: { title: string; description?: string }) {
  return (
    <Head>
      <title>{documentTitle(title)}</title>
      {description && <meta name="description" content={description} />}
    </Head>
  );
}
