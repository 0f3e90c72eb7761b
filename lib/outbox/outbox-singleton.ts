import { join } from "node:path";
import { runtimeConfig } from "@/lib/config/runtime";
import type { CategorySet } from "@/lib/envelope/categories";
import { log } from "@/lib/log";
import { singleton } from "@/lib/singleton";
import type { Outbox, OutboxBounds, OutboxEngine } from "./outbox";
import { PostgresOutbox } from "./postgres/postgres-outbox";
import { SqliteOutbox } from "./sqlite/sqlite-outbox";

const hourMs = 60 * 60 * 1000;
const maxBytes = 256 * 1024 * 1024;
/** The most that errors, feedback, stacks and their indexes take: see lib/inbox/model/filed-bounds.ts. */
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

interface ProcessState {
  engine: OutboxEngine;
  limited(): CategorySet;
}

function state(): ProcessState {
  return singleton("outbox", () => {
    const { dataDir, database, dsn } = runtimeConfig();
    const bounds = dsn ? transitBounds : inboxBounds;
    const limited = () => shared.limited();
    // Otherwise the build copies each file of this name below the project into the standalone folder.
    const file = join(/* turbopackIgnore: true */ dataDir, "outbox.db");
    const engine = database
      ? new PostgresOutbox({ ...database, bounds, log, limited })
      : new SqliteOutbox({ file, bounds, log, limited });
    const shared: ProcessState = { engine, limited: () => 0 };
    return shared;
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

/** The same, for what delivers from it. */
export function outboxEngine(): OutboxEngine {
  return state().engine;
}

/** @param limited as for `DurableOutboxOptions`. Until this is called, every report is wanted */
export function limitOutbox(limited: () => CategorySet): void {
  state().limited = limited;
}
