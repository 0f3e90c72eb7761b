import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { SiteNav } from "@/components/site-nav";
import { StaticRouter } from "@/components/static-router";
import { messages as en } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";

function App({ pathname, asPath = pathname }: { pathname: string; asPath?: string }) {
  return (
    <StaticRouter pathname={pathname} asPath={asPath} locale="en">
      <MessagesContext value={en}>
        <SiteNav />
      </MessagesContext>
    </StaticRouter>
  );
}

test("the routes stay unfolded at another hash, and fold on another page, also of the same pattern", () => {
  const { container, rerender } = render(<App pathname="/server" />);
  const details = () => container.querySelector("details") as HTMLDetailsElement;
  details().open = true;
  rerender(<App pathname="/server" asPath="/server#hash" />);
  expect(details().open).toBe(true);
  rerender(<App pathname="/static" />);
  expect(details().open).toBe(false);
  rerender(<App pathname="/dynamic/[id]" asPath="/dynamic/one" />);
  details().open = true;
  rerender(<App pathname="/dynamic/[id]" asPath="/dynamic/two" />);
  expect(details().open).toBe(false);
});

test("a link is that of the present page only where it leads there, whatever the query", () => {
  const { container, rerender } = render(<App pathname="/" asPath="/?a#b" />);
  const current = () => container.querySelector("[aria-current]");
  expect(current()).toHaveAttribute("aria-current", "page");
  // What the list of placeholders has as an example is another address.
  rerender(<App pathname="/" asPath="/elsewhere" />);
  expect(current()).toHaveAttribute("aria-current", "true");
});
