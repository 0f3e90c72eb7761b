/**
 * The nearest-rank percentile: the smallest value that at least this share of all values does not
 * exceed, so always one that was measured.
 *
 * @param sorted ascending, not empty
 * @param share over 0, up to 1
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const value = sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
  if (value === undefined) throw new RangeError("Expected at least one value, got none");
  return value;
}
