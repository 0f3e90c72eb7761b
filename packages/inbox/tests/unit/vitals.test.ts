import { expect, test } from "vitest";
import { type Vital, vitals } from "@/packages/inbox/src/model/measurements";
import { placeOnBar, rate, thresholds } from "@/packages/inbox/src/views/ratings";

test.each<[Vital, number, number]>([
  ["lcp", 2500, 4000],
  ["inp", 200, 500],
  ["cls", 0.1, 0.25],
  ["fcp", 1800, 3000],
  ["ttfb", 800, 1800],
])("%s is good up to %d and poor over %d", (vital, good, poor) => {
  expect(rate(vital, 0)).toBe("good");
  expect(rate(vital, good)).toBe("good");
  expect(rate(vital, good * 1.001)).toBe("needs-improvement");
  expect(rate(vital, poor)).toBe("needs-improvement");
  expect(rate(vital, poor * 1.001)).toBe("poor");
});

test.each(vitals)("on the bar of %s, each rating has a third, and worse is farther", (vital) => {
  const { good, poor } = thresholds[vital];
  expect(placeOnBar(vital, 0)).toBe(0);
  expect(placeOnBar(vital, good)).toBeCloseTo(1 / 3);
  expect(placeOnBar(vital, poor)).toBeCloseTo(2 / 3);
  expect(placeOnBar(vital, poor * 1.5)).toBeGreaterThan(2 / 3);
  expect(placeOnBar(vital, poor * 100)).toBe(1);
});
