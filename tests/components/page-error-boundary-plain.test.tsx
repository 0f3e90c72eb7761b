import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import initHeadManager from "next/dist/client/head-manager";
import { HeadManagerContext } from "next/dist/shared/lib/head-manager-context.shared-runtime";
import { expect, test, vi } from "vitest";
import { PageErrorBoundary } from "@/components/page-error-boundary";
import { messages as en } from "@/lib/messages/en";
import { MessagesContext } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";

// A script that can't be loaded.
vi.mock("@/components/error-view", () => {
  throw new Error("Failed to load chunk");
});

let failing = true;

function Page() {
  if (failing) throw new Error("failed in render");
  return <h1>The page</h1>;
}

const manager = initHeadManager();

test("without its script, the error view has title and focus, and so has the page after it", async () => {
  // React writes what a boundary caught to the console.
  vi.spyOn(console, "error").mockImplementation(() => {});
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  render(
    <HeadManagerContext value={manager}>
      <MessagesContext value={en}>
        <main>
          <PageErrorBoundary pageUrl="/server">
            <Page />
          </PageErrorBoundary>
        </main>
      </MessagesContext>
    </HeadManagerContext>,
  );
  expect(document.title).toBe(documentTitle(en.errors.applicationError));
  expect(screen.getByRole("heading", { name: en.errors.applicationError })).toHaveFocus();
  const reference = await screen.findByText(/^[0-9a-f]{32}$/);
  expect(reference.parentElement).toHaveTextContent(en.errors.reference);
  failing = false;
  await userEvent.click(screen.getByRole("button", { name: en.errors.tryAgain }));
  const heading = screen.getByRole("heading", { name: "The page" });
  await vi.waitFor(() => expect(heading).toHaveFocus());
});
