const firstMs = 1000;
const longestMs = 60_000;

/**
 * @param failures in a row, 1 or more
 * @param random 0 to 1
 * @returns milliseconds to wait: 1 s doubling up to 60 s, less up to half of it by chance, so that
 *   many senders don't come back at once
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(firstMs * 2 ** Math.min(failures - 1, 16), longestMs);
  return Math.max(firstMs, full * (1 - random / 2));
}
