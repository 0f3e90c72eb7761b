import { join } from "node:path";
import { runtimeConfig } from "@/lib/config/runtime";
import { log } from "@/lib/log";
import { singleton } from "@/lib/singleton";
import { envelopeResolver } from "@/lib/source-maps/resolve-envelope";
import { Courier } from "./courier";
import { Delivery } from "./delivery";
import { deliveringFeedbackAsEvents } from "./feedback-events";
import type { Outbox, OutboxBounds, OutboxEngine, OutboxStats } from "./outbox";
import { PostgresOutbox } from "./postgres/postgres-outbox";
import { ServiceLimits } from "./service-limits";
import { SqliteOutbox } from "./sqlite/sqlite-outbox";

const hourMs = 60 * 60 * 1000;
const maxBytes = 256 * 1024 * 1024;
/** The most that errors, feedback, stacks and their indexes take: see lib/inbox/filed-bounds.ts. */
const maxRowBytes = 160 * 1024 * 1024;

/** Bounds while a service empties the outbox. */
const transitBounds: OutboxBounds = {
  maxBytes,
  maxAgeMs: 24 * hourMs,
  whenFull: "refuse",
};

/** Bounds while the embedded inbox shows what is in the outbox. */
const inboxBounds: OutboxBounds = {
  maxBytes,
  maxAgeMs: 7 * 24 * hourMs,
  maxReports: 10_000,
  maxRowBytes,
  whenFull: "drop-oldest",
};

const expiryIntervalMs = 60_000;

interface ProcessState {
  engine: OutboxEngine;
  limits: ServiceLimits;
  courier?: Courier;
  expiryTimer?: NodeJS.Timeout;
}

function state(): ProcessState {
  return singleton("outbox", () => {
    const { dataDir, database, dsn, feedbackAsEvent } = runtimeConfig();
    const bounds = dsn ? transitBounds : inboxBounds;
    const limits = new ServiceLimits(Date.now, dsn?.envelopeUrl, feedbackAsEvent);
    const limited = () => limits.limitedForLong();
    const engine = database
      ? new PostgresOutbox({ ...database, bounds, log, limited })
      : new SqliteOutbox({ file: join(dataDir, "outbox.db"), bounds, log, limited });
    return { engine, limits };
  });
}

/**
 * The outbox of this process: in Postgres with `DATABASE_URL`, otherwise in a file under `DATA_DIR`.
 * It is opened at its first use, not here.
 *
 * @throws {import("@/lib/config/check-environment").ConfigError}
 */
export function outbox(): Outbox {
  return state().engine;
}

/** What the service has asked not to be sent, as far as the courier knows. */
export function serviceLimits(): ServiceLimits {
  return state().limits;
}

/** @returns a sample rate as it holds now: 0 while the service takes no measurements */
export function rateNow(rate: number): number {
  return serviceLimits().takesMeasurements() ? rate : 0;
}

/**
 * Starts delivery to the configured service. Without a service, only removes reports that are too
 * old for the inbox. Further calls do nothing.
 */
export function startCourier(): void {
  const shared = state();
  if (shared.courier || shared.expiryTimer) return;
  const { engine, limits } = shared;
  const { dsn, resolveStacks, feedbackAsEvent } = runtimeConfig();
  if (dsn) {
    const delivery = new Delivery(dsn);
    shared.courier = new Courier({
      outbox: engine,
      delivery: feedbackAsEvent ? deliveringFeedbackAsEvents(delivery) : delivery,
      limits,
      log,
      ...(resolveStacks && { resolve: envelopeResolver() }),
    });
    shared.courier.start();
    return;
  }
  const expire = () => {
    engine.expire(0).catch((error) => log("warn", "reports not expired", { cause: String(error) }));
  };
  shared.expiryTimer = setInterval(expire, expiryIntervalMs);
  shared.expiryTimer.unref();
  expire();
}

/**
 * Delivers what can be delivered at once.
 *
 * @param maxMs maximum time
 * @returns how the outbox is then; undefined if there is no service to deliver to
 */
export async function deliverNow(maxMs: number): Promise<OutboxStats | undefined> {
  const { courier, engine } = state();
  if (!courier) return undefined;
  await courier.deliverNow(maxMs);
  return engine.stats();
}

/**
 * Delivers what can be delivered at once, then stores everything in memory. The outbox
 * still accepts reports afterwards; the next start delivers them.
 */
export async function stopCourier(deadlineMs = 1500): Promise<void> {
  const shared = state();
  const { courier } = shared;
  shared.courier = undefined;
  clearInterval(shared.expiryTimer);
  shared.expiryTimer = undefined;
  await courier?.stop(deadlineMs);
  await shared.engine.flush();
}
