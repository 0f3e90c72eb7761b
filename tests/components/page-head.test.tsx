import { render } from "@testing-library/react";
import initHeadManager from "next/dist/client/head-manager";
import { HeadManagerContext } from "next/dist/shared/lib/head-manager-context.shared-runtime";
import { memo } from "react";
import { expect, test } from "vitest";
import { PageHead } from "@/components/page-head";
import type { Locale } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";
import { otherLocale } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

/** The part of a page that its props don't change. */
const Article = memo(function Article() {
  return <PageHead title="Own" description="Own description" />;
});

function Page({ hasOwn }: { asPath: string; hasOwn: boolean }) {
  return hasOwn && <Article />;
}

const manager = initHeadManager();

function App({ asPath = "/a", locale = "en" as Locale, hasOwn = true }) {
  const { applicationError, advice } = catalogue[locale].errors;
  return (
    <HeadManagerContext value={manager}>
      <MessagesContext value={catalogue[locale]}>
        <PageHead title={applicationError} description={advice} />
        <Page asPath={asPath} hasOwn={hasOwn} />
      </MessagesContext>
    </HeadManagerContext>
  );
}

const shown = () => [
  document.title,
  ...[...document.querySelectorAll("meta[name=description]")].map(
    (element) => (element as HTMLMetaElement).content,
  ),
];

test("a page's own title stays when _app renders again, but the page's part does not", () => {
  const { rerender } = render(<App />);
  const own = [documentTitle("Own"), "Own description"];
  expect(shown()).toEqual(own);
  rerender(<App asPath="/a#hash" />);
  expect(shown()).toEqual(own);
  rerender(<App asPath="/a#hash" locale={otherLocale} />);
  expect(shown()).toEqual(own);
  rerender(<App hasOwn={false} locale={otherLocale} />);
  const { applicationError, advice } = catalogue[otherLocale].errors;
  expect(shown()).toEqual([documentTitle(applicationError), advice]);
});
