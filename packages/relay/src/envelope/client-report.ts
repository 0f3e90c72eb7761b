import { type Category, categoryOf } from "./categories.ts";
import { type EnvelopeItem, readEnvelope, writeEnvelope } from "./envelope.ts";

/**
 * Why a report was dropped, as the service names it.
 * Source: https://develop.sentry.dev/sdk/telemetry/client-reports/#envelope-item-payload
 */
export type DropReason =
  | "backpressure"
  | "cache_overflow"
  | "internal_sdk_error"
  | "network_error"
  | "ratelimit_backoff"
  | "send_error";

export interface Drops {
  reason: DropReason;
  category: Category;
  quantity: number;
}

/** SDKs put at most a thousand records into one item. A client may claim any number. */
const maxItemCount = 10_000;

/**
 * The most that a sum of drops can be: beyond it, JavaScript and JSON lose units, and a database's
 * 64-bit column overflows before long.
 */
export const maxDropQuantity = Number.MAX_SAFE_INTEGER;

/**
 * What is lost if an envelope, or a part of it, is dropped. Client reports themselves don't count, and bytes that
 * are no envelope hold nothing.
 *
 * @param envelope its bytes, or items that were read
 */
export function dropsOf(
  reason: DropReason,
  envelope: Uint8Array | readonly EnvelopeItem[],
): Drops[] {
  const read = envelope instanceof Uint8Array ? readEnvelope(envelope) : { items: envelope };
  if ("fault" in read) return [];
  const drops = read.items.map(({ type, header }): Drops => {
    return { reason, category: categoryOf(type), quantity: itemCount(header) };
  });
  return summed(drops.filter(({ category }) => category !== "internal"));
}

/** @returns how many records the item says it holds: 1 to `maxItemCount` */
function itemCount({ item_count: count }: Record<string, unknown>): number {
  return typeof count === "number" && count >= 1 ? Math.min(Math.floor(count), maxItemCount) : 1;
}

/** @returns an envelope that tells the service what was dropped on the way to it */
export function clientReport(drops: Drops[], now: number): Buffer {
  const payload = JSON.stringify({
    timestamp: new Date(now).toISOString(),
    discarded_events: drops,
  });
  return writeEnvelope({}, [[{ type: "client_report" }, payload]]);
}

/** @returns one entry for each reason and category */
export function summed(drops: readonly Drops[]): Drops[] {
  const sums = new Map<string, Drops>();
  for (const drop of drops) {
    const quantity = (sums.get(keyOf(drop))?.quantity ?? 0) + drop.quantity;
    sums.set(keyOf(drop), { ...drop, quantity });
  }
  return [...sums.values()];
}

export function keyOf({ reason, category }: Drops): string {
  return `${reason} ${category}`;
}
