import { expect, test } from "vitest";
import { isSame } from "@/lib/http/is-same";

test("only the very text is the same", () => {
  expect(isSame("word", "word")).toBe(true);
  for (const wrong of ["", "wor", "wordy", "Word", "w\u00f6rd"]) {
    expect(isSame(wrong, "word")).toBe(false);
  }
});
