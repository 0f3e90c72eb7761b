import { hostname } from "node:os";
import { join } from "node:path";
import { runtimeConfig } from "../../shared/environment/runtime.ts";
import { log } from "../../shared/log.ts";
import { singleton } from "../../shared/singleton.ts";
import type { Driver } from "./driver.ts";
import { Outbox } from "./outbox.ts";
import { PostgresDriver } from "./postgres-driver.ts";
import { schemaOf } from "./schema.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import type { TableSet } from "./table-sets.ts";

const maxBytes = 256 * 1024 * 1024;

interface ProcessState {
  outbox: Outbox | undefined;
  /** What other parts of the process have told it before it was opened. */
  tables: TableSet[];
}

function state(): ProcessState {
  return singleton("outbox", () => ({ outbox: undefined, tables: [] }));
}

/**
 * The outbox of this process, opened at its first use.
 *
 * @throws {import("../../shared/environment/check-environment.ts").ConfigError}
 */
export function outbox(): Outbox {
  const shared = state();
  const { dsn, resolveStacks, release, database, outboxRetentionHours } = runtimeConfig();
  shared.outbox ??= new Outbox(driver(shared), {
    maxBytes,
    maxAgeMs: outboxRetentionHours * 3_600_000,
    log,
    // Only a process of its release has the source maps of an error.
    ...((resolveStacks || !dsn) && { release }),
    // Otherwise all reports are of one machine.
    ...(database && { server: hostname() }),
  });
  return shared.outbox;
}

function driver({ tables }: ProcessState): Driver {
  const { dataDir, database } = runtimeConfig();
  const schema = schemaOf(...tables);
  if (database) return new PostgresDriver({ ...database, tables: schema, log });
  // Otherwise the build copies each file of this name below the project into the standalone folder.
  const file = join(/* turbopackIgnore: true */ dataDir, "outbox.db");
  return new SqliteDriver({ file, schema, log });
}

/** Adds tables to the outbox's store. Must be called before the first use of `outbox`. */
export function addTables(tables: TableSet): void {
  state().tables.push(tables);
}
