const minMs = 1000;
const maxMs = 60_000;

/**
 * Exponential back-off from 1 s to 60 s with jitter, so that many senders don't retry together.
 *
 * @param failures in a row, 1 or more
 * @param random 0 to 1
 * @returns milliseconds to wait
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(minMs * 2 ** Math.min(failures - 1, 16), maxMs);
  return Math.max(minMs, full * (1 - random / 2));
}
