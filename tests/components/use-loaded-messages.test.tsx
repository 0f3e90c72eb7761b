import initHeadManager from "next/dist/client/head-manager";
import { HeadManagerContext } from "next/dist/shared/lib/head-manager-context.shared-runtime";
import { type ReactElement, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { PageHead } from "@/components/page-head";
import { useLoadedMessages } from "@/components/use-loaded-messages";
import { directionOf, type Locale, languages, locales } from "@/lib/messages/locales";
import { MessagesContext, pageNames } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";
import { otherLocale as another } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

/** One that is written the other way, if the app has any. */
const otherLocale = locales.find((locale) => directionOf(locale) !== directionOf("en")) ?? another;

const manager = initHeadManager();

// Updates come as they do in a page.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });

function App({ locale, pathname }: { locale: Locale; pathname: string }) {
  const messages = useLoadedMessages(locale, pathname);
  const { title = pathname } = pageNames(messages, pathname);
  return (
    <HeadManagerContext value={manager}>
      <MessagesContext value={messages}>
        <PageHead title={title} />
      </MessagesContext>
    </HeadManagerContext>
  );
}

/** What the document brings: the texts of its page alone. */
function renderFirst() {
  const { pages: _, ...groups } = catalogue.en;
  const script = document.createElement("script");
  script.id = "messages";
  script.type = "application/json";
  script.textContent = JSON.stringify({ ...groups, pages: { "/none": null } });
  const place = document.createElement("main");
  document.body.replaceChildren(script, place);
  const root = createRoot(place);
  onTestFinished(() => root.unmount());
  // As Next does it.
  const show = (app: ReactElement) => startTransition(() => root.render(app));
  show(<App locale="en" pathname="/none" />);
  return show;
}

const titleOf = (locale: Locale) => documentTitle(catalogue[locale].pages["/"].title);

test("texts that never came are reported and asked for again by the next navigation, and till then the old ones stay", async () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const lost = vi.spyOn(languages.en, "texts").mockRejectedValue(new Error("offline"));
  const show = renderFirst();
  show(<App locale="en" pathname="/" />);
  await vi.waitFor(() => expect(document.title).toBe(documentTitle("/")));
  expect(reported).toHaveBeenCalledOnce();
  lost.mockRestore();
  show(<App locale="en" pathname="/" />);
  await vi.waitFor(() => expect(document.title).toBe(titleOf("en")));
  vi.unstubAllGlobals();
});

test("another page and another language show with their texts and direction, and the one before stays until then", async () => {
  const arrivals: (() => void)[] = [];
  const { texts } = languages[otherLocale];
  const slow = vi.spyOn(languages[otherLocale], "texts").mockImplementation(async () => {
    await new Promise<void>((resolve) => arrivals.push(resolve));
    return texts();
  });
  const show = renderFirst();
  await vi.waitFor(() => expect(document.title).toBe(documentTitle("/none")));
  show(<App locale="en" pathname="/" />);
  await vi.waitFor(() => expect(document.title).toBe(titleOf("en")));
  show(<App locale={otherLocale} pathname="/" />);
  await vi.waitFor(() => expect(slow).toHaveBeenCalled());
  expect([document.title, document.documentElement.dir]).toEqual([
    titleOf("en"),
    directionOf("en"),
  ]);
  for (const arrive of arrivals) arrive();
  await vi.waitFor(() => expect(document.title).toBe(titleOf(otherLocale)));
  expect(document.documentElement.dir).toBe(directionOf(otherLocale));
  slow.mockRestore();
});
