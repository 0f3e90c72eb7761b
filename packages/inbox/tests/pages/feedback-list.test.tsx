import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { FeedbackList } from "@/packages/inbox/src/pages/feedback-list";

const row = {
  key: "k",
  message: "The map is empty.",
  page: null,
  at: 0,
  about: null,
  group: null,
  errorType: null,
  errorMessage: null,
};

test.each([
  ["Ada", "ada@example.org", "Ada", 1],
  [null, "ada@example.org", "ada@example.org", 1],
  [null, null, "anonymous", 0],
])("feedback of %j with the address %j is headed %j", (name, contact, head, addresses) => {
  render(<FeedbackList rows={[{ ...row, name, contact }]} />);
  expect(screen.getByText(head, { selector: "b" })).toBeDefined();
  expect(screen.queryAllByText("ada@example.org")).toHaveLength(addresses);
});

test("a message reads by its own direction", () => {
  const message = "تعذّر فتح الصفحة.";
  render(<FeedbackList rows={[{ ...row, message, name: null, contact: null }]} />);
  expect(screen.getByText(message)).toHaveAttribute("dir", "auto");
});
