/**
 * Measures each side once per round, the order turning from round to round, so that what else the
 * machine does falls on all sides alike.
 *
 * @template {string} N
 * @param {number} rounds
 * @param {readonly N[]} names
 * @param {(name: N) => Promise<number>} measure
 * @returns {Promise<Record<N, number[]>>}
 */
export async function interleaved(rounds, names, measure) {
  const samples = /** @type {Record<N, number[]>} */ ({});
  for (const name of names) samples[name] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = /** @type {N} */ (names[(at + round) % names.length]);
      samples[name].push(await measure(name));
    }
  }
  return samples;
}

/** @param {number[]} values @param {number} share from 0 to 1 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return mean(sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1));
}

/**
 * The mean of the lower half, the middle one included: noise only ever adds to a cost.
 *
 * @param {number[]} values
 */
export function lowerMean(values) {
  return mean(values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 2)));
}

/** @param {number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
