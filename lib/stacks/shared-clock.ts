/**
 * A clock that only goes forward and is the same in all threads: `performance.now()` begins anew in
 * each of them.
 *
 * @returns milliseconds
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
