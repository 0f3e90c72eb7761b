import { headerLine } from "./address-envelope";
import type { Category } from "./categories";

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
