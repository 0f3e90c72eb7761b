/**
 * Measures each side once per round, the order turning from round to round, so that what else the
 * machine does falls on all sides alike.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name) => Promise<number>,
): Promise<Record<Name, number[]>> {
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(at + round) % names.length] as Name;
      samples[name].push(await measure(name));
    }
  }
  return samples;
}

const ascending = (values: number[]) => values.toSorted((a, b) => a - b);

/** @param share from 0 to 1 */
export function quantile(values: number[], share: number): number {
  return ascending(values)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;
}

export function median(values: number[]): number {
  const half = values.length / 2;
  return mean(ascending(values).slice(Math.ceil(half) - 1, Math.floor(half) + 1));
}

/** The mean of the lower half, the middle one included: noise only ever adds to a cost. */
export function lowerMean(values: number[]): number {
  return mean(ascending(values).slice(0, Math.ceil(values.length / 2)));
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
