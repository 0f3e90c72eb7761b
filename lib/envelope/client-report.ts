import { headerLine } from "./address-envelope";
import { type Category, categoryOf } from "./categories";
import { readEnvelope } from "./read-envelope";

/**
 * Why a report was given up, in the service's words.
 * Source: https://develop.sentry.dev/sdk/telemetry/client-reports/#envelope-item-payload
 */
export type DropReason = "cache_overflow" | "network_error" | "ratelimit_backoff" | "send_error";

export interface Drops {
  reason: DropReason;
  category: Category;
  quantity: number;
}

/**
 * @returns how much of each category is lost with an envelope: reports about lost reports don't
 *   count, and what is no envelope holds nothing
 */
export function contentsOf(envelope: Uint8Array): Map<Category, number> {
  const quantities = new Map<Category, number>();
  const read = readEnvelope(envelope);
  for (const { type, header } of "fault" in read ? [] : read.items) {
    const category = categoryOf(type);
    if (category === "internal") continue;
    const count = Number.isSafeInteger(header.item_count) ? Number(header.item_count) : 1;
    quantities.set(category, (quantities.get(category) ?? 0) + Math.max(count, 1));
  }
  return quantities;
}

/** @returns an envelope that tells the service what never reached it */
export function clientReport(drops: Drops[], now: number): Buffer {
  const payload = JSON.stringify({
    timestamp: new Date(now).toISOString(),
    discarded_events: drops,
  });
  const itemHeader = JSON.stringify({
    type: "client_report",
    length: Buffer.byteLength(payload),
  });
  return Buffer.concat([headerLine({}), Buffer.from(`${itemHeader}\n${payload}\n`)]);
}
