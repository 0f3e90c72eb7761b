import { expect, test, vi } from "vitest";

vi.mock("@/packages/inbox/src/pages/documents", () => {
  throw new Error("The pages are loaded.");
});

test("the inbox loads its pages, and React with them, with the first request for one", async () => {
  const { inbox } = await import("@/packages/inbox/src/index");
  expect(inbox().name).toBe("inbox");
});
