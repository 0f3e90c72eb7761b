import { type CategorySet, categoryOf, categorySet } from "@/lib/relay/envelope/categories";
import { type Drops, dropsOf } from "@/lib/relay/envelope/client-report";
import { type EnvelopeItem, readEnvelope } from "@/lib/relay/envelope/read-envelope";
import { type ItemToWrite, writeEnvelope } from "@/lib/relay/envelope/write-envelope";

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
