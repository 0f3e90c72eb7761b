import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { thing, thingTables } from "@/tests/support/things";

/*
 * A process that writes and ends as its code says. See `bundleProcess`.
 *
 *   node write-and-end.js <file> <code, with `driver` and `write(name)`>
 */

const [, , file = "", code = ""] = process.argv;
const driver = new SqliteDriver({ file, tables: thingTables });
const write = (name: string) => driver.transaction([thing(name)]);
new Function("driver", "write", code)(driver, write);
