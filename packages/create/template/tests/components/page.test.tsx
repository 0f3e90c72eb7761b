import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Page } from "@/components/page";
import { StaticRouter } from "@/components/static-router";
import { locales, textsOf } from "@/lib/messages/locales";
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
