import { type CategorySet, categoryOf, categorySet } from "../categories.ts";
import { type Drops, dropsOf } from "../envelope/client-report.ts";
import { type EnvelopeItem, readEnvelope } from "../envelope/read-envelope.ts";
import { type ItemToWrite, writeEnvelope } from "../envelope/write-envelope.ts";

/**
 * Leaves out of an envelope the items of categories that the service limits, as Sentry's SDKs do. What is
 * no envelope stays as it is.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/#rate-limit-enforcement
 *
 * @returns the rest, and what was lost with the others
 */
export function withoutLimited(
  envelope: Uint8Array,
  limited: CategorySet,
): { rest: Uint8Array; lost: Drops[] } {
  const read = readEnvelope(envelope);
  if ("fault" in read) return { rest: envelope, lost: [] };
  const isLimited = ({ type }: EnvelopeItem) => (categorySet([categoryOf(type)]) & limited) !== 0;
  const written = (items: EnvelopeItem[]) =>
    writeEnvelope(
      read.header,
      items.map(({ header, payload }): ItemToWrite => [header, payload]),
    );
  const left = read.items.filter(isLimited);
  return {
    rest: written(read.items.filter((item) => !isLimited(item))),
    lost: dropsOf("ratelimit_backoff", written(left)),
  };
}
