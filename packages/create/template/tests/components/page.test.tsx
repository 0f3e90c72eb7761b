import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Page } from "@/components/page";
import { StaticRouter } from "@/components/static-router";
import { defaultLocale, locales, textsOf } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";

test.each(locales)("a page in %s is headed by its title", async (locale) => {
  const messages = await textsOf(locale);
  render(
    <StaticRouter pathname="/feedback" asPath="/feedback" locale={locale}>
      <MessagesContext value={messages}>
        <Page>content</Page>
      </MessagesContext>
    </StaticRouter>,
  );
  const { title, purpose } = messages.pages["/feedback"];
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent(title);
  expect(screen.getByText(purpose)).toBeVisible();
  expect(screen.getByText("content")).toBeVisible();
});

test("a page without title and texts says in development what it lacks", async () => {
  const page = (
    <StaticRouter pathname="/no-texts" locale={defaultLocale}>
      <MessagesContext value={await textsOf(defaultLocale)}>
        <Page />
      </MessagesContext>
    </StaticRouter>
  );
  expect(() => render(page)).toThrow('pages["/no-texts"].title');
});
