import { setTimeout as delay } from "node:timers/promises";
import { filerOf } from "@/packages/inbox/tests/support/inbox";
import { Outbox } from "@/packages/relay/src/outbox/outbox";
import { PostgresDriver } from "@/packages/relay/src/outbox/postgres-driver";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { everyTable } from "@/tests/support/outboxes";

// Files what lies in an outbox, in a process of its own that a test can kill: `sqlite FILE LEASE_MS`
// or `postgres URL SCHEMA LEASE_MS`. It writes a line when it begins.
const [engine, place = "", ...rest] = process.argv.slice(2);
const log = () => {};
const driver =
  engine === "sqlite"
    ? new SqliteDriver({ file: place, tables: everyTable })
    : new PostgresDriver({ url: place, schema: rest.shift() ?? "", tables: everyTable, log });
const leaseMs = Number(rest[0]);
const outbox = new Outbox(driver, { maxBytes: 2 ** 28, maxAgeMs: 86_400_000, log, leaseMs });
process.stdout.write("files\n");
await filerOf(outbox, {
  // Long enough to be killed meanwhile.
  resolve: async (frames) => {
    await delay(15);
    return frames.map(() => ({ resolved: false, late: false }));
  },
}).file();
await outbox.close();
