/** The web vitals shown, in the order of a page's life as a visitor feels it. */
export const vitals = ["lcp", "inp", "cls", "fcp", "ttfb"] as const;
export type Vital = (typeof vitals)[number];

export type Rating = "good" | "needs-improvement" | "poor";

/**
 * The limits of good and of needs-improvement: in milliseconds, but for CLS, which has no unit.
 * A value on a limit is on its better side. Source: https://web.dev/articles/vitals and, for FCP
 * and TTFB, https://web.dev/articles/fcp and https://web.dev/articles/ttfb.
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

/** Whether a browser could have measured it: a made-up number must not bend the picture. */
export function isPlausible(vital: Vital, value: number): boolean {
  return value >= 0 && value <= (vital === "cls" ? 1000 : 3_600_000);
}

/**
 * Where a value stands on a bar of three equal parts, good, needs-improvement and poor: 0 to 1.
 * The last part ends at twice its beginning; what is over stands at the end.
 */
export function position(vital: Vital, value: number): number {
  const { good, poor } = thresholds[vital];
  if (value <= good) return Math.max(value, 0) / good / 3;
  if (value <= poor) return (1 + (value - good) / (poor - good)) / 3;
  return Math.min((2 + (value - poor) / poor) / 3, 1);
}
