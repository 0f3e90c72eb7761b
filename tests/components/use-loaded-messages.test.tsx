import { act, render } from "@testing-library/react";
import initHeadManager from "next/dist/client/head-manager";
import { HeadManagerContext } from "next/dist/shared/lib/head-manager-context.shared-runtime";
import Router from "next/router";
import { expect, test, vi } from "vitest";
import { PageHead } from "@/components/page-head";
import { useLoadedMessages } from "@/components/use-loaded-messages";
import { directionOf, type Locale, locales } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";
import { attendToArrivals } from "@/lib/navigation/arrival";
import { watchNavigation } from "@/lib/navigation/stages";
import { otherLocale as another, localePrefix } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

const texts = vi.hoisted(() => {
  let arrive = () => {};
  const awaited = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return { arrive, awaited, lost: false };
});

// A script that is slow to load, or never comes.
vi.mock("@/lib/navigation/hard-navigation", () => ({
  reloadOnFailure: async <T,>(imported: Promise<T>) => {
    await texts.awaited;
    return texts.lost ? new Promise<T>(() => {}) : imported;
  },
}));

/** One that is written the other way, if the app has any. */
const otherLocale = locales.find((locale) => directionOf(locale) !== directionOf("en")) ?? another;

const manager = initHeadManager();
const path = `${localePrefix(otherLocale)}/server`;

function App({ locale }: { locale: Locale }) {
  const messages = useLoadedMessages(locale);
  return (
    <HeadManagerContext value={manager}>
      <MessagesContext value={messages}>
        <PageHead title={messages.errors.applicationError} />
      </MessagesContext>
    </HeadManagerContext>
  );
}

/** What the document brings. */
function bringTexts(): void {
  document.body.innerHTML = '<p id="__next-route-announcer__"></p><main></main>';
  const script = document.createElement("script");
  script.id = "messages";
  script.type = "application/json";
  script.textContent = JSON.stringify(catalogue.en);
  document.body.append(script);
}

test("after a change of language, direction and texts change together, and the title is announced then", async () => {
  bringTexts();
  const announced: (string | null)[] = [];
  const region = document.getElementById("__next-route-announcer__") as HTMLElement;
  new MutationObserver(() => announced.push(region.textContent)).observe(region, {
    childList: true,
  });
  vi.useFakeTimers();
  watchNavigation();
  attendToArrivals();
  const { rerender } = render(<App locale="en" />);
  Router.events.emit("routeChangeStart", path, { shallow: false });
  Router.events.emit("beforeHistoryChange", path, { shallow: false });
  rerender(<App locale={otherLocale} />);
  Router.events.emit("routeChangeComplete", path, { shallow: false });
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  await act(async () => {});
  expect([announced, document.documentElement.dir]).toEqual([[], directionOf("en")]);
  texts.arrive();
  const title = documentTitle(catalogue[otherLocale].errors.applicationError);
  await vi.waitFor(() => expect(announced).toEqual([title]));
  expect(document.documentElement.dir).toBe(directionOf(otherLocale));
});

test("texts that never came are asked for again by the next navigation, and till then the direction stays", async () => {
  bringTexts();
  texts.arrive();
  texts.lost = true;
  const { rerender } = render(<App locale="en" />);
  rerender(<App locale={otherLocale} />);
  await act(async () => {});
  expect(document.documentElement.dir).toBe(directionOf("en"));
  texts.lost = false;
  rerender(<App locale={otherLocale} />);
  const title = documentTitle(catalogue[otherLocale].errors.applicationError);
  await vi.waitFor(() => expect(document.title).toBe(title));
  expect(document.documentElement.dir).toBe(directionOf(otherLocale));
});
