import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import { OutboxFile } from "@/lib/outbox/sqlite/outbox-file";
import { ReportTable } from "@/lib/outbox/sqlite/report-table";
import { prepareSchema } from "@/lib/outbox/sqlite/schema";
import { generousBounds, openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };
const next = { limit: 100, without: 0, failedLast: false };

describe("the outbox", () => {
  it("has a report on disk when append resolves", async () => {
    const { outbox, stored } = openOutbox();
    const envelope = errorEnvelope();
    await outbox.append(envelope, "browser");
    const [report] = stored();
    expect(report?.origin).toBe("browser");
    expect(Buffer.from(report?.envelope ?? []).equals(envelope)).toBe(true);
  });

  it("puts what comes in together on disk together", async () => {
    const { outbox, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const seen = new Set<number>();
    const watch = setInterval(() => seen.add(stored().length), 0);
    await Promise.all(Array.from({ length: 500 }, () => outbox.append(errorEnvelope(), "browser")));
    clearInterval(watch);
    expect(stored()).toHaveLength(501);
    expect(seen.size).toBeLessThan(20);
  });

  it("puts what is still in memory on disk before flush returns", () => {
    const { outbox, stored } = openOutbox();
    void outbox.append(errorEnvelope(), "server");
    void outbox.flush();
    expect(stored()).toHaveLength(1);
  });

  it("does the same with what a group has taken that another process holds up", async () => {
    const tries = vi.spyOn(OutboxFile.prototype, "transaction");
    onTestFinished(() => void vi.restoreAllMocks());
    const { outbox, file, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "server");
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    tries.mockClear();
    const taken = outbox.append(errorEnvelope(), "server");
    await vi.waitFor(() => expect(tries).toHaveBeenCalled());
    const waiting = outbox.append(errorEnvelope(), "server");
    other.exec("COMMIT");
    other.close();
    void outbox.flush();
    expect(stored()).toHaveLength(3);
    await Promise.all([taken, waiting]);
    expect(stored()).toHaveLength(3);
  });

  it("has settled all appends when flush resolves, also if another process blocks it", async () => {
    const { outbox, file, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "server");
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    void outbox.append(errorEnvelope(), "server");
    const flushed = outbox.flush();
    other.exec("COMMIT");
    other.close();
    await flushed;
    expect(stored()).toHaveLength(2);
  });

  it("flushes nothing when there is nothing to flush", async () => {
    const { outbox, file } = openOutbox();
    await outbox.flush();
    expect(existsSync(file)).toBe(false);
  });

  it("takes over a file of the version before, which knew no decisions", async () => {
    const { outbox, file } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    await outbox.close();
    const db = new Database(file);
    db.exec("DROP TABLE group_states");
    db.pragma("user_version = 1");
    db.close();
    const { outbox: later } = openOutbox({ file });
    expect(await later.rows.select({ text: "select * from {group_states}" })).toEqual([]);
    expect(await later.list(all)).toHaveLength(1);
  });
});

describe("the outbox's bounds", () => {
  it("reads no envelope to find out that nothing is too old", () => {
    const db = new Database(":memory:");
    onTestFinished(() => void db.close());
    prepareSchema(db);
    const table = new ReportTable(db, generousBounds);
    for (const receivedAt of [1, 2, 3]) {
      const categories = categorySet(["error"]);
      const envelope = errorEnvelope();
      table.append({
        receivedAt,
        origin: "browser",
        categories,
        sender: 0,
        clientAddress: undefined,
        envelope,
      });
    }
    const ages: number[] = [];
    const expire = (before: number) =>
      table.expire(before, ({ receivedAt }) => {
        ages.push(receivedAt);
        return "network_error";
      });
    const read: string[] = [];
    const { all, get } = Object.getPrototypeOf(db.prepare("SELECT 1"));
    for (const method of [all, get]) {
      vi.spyOn(Object.getPrototypeOf(db.prepare("SELECT 1")), method.name).mockImplementation(
        function (this: Database.Statement, ...args: unknown[]) {
          if (/(?<!length\()\benvelope\b/.test(this.source)) read.push(this.source);
          return method.apply(this, args);
        },
      );
    }
    onTestFinished(() => void vi.restoreAllMocks());
    expect(expire(1)).toBeUndefined();
    expect(read).toEqual([]);
    expect(expire(3)).toHaveLength(2);
    expect(ages).toEqual([1, 2]);
    expect(read).toHaveLength(2);
  });

  it("is kept in order by the one process that may deliver", async () => {
    const bounds = { ...generousBounds, maxAgeMs: 1000 };
    const one = openOutbox({ bounds });
    await one.outbox.append(errorEnvelope(), "browser");
    await one.outbox.claim({ ...next, limit: 1 });
    const { outbox: other } = openOutbox({ bounds, file: one.file, clock: one.clock });
    one.clock.now += 1001;
    await other.expire(0);
    await other.reportDrops();
    expect(one.stored()).toHaveLength(1);
    await one.outbox.expire(0);
    expect(one.stored()).toEqual([]);
  });
});

function _idOf(envelope: Uint8Array): unknown {
  const text = Buffer.from(envelope).toString();
  return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
}

describe("the files of the outbox", () => {
  it("can be read by nobody else, and a folder that is there keeps its mode", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "made", "outbox.db");
    const { outbox } = openOutbox({ file });
    await outbox.append(errorEnvelope(), "browser");
    await outbox.claim({ limit: 1, without: 0, failedLast: false });
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(join(folder, "made"))).toBe("700");
    const files = readdirSync(join(folder, "made"));
    expect(files).toEqual(
      expect.arrayContaining(["outbox.db", "outbox.db-wal", "outbox.db.lease"]),
    );
    for (const name of files)
      expect([name, modeOf(join(folder, "made", name))]).toEqual([name, "600"]);

    const shared = join(folder, "shared");
    mkdirSync(shared, { mode: 0o755 });
    await openOutbox({ file: join(shared, "outbox.db") }).outbox.append(errorEnvelope(), "browser");
    expect(modeOf(shared)).toBe("755");
  });
});
