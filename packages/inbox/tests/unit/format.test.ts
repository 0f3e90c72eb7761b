import { expect, test } from "vitest";
import {
  formatAgo,
  formatDuration,
  formatShare,
  formatVital,
} from "@/packages/inbox/src/views/format";

test.each([
  [0, "0 ms"],
  [7.1234, "7.12 ms"],
  [999.4, "999 ms"],
  [999.6, "1 s"],
  [12_345, "12.3 s"],
])("of a duration three digits are written: %d ms", (ms, text) => {
  expect(formatDuration(ms).replace("\u00a0", " ")).toBe(text);
});

test("a layout shift has no unit", () => {
  expect(formatVital("cls", 0.1234)).toBe("0.123");
});

test("a share is rounded down: only all of it is 100 %", () => {
  expect(formatShare(9_999, 10_000)).toBe("99.9%");
  expect(formatShare(1, 1)).toBe("100%");
});

test.each([
  [59_000, "just now"],
  [60_000, "1 min. ago"],
  [3 * 3_600_000, "3 hr. ago"],
  [50 * 3_600_000, "2 days ago"],
])("%d ms ago is written in words", (ms, text) => {
  expect(formatAgo(0, ms)).toBe(text);
});
