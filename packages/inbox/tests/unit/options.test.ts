import { expect, test } from "vitest";
import { type InboxOptions, inbox } from "@/packages/inbox/src/index";

test.each([
  [{ token: "" }, 'Expected `token` to be 1 to 256 characters without spaces, got ""'],
  [{ token: "two words" }, "Expected `token` to be 1 to 256 characters without spaces, got string"],
  [{ token: null }, "Expected `token` to be 1 to 256 characters without spaces, got object"],
  [
    { retentionDays: Number.NaN },
    "Expected `retentionDays` to be a whole number from 1 to 365, got NaN",
  ],
  [{ retentionDays: -1 }, "Expected `retentionDays` to be a whole number from 1 to 365, got -1"],
  [
    { retentionDays: "30" },
    'Expected `retentionDays` to be a whole number from 1 to 365, got "30"',
  ],
  [
    { reportRetentionDays: 366 },
    "Expected `reportRetentionDays` to be a whole number from 1 to 365, got 366",
  ],
])("an inbox can't have the options %j", (options, message) => {
  expect(() => inbox(options as InboxOptions)).toThrow(new TypeError(message));
});

test("an option that is named and not set has its default", () => {
  expect(inbox({ token: undefined, retentionDays: undefined }).name).toBe("inbox");
});
