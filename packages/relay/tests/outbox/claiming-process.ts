import { Outbox } from "@/packages/relay/src/outbox/outbox";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { schemaOf } from "@/packages/relay/src/outbox/tables";

/*
 * A process that claims all reports of a file, says so, and lives until it is killed. See `bundleProcess`.
 *
 *   node claiming-process.js <file>
 */

const [, , file = ""] = process.argv;
const outbox = new Outbox(new SqliteDriver({ file, schema: schemaOf() }), {
  maxBytes: 1024 * 1024,
  maxAgeMs: 1000,
  log: () => {},
});
const claimed = await outbox.claim({ limit: 100, without: 0 });
process.stdout.write(`${claimed.length}\n`);
setInterval(() => {}, 1000);
