import type { AppType } from "next/app";
import type { DocumentContext } from "next/document";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { usePageTexts } from "@/lib/messages/messages";
import AppDocument from "@/pages/_document";
import { catalogue } from "@/tests/support/texts";

/** Renders as Next does, and gives the texts that go into the document. */
async function textsOfDocument(pathname: string, Page: AppType) {
  const context = {
    pathname,
    asPath: pathname,
    locale: "en",
    async renderPage({ enhanceApp = (App: AppType) => App }) {
      const App = enhanceApp(Page as never);
      return { html: renderToStaticMarkup(createElement(App, {} as never)), head: [] };
    },
    defaultGetInitialProps: (given: DocumentContext) => given.renderPage(),
  } as unknown as DocumentContext;
  const { html, messages } = await AppDocument.getInitialProps(context);
  return { html, texts: JSON.parse(messages) };
}

test("a document has the texts of its own page, those that it asks for besides, and no other page's", async () => {
  const { pages, ...groups } = catalogue.en;
  const Silent = () => <p>No text</p>;
  const { texts } = await textsOfDocument("/none", Silent);
  expect(texts).toEqual({ ...groups, pages: { "/_error": null, "/404": null, "/none": null } });
  const Linking = () => <p>{usePageTexts("/").title}</p>;
  const { html, texts: more } = await textsOfDocument("/none", Linking);
  expect(html).toBe(`<p>${pages["/"].title}</p>`);
  expect(more.pages).toEqual({ ...texts.pages, "/": pages["/"] });
});
