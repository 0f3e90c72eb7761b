import { headScript } from "@signpost/sentry/document";
import { Head, Html, Main, NextScript } from "next/document";

export default function Document() {
  return (
    <Html lang="en">
      <Head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the package's own script */}
        <script dangerouslySetInnerHTML={{ __html: headScript }} />
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  );
}
