import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { PageErrorBoundary } from "@/components/page-error-boundary";
import { StaticRouter } from "@/components/static-router";
import { messages as en } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";

function Broken({ message }: { message: string }): never {
  throw new Error(message);
}

const lostChunk = "Failed to load chunk a.js from module 1";

function show(message: string): void {
  render(
    <StaticRouter pathname="/static" locale="en">
      <MessagesContext value={en}>
        <PageErrorBoundary pageUrl="/static">
          <Broken message={message} />
        </PageErrorBoundary>
      </MessagesContext>
    </StaticRouter>,
  );
}

const storageName = "signpost.hard-navigations";

/** What was remembered of hard navigations: jsdom can't do one, but says where it would go. */
const hardNavigations = () => JSON.parse(sessionStorage.getItem(storageName) ?? "{}");

beforeEach(() => {
  sessionStorage.clear();
  // React, and jsdom of the page load.
  vi.spyOn(console, "error").mockImplementation(() => {});
});

it("loads the page anew when a part of it is no longer on the server", () => {
  show(lostChunk);
  expect(Object.keys(hardNavigations())).toEqual([location.href]);
});

it("shows the error when the page was loaded anew for that already", async () => {
  sessionStorage.setItem(storageName, JSON.stringify({ [location.href]: [Date.now()] }));
  show(lostChunk);
  const heading = await screen.findByRole("heading", { level: 1 });
  expect(heading.textContent).toBe(en.errors.applicationError);
});

it("loads nothing anew for any other error", () => {
  show("Failed to load chunk");
  expect(hardNavigations()).toEqual({});
});
