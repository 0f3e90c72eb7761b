/**
 * The random number of a trace, 0 to 1: whoever decides by it whether the trace is sampled, decides
 * alike. The last digits of an id are random, whoever has made it: https://www.w3.org/TR/trace-context-2/#random-trace-id-flag
 *
 * @param traceId 32 hex digits
 */
export function sampleRand(traceId: string): number {
  return Number(`0x${traceId.slice(-8)}`) / 2 ** 32;
}
