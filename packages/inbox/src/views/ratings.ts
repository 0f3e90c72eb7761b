import type { Vital } from "../model/measurements.ts";

export type Rating = "good" | "needs-improvement" | "poor";

/**
 * Values up to `good` are good, those above `poor` are poor. Milliseconds; CLS has no unit.
 * Source: https://web.dev/articles/vitals and, for FCP and TTFB, https://web.dev/articles/fcp and
 * https://web.dev/articles/ttfb.
 */
export const thresholds: Record<Vital, { good: number; poor: number }> = {
  lcp: { good: 2500, poor: 4000 },
  inp: { good: 200, poor: 500 },
  cls: { good: 0.1, poor: 0.25 },
  fcp: { good: 1800, poor: 3000 },
  ttfb: { good: 800, poor: 1800 },
};

export function rate(vital: Vital, value: number): Rating {
  const { good, poor } = thresholds[vital];
  if (value <= good) return "good";
  return value <= poor ? "needs-improvement" : "poor";
}

/**
 * The place of a value on a bar of three equal parts: good, needs-improvement and poor. The last
 * part ends at twice the value it begins with; greater values are at its end.
 *
 * @returns 0 to 1
 */
export function placeOnBar(vital: Vital, value: number): number {
  const { good, poor } = thresholds[vital];
  if (value <= good) return Math.max(value, 0) / good / 3;
  if (value <= poor) return (1 + (value - good) / (poor - good)) / 3;
  return Math.min((2 + (value - poor) / poor) / 3, 1);
}
