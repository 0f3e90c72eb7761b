import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storedReports, storeReport } from "@/lib/reporting/browser/report-store";

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem("of-the-app", "stays");
  vi.useFakeTimers();
});
afterEach(() => {
  expect(localStorage.getItem("of-the-app")).toBe("stays");
  vi.useRealTimers();
});

const stored = () => storedReports().map((key) => localStorage.getItem(key));

/** One millisecond later than the one before. */
function store(text: string, expendable = false): string[] {
  vi.advanceTimersByTime(1);
  return storeReport(text, expendable);
}

test("reports are stored each under a key of its own: errors first, the oldest of them first", () => {
  for (const text of ["first", "second", "third"]) {
    expect(store(`measurement ${text}`, true)).toEqual([]);
    expect(store(text)).toEqual([]);
  }
  expect(stored()).toEqual([
    "first",
    "second",
    "third",
    "measurement first",
    "measurement second",
    "measurement third",
  ]);
});

test("the oldest make room, and are returned", () => {
  for (let n = 0; n < 100; n++) expect(store(String(n))).toEqual([]);
  expect(store("last")).toEqual(["0"]);
  expect(stored()).toHaveLength(100);
  expect(stored().at(0)).toBe("1");
  expect(stored().at(-1)).toBe("last");
});

test("measurements make room for errors, and never the other way round", () => {
  for (let n = 0; n < 100; n++) store(`measurement ${n}`, true);
  expect(store("measurement new", true)).toEqual(["measurement 0"]);
  const dropped = Array.from({ length: 100 }, (_, n) => store(`error ${n}`)).flat();
  expect(dropped).toHaveLength(100);
  expect(dropped.every((text) => text.startsWith("measurement"))).toBe(true);
  expect(store("measurement", true)).toEqual(["measurement"]);
  expect(stored()).toEqual(Array.from({ length: 100 }, (_, n) => `error ${n}`));
});

test("measurements make room for errors where the browser has no more bytes", () => {
  const megabyte = "x".repeat(1_000_000);
  let measurements = 0;
  try {
    for (; measurements < 90; measurements++) store(`${measurements}${megabyte}`, true);
  } catch {
    // The browser's quota.
  }
  expect(measurements).toBeLessThan(90);
  expect(() => store(megabyte, true)).toThrow(DOMException);
  const dropped = store(`error ${megabyte}`);
  expect(dropped.map((text) => text.slice(0, 1))).toEqual(["0"]);
  expect(stored()[0]).toMatch(/^error/);
  expect(stored()).toHaveLength(measurements);
});
