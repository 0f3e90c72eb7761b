/**
 * A clock that only goes forward and is the same in all threads: `performance.now()` begins anew in
 * each of them.
 *
 * @returns {number} milliseconds
 */
export function sharedNow() {
  return Number(process.hrtime.bigint()) / 1e6;
}
