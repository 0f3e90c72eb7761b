/**
 * The random number of a trace, 0 to 1: whoever decides by it whether the trace is sampled, decides
 * alike. Of traces whose ids are random, as Sentry's SDKs make them.
 *
 * @param traceId 32 hex digits
 */
export function sampleRand(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 8), 16) / 2 ** 32;
}
