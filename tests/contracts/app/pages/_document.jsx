// biome-ignore-all lint/style/noDefaultExport: a page
// biome-ignore-all lint/style/useFilenamingConvention: a page of Next's own
import Document, { Head, Html, Main, NextScript } from "next/document";
import { Children, cloneElement } from "react";
import { note } from "../notes.js";

/** Puts the inline scripts in the tree of `render` into the page, for the test to compare. */
class WatchedHead extends Head {
  render() {
    const head = super.render();
    const content = JSON.stringify(inlineScriptsIn(head));
    const meta = <meta name="inline-scripts" content={content} />;
    return cloneElement(head, undefined, meta, ...Children.toArray(head.props.children));
  }
}

function inlineScriptsIn(node) {
  return Children.toArray(node).flatMap(({ type, props }) =>
    type === "script"
      ? (props.dangerouslySetInnerHTML?.__html ?? [])
      : inlineScriptsIn(props?.children),
  );
}

export default class WatchedDocument extends Document {
  static async getInitialProps(ctx) {
    note("_document");
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
