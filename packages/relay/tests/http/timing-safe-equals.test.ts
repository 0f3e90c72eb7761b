import { expect, test } from "vitest";
import { timingSafeEquals } from "@/packages/relay/src/http/client";

test("only the very text is the same", () => {
  expect(timingSafeEquals("word", "word")).toBe(true);
  for (const wrong of ["", "wor", "wordy", "Word", "w\u00f6rd"]) {
    expect(timingSafeEquals(wrong, "word")).toBe(false);
  }
});
