import userEvent from "@testing-library/user-event";
import type { NextPageContext } from "next";
import { beforeEach, expect, test, vi } from "vitest";
import {
  enter,
  type ReportedError,
  takeErrors,
} from "@/packages/sentry/src/browser/first-load/error-queue";
import ErrorPage from "@/pages/_error";
import { renderInApp } from "@/tests/support/in-app";
import { localePrefix, otherLocale } from "@/tests/support/languages";

const reported: ReportedError[] = [];

beforeEach(() => {
  reported.length = 0;
  enter("loading", () => reported.push(...takeErrors()));
});

/** What the router hands over in the browser. */
function context(over: Partial<NextPageContext>): NextPageContext {
  return { pathname: "/_error", query: {}, locale: otherLocale, ...over } as NextPageContext;
}

test("a navigation that failed in the browser is reported once, under the reference that is shown", async () => {
  const err = new Error("failed to load static props");
  const props = await ErrorPage.getInitialProps(context({ err, asPath: "/static" }));
  expect(reported).toMatchObject([
    { error: err, hint: { mechanism: { type: "signpost.navigation", handled: false } } },
  ]);
  expect(props).toEqual({ side: "browser", reference: reported[0]?.reference });
  renderInApp(<ErrorPage {...props} />, otherLocale);
  expect(document.querySelector('[data-fact="reference"]')).toHaveTextContent(
    reported[0]?.reference ?? "none",
  );
});

test("a page that is not there is named, without its query, and not reported", async () => {
  const props = await ErrorPage.getInitialProps(context({ asPath: "/missing?token=secret#x" }));
  expect(props).toEqual({ path: `${localePrefix(otherLocale)}/missing` });
  expect(reported).toEqual([]);
  const { container } = renderInApp(<ErrorPage {...props} />, otherLocale);
  expect(container).toHaveTextContent(`${localePrefix(otherLocale)}/missing`);
});

test("an address that can't be read is the visitor's own, and not reported", async () => {
  const res = { statusCode: 400 } as NextPageContext["res"];
  expect(await ErrorPage.getInitialProps(context({ res, asPath: "/%E0" }))).toEqual({});
  const { container } = renderInApp(<ErrorPage />, "en");
  expect(container).toHaveTextContent("This address can't be read");
  expect(reported).toEqual([]);
});

test("trying again keeps the query, a parameter that comes twice too", () => {
  const address = "/server?a=1&a=1&b=x%20y";
  const { container } = renderInApp(<ErrorPage side="server" reference="r" />, "en", address);
  const kept = [...container.querySelectorAll("input[type=hidden]")].map((input) => [
    input.getAttribute("name"),
    input.getAttribute("value"),
  ]);
  expect(kept.slice(0, 3)).toEqual([
    ["a", "1"],
    ["a", "1"],
    ["b", "x y"],
  ]);
});

test.each<[what: string, writeText: (() => Promise<void>) | undefined, said: RegExp]>([
  ["what was copied", async () => {}, /^Reference copied$/],
  ["that nothing can be copied", undefined, /does not allow/],
])("each click on Copy says %s, the second one too", async (_, writeText, said) => {
  const user = userEvent.setup();
  Object.defineProperty(navigator, "clipboard", {
    value: writeText && { writeText },
    configurable: true,
  });
  const { getAllByRole, getByRole } = renderInApp(<ErrorPage side="server" reference="r" />, "en");
  const [region] = getAllByRole("status");
  const texts: string[] = [];
  new MutationObserver(() => texts.push(region?.textContent ?? "")).observe(region as Node, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  for (const clicks of [1, 2]) {
    await user.click(getByRole("button", { name: "Copy" }));
    await vi.waitFor(() => expect(texts.filter(Boolean)).toHaveLength(clicks));
  }
  expect(texts.at(-1)).toMatch(said);
});
