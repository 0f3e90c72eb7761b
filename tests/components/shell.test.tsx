import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Shell } from "@/components/shell";
import { StaticRouter } from "@/components/static-router";
import { messages as en } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";

it("has a logo that stays small where the style sheet is missing", () => {
  render(
    <StaticRouter pathname="/static" locale="en">
      <MessagesContext value={en}>
        <Shell>
          <h1>The page</h1>
        </Shell>
      </MessagesContext>
    </StaticRouter>,
  );
  const logo = screen.getByRole("link", { name: en.shell.home }).querySelector("svg");
  expect(logo).toHaveAttribute("width", "24");
  expect(logo).toHaveAttribute("height", "24");
});
