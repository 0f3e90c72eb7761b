import { join } from "node:path";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { log } from "@/lib/log";
import { processWide } from "@/lib/process-wide.js";
import { Courier } from "./courier";
import { Delivery } from "./delivery";
import type { Outbox } from "./outbox";
import type { OutboxBounds } from "./report-table";
import { ServiceLimits } from "./service-limits";
import { SqliteOutbox } from "./sqlite-outbox";

const hourMs = 60 * 60 * 1000;
const maxBytes = 256 * 1024 * 1024;

/** Bounds while a service empties the outbox. */
export const transitBounds: OutboxBounds = {
  maxBytes,
  maxAgeMs: 24 * hourMs,
  whenFull: "refuse",
};

/** Bounds while the embedded inbox shows what is in the outbox. */
export const inboxBounds: OutboxBounds = {
  maxBytes,
  maxAgeMs: 7 * 24 * hourMs,
  maxReports: 10_000,
  whenFull: "drop-oldest",
};

const tidyMs = 60_000;

/** The report path of this process. */
interface Post {
  outbox: Outbox;
  limits: ServiceLimits;
  courier?: Courier;
  tidying?: NodeJS.Timeout;
}

function post(): Post {
  return processWide("outbox", () => {
    const { dataDir, dsn } = runtimeConfig();
    const bounds = dsn ? transitBounds : inboxBounds;
    const outbox = new SqliteOutbox({ file: join(dataDir, "outbox.db"), bounds, log });
    return { outbox, limits: new ServiceLimits() };
  });
}

/**
 * The outbox under `DATA_DIR`. Its file is opened when it is first used, not here.
 *
 * @throws {import("@/lib/config/refusal.js").ConfigError}
 */
export function outbox(): Outbox {
  return post().outbox;
}

/** What the service has asked not to be sent, as far as the courier knows. */
export function serviceLimits(): ServiceLimits {
  return post().limits;
}

/**
 * Begins to deliver to the configured service; without one, keeps the inbox within its bounds.
 * Calling it again changes nothing.
 */
export function startCourier(): void {
  const shared = post();
  if (shared.courier || shared.tidying) return;
  const { outbox, limits } = shared;
  const { dsn } = runtimeConfig();
  if (dsn) {
    shared.courier = new Courier({ outbox, delivery: new Delivery(dsn), limits, log });
    shared.courier.start();
    return;
  }
  const tidy = () => {
    outbox.expire(0).catch((error) => log("warn", "outbox not tidied", { cause: String(error) }));
  };
  shared.tidying = setInterval(tidy, tidyMs);
  shared.tidying.unref();
  tidy();
}

/**
 * Delivers what can be delivered at once, then puts on disk what is still in memory. The outbox
 * goes on taking reports; the next start delivers them.
 *
 * @param deadlineMs how long it may take at most
 */
export async function stopCourier(deadlineMs = 1500): Promise<void> {
  const shared = post();
  const { courier } = shared;
  shared.courier = undefined;
  clearInterval(shared.tidying);
  shared.tidying = undefined;
  if (courier) await courier.stop(deadlineMs);
  shared.outbox.flush();
}
