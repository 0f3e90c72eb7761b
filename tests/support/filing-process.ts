import { setTimeout as delay } from "node:timers/promises";
import { Filer } from "@/lib/inbox/model/filer";
import { PostgresOutbox } from "@/lib/outbox/postgres/postgres-outbox";
import { SqliteOutbox } from "@/lib/outbox/sqlite/sqlite-outbox";
import { inboxBounds } from "./crowded-inbox";

// Files what lies in an outbox, in a process of its own that a test can kill: `sqlite FILE LEASE_MS`
// or `postgres URL SCHEMA LEASE_MS`. It writes a line when it begins.
const [engine, place = "", ...rest] = process.argv.slice(2);
const log = () => {};
const outbox =
  engine === "sqlite"
    ? new SqliteOutbox({ file: place, bounds: inboxBounds, log })
    : new PostgresOutbox({ url: place, schema: rest.shift() ?? "", bounds: inboxBounds, log });
const filer = new Filer(outbox.rows, {
  release: "1.0.0",
  leaseMs: Number(rest[0]),
  // Long enough to be killed meanwhile.
  resolver: async (frames) => {
    await delay(5);
    return frames.map(() => ({ resolved: false, late: false }));
  },
});
process.stdout.write("files\n");
await filer.file();
await outbox.close();
