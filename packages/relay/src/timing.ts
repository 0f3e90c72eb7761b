/** Waits for the work, but not longer than so many milliseconds. Rejects if the work does by then. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

/** @returns runs works, at most so many at the same time: the others wait for their turn */
export function fewAtOnce(max: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

const minBackoffMs = 1000;
const maxBackoffMs = 60_000;

/**
 * Exponential back-off from 1 s to 60 s with jitter, so that many senders don't retry together.
 *
 * @param failures in a row, 1 or more
 * @param random 0 to 1
 * @returns milliseconds to wait
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(minBackoffMs * 2 ** Math.min(failures - 1, 16), maxBackoffMs);
  return Math.max(minBackoffMs, full * (1 - random / 2));
}
