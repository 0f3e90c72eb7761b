import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import type { OutboxEngine } from "@/lib/outbox/outbox";
import { generousBounds, openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

const next = { limit: 20_000, without: 0, failedLast: false };

/** Which reports are in the outbox, in the order in which they are delivered. */
async function typesIn(outbox: OutboxEngine): Promise<string[]> {
  const reports = await outbox.claim(next);
  await outbox.release();
  return reports.map(({ envelope }) => {
    const [, item = ""] = Buffer.from(envelope).toString().split("\n");
    return JSON.parse(item).type;
  });
}

const session = () => envelopeOf({}, [{ type: "session" }, "{}"]);

describe("several processes", () => {
  it("of this version and the one before can use one file, whichever comes first", async () => {
    const file = join(temporaryFolder(), "outbox.db");
    const previous = new Database(file);
    previous.exec(previousSchema);
    const insert = previous.prepare(previousInsert);
    const list = previous.prepare<[], number>(previousDeliverable).pluck();
    const count = previous.prepare<[], number>(previousCount).pluck();
    insert.run(categorySet(["transaction"]), transactionEnvelope());
    insert.run(categorySet(["error"]), errorEnvelope());
    const { outbox } = openOutbox({ file });
    expect(await typesIn(outbox)).toEqual(["event", "transaction"]);
    // Its prepared statements go on, and see and are seen.
    insert.run(categorySet(["session"]), session());
    await outbox.append(errorEnvelope(), "browser");
    expect(await typesIn(outbox)).toEqual(["event", "event", "transaction", "session"]);
    const listed = await outbox.list({ after: 0, limit: 9 });
    expect(list.all()).toEqual(listed.map(({ id }) => id));
    expect(count.get()).toBe(4);
    // It may also open the file anew.
    previous.exec(previousSchema);
    previous.close();
    await outbox.append(errorEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ waiting: 5, highWaiting: 3 });
  });
});

describe("a file of the version before", () => {
  it("keeps its reports, and those of an address that fills it make room first from then on", async () => {
    const file = join(temporaryFolder(), "outbox.db");
    const previous = new Database(file);
    previous.exec(schemaOfVersion2);
    for (let n = 0; n < 10; n++) previous.prepare(previousInsert).run(1 << 1, errorEnvelope());
    previous.close();
    const bounds = { ...generousBounds, maxReports: 20, whenFull: "drop-oldest" as const };
    const { outbox } = openOutbox({ file, bounds });
    for (let n = 0; n < 30; n++) {
      await outbox.append(errorEnvelope(), "browser", { sender: "192.0.2.1" });
    }
    const kept = await outbox.list({ after: 0, limit: 100 });
    expect(kept).toHaveLength(20);
    expect(kept.filter(({ receivedAt }) => receivedAt === 1)).toHaveLength(10);
  });

  it("forgets a number of drops that only a liar can have caused", async () => {
    const file = join(temporaryFolder(), "outbox.db");
    const previous = new Database(file);
    previous.exec(schemaOfVersion2);
    previous.exec("INSERT INTO drops VALUES ('send_error', 'error', 9223372036854775807, 7)");
    previous.exec("INSERT INTO drops VALUES ('send_error', 'session', 3, 0)");
    previous.close();
    const { outbox } = openOutbox({ file });
    expect(await outbox.drops()).toEqual([
      { reason: "send_error", category: "session", quantity: 3 },
    ]);
  });
});

const schemaOfVersion2 = `
  PRAGMA journal_mode = WAL;
  PRAGMA user_version = 2;
  CREATE TABLE reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    categories INTEGER NOT NULL,
    client_address TEXT,
    envelope BLOB NOT NULL
  ) STRICT;
  CREATE INDEX reports_waiting ON reports ((categories & 98 = 0), id, categories);
  CREATE TABLE drops (
    reason TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    reported INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (reason, category)
  ) STRICT, WITHOUT ROWID;
`;
const previousSchema = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    categories INTEGER NOT NULL,
    client_address TEXT,
    envelope BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS reports_waiting ON reports (id, categories);
`;
const previousInsert =
  "INSERT INTO reports (received_at, origin, categories, envelope) VALUES (1, 'browser', ?, ?)";
const previousDeliverable = `SELECT id FROM reports INDEXED BY reports_waiting
  WHERE id > 0 AND categories & 0 = 0 ORDER BY id LIMIT 200`;
const previousCount = "SELECT count(*) FROM reports INDEXED BY reports_waiting";
