import { beforeEach, expect, test, vi } from "vitest";
import { storedReports, storeReport } from "@/lib/reporting/browser/report-store";

beforeEach(() => localStorage.clear());

const stored = () => storedReports().map((key) => localStorage.getItem(key));

test("reports are stored each under a key of its own, oldest first", () => {
  vi.useFakeTimers();
  localStorage.setItem("of-the-app", "stays");
  for (const text of ["first", "second", "third"]) {
    expect(storeReport(text)).toBe(0);
    vi.advanceTimersByTime(1);
  }
  vi.useRealTimers();
  expect(stored()).toEqual(["first", "second", "third"]);
});

test("the oldest make room, and are counted", () => {
  vi.useFakeTimers();
  localStorage.setItem("of-the-app", "stays");
  for (let n = 0; n < 100; n++) {
    expect(storeReport(String(n))).toBe(0);
    vi.advanceTimersByTime(1);
  }
  expect(storeReport("last")).toBe(1);
  vi.useRealTimers();
  expect(stored()).toHaveLength(100);
  expect(stored().at(0)).toBe("1");
  expect(stored().at(-1)).toBe("last");
  expect(localStorage.getItem("of-the-app")).toBe("stays");
});
