// biome-ignore-all lint/style/noDefaultExport: a page
// biome-ignore-all lint/style/useFilenamingConvention: a page of Next's own
import Document, { Head, Html, Main, NextScript } from "next/document";
import { note } from "../notes.js";

/** Puts what `getScripts` says of inline scripts into the page, for the test to compare. */
class WatchedHead extends Head {
  getScripts(files) {
    const scripts = super.getScripts(files);
    const inline = scripts.flatMap(({ props }) => props.dangerouslySetInnerHTML?.__html ?? []);
    return [
      <meta key="inline" name="inline-scripts" content={JSON.stringify(inline)} />,
      ...scripts,
    ];
  }
}

export default class WatchedDocument extends Document {
  static async getInitialProps(ctx) {
    note(ctx.req?.headers, "_document");
    if (ctx.query.document === "throws") throw new Error("thrown by the document");
    return Document.getInitialProps(ctx);
  }

  render() {
    return (
      <Html>
        <WatchedHead />
        <body>
          <Main />
          <NextScript />
        </body>
      </Html>
    );
  }
}
