import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PageErrorBoundary } from "@/components/page-error-boundary";
import { StaticRouter } from "@/components/static-router";
import { messages as en } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import {
  enter,
  type ReportedError,
  takeErrors,
} from "@/packages/sentry/src/browser/first-load/error-queue";

const reported: ReportedError[] = [];
const reload = vi.fn();

beforeEach(() => {
  reported.length = 0;
  reload.mockReset();
  enter("loading", () => reported.push(...takeErrors()));
  // React writes what a boundary caught to the console.
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("location", { href: "http://localhost/", hash: "", reload });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What the page does when it is rendered or mounted. */
let failing: "render" | "effect" | undefined;

function FailingPage() {
  if (failing === "render") throw new Error("failed in render");
  useEffect(() => {
    if (failing === "effect") throw new Error("failed in an effect");
  }, []);
  return <p>The page</p>;
}

function App({ pageUrl = "/server" }: { pageUrl?: string | null }) {
  return (
    <StaticRouter pathname={pageUrl ?? "/optional"} locale="en">
      <MessagesContext value={en}>
        <PageErrorBoundary pageUrl={pageUrl ?? undefined}>
          <FailingPage />
        </PageErrorBoundary>
      </MessagesContext>
    </StaticRouter>
  );
}

/** Waits for the whole view, which comes after the bare words. */
function wholeView() {
  return screen.findByRole("link", { name: en.errors.home });
}

const tryAgain = () => screen.getByRole("button", { name: "Try again" });

test.each(["render", "effect"] as const)(
  "an error in %s is reported once, under the reference that is shown, and the heading has the focus",
  async (where) => {
    failing = where;
    render(<App />);
    await wholeView();
    expect(reported).toHaveLength(1);
    expect(reported[0]?.hint?.mechanism?.type).toBe("auto.function.react.error_boundary");
    expect(document.querySelector('[data-fact="reference"]')).toHaveTextContent(
      reported[0]?.reference ?? "none",
    );
    // Given in an effect, which may come a moment after the view.
    await vi.waitFor(() => expect(screen.getByRole("heading", { level: 1 })).toHaveFocus());
    expect(screen.getByText(en.errors.browser)).toBeInTheDocument();
  },
);

test("trying again mounts the page anew", async () => {
  failing = "render";
  render(<App />);
  await wholeView();
  failing = undefined;
  await userEvent.click(tryAgain());
  expect(screen.getByText("The page")).toBeInTheDocument();
  expect(reload).not.toHaveBeenCalled();
});

test.each(["render", "effect"] as const)(
  "where mounting anew fails in %s as well, the whole page is loaded",
  async (where) => {
    failing = where;
    render(<App />);
    await wholeView();
    await userEvent.click(tryAgain());
    expect(reload).toHaveBeenCalledTimes(1);
    expect(reported).toHaveLength(2);
  },
);

test("what fails again later shows its own reference, and is then tried by a hard navigation", async () => {
  failing = "render";
  const { rerender } = render(<App />);
  await wholeView();
  failing = undefined;
  await userEvent.click(tryAgain());
  await new Promise((resolve) => setTimeout(resolve));
  failing = "render";
  rerender(<App />);
  await wholeView();
  expect(reload).not.toHaveBeenCalled();
  expect(document.querySelector('[data-fact="reference"]')).toHaveTextContent(
    reported[1]?.reference ?? "none",
  );
  await userEvent.click(tryAgain());
  expect(reload).toHaveBeenCalledTimes(1);
});

test("another pageUrl is another chance, and has a try of its own", async () => {
  failing = "render";
  const { rerender } = render(<App />);
  await wholeView();
  failing = undefined;
  rerender(<App pageUrl="/static" />);
  expect(screen.getByText("The page")).toBeInTheDocument();
  failing = "render";
  rerender(<App pageUrl="/slow" />);
  await wholeView();
  failing = undefined;
  await userEvent.click(tryAgain());
  expect(screen.getByText("The page")).toBeInTheDocument();
  expect(reload).not.toHaveBeenCalled();
});

test("a page that fails before the router knows its URL fails once, and another URL is another chance", async () => {
  failing = "render";
  const { rerender } = render(<App pageUrl={null} />);
  await wholeView();
  rerender(<App pageUrl="/optional/one" />);
  await wholeView();
  expect(reported).toHaveLength(1);
  failing = undefined;
  rerender(<App pageUrl="/static" />);
  expect(screen.getByText("The page")).toBeInTheDocument();
});
