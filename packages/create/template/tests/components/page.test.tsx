import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Page } from "@/components/page";
import { StaticRouter } from "@/components/static-router";
import { catalogue } from "@/lib/messages/catalogue";
import { locales } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";

test.each(locales)("a page in %s is headed by its title", (locale) => {
  render(
    <StaticRouter pathname="/notes" asPath="/notes" locale={locale}>
      <MessagesContext value={catalogue[locale]}>
        <Page>content</Page>
      </MessagesContext>
    </StaticRouter>,
  );
  const { title, purpose } = catalogue[locale].routes["/notes"];
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent(title);
  expect(screen.getByText(purpose)).toBeVisible();
  expect(screen.getByText("content")).toBeVisible();
});
