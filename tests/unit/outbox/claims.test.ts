import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { categorySet, everyCategory } from "@/lib/envelope/categories";
import type { ClaimRequest, OutboxEngine } from "@/lib/outbox/outbox";
import { Claims } from "@/lib/outbox/sqlite/claims";
import { type NewReport, ReportTable } from "@/lib/outbox/sqlite/report-table";
import { prepareSchema } from "@/lib/outbox/sqlite/schema";
import { generousBounds, openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";

const span = envelopeOf({}, [{ type: "span" }, "{}"]);

/** An outbox with so many errors in it, and their ids. */
async function filled(count: number) {
  const opened = openOutbox();
  const { outbox } = opened;
  await Promise.all(Array.from({ length: count }, () => outbox.append(errorEnvelope(), "browser")));
  const ids = opened.stored().map(({ id }) => id);
  return { ...opened, ids };
}

const newReport: NewReport = {
  receivedAt: 0,
  origin: "browser",
  categories: categorySet(["error"]),
  clientAddress: undefined,
  envelope: errorEnvelope(),
};

function openTable(): ReportTable {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  prepareSchema(db);
  return new ReportTable(db, generousBounds);
}

async function claim(outbox: OutboxEngine, request: Partial<ClaimRequest> = {}) {
  const all = { limit: 100, without: 0, failedLast: false };
  return (await outbox.claim({ ...all, ...request })).map(({ id }) => id);
}

describe("a claim", () => {
  it("gives the oldest reports first, and none twice", async () => {
    const { outbox, ids } = await filled(5);
    expect(await claim(outbox, { limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await claim(outbox, { limit: 2 })).toEqual(ids.slice(2, 4));
    expect(await claim(outbox)).toEqual(ids.slice(4));
    expect(await claim(outbox)).toEqual([]);
  });

  it("gives none twice when several are requested together", async () => {
    const { outbox, ids } = await filled(30);
    const claims = Array.from({ length: 4 }, () => claim(outbox, { limit: 10 }));
    expect((await Promise.all(claims)).flat().sort()).toEqual([...ids].sort());
  });

  it("leaves the report in the outbox until it is settled", async () => {
    const { outbox, ids, stored } = await filled(2);
    await claim(outbox);
    expect(stored()).toHaveLength(2);
    await outbox.settle(ids[0] ?? 0, "delivered");
    expect(stored().map(({ id }) => id)).toEqual(ids.slice(1));
    expect(await claim(outbox)).toEqual([]);
  });

  it("leaves out categories, and gives their reports later", async () => {
    const { outbox, ids } = await filled(1);
    await outbox.append(span, "browser");
    const [error] = await outbox.claim({ limit: 1, without: 0, failedLast: false });
    const without = error?.categories ?? 0;
    await outbox.putBack(ids[0] ?? 0);
    expect(await claim(outbox, { without: everyCategory })).toEqual([]);
    expect(await claim(outbox, { without })).toEqual([(ids[0] ?? 0) + 1]);
    expect(await claim(outbox)).toEqual(ids);
  });

  it("gives what was put back in its old place", async () => {
    const { outbox, ids } = await filled(4);
    await claim(outbox, { limit: 3 });
    await outbox.putBack(ids[1] ?? 0);
    expect(await claim(outbox)).toEqual([ids[1], ids[3]]);
  });

  it("gives what has failed only after its back-off, and says how often it failed", async () => {
    const { outbox, ids, clock } = await filled(1);
    const [id = 0] = ids;
    for (let failures = 0; failures < 3; failures++) {
      const [report] = await outbox.claim({ limit: 1, without: 0, failedLast: false });
      expect(report).toMatchObject({ id, failures });
      await outbox.putBack(id, 1000);
      clock.now += 999;
      expect(await claim(outbox)).toEqual([]);
      clock.now += 1;
    }
  });

  it("gives what has failed before or after others, as requested", async () => {
    const { outbox, ids, clock } = await filled(3);
    const [first = 0, second, third] = ids;
    await claim(outbox, { limit: 1 });
    await outbox.putBack(first, 1000);
    clock.now += 1000;
    expect(await claim(outbox, { limit: 1, failedLast: true })).toEqual([second]);
    expect(await claim(outbox, { failedLast: true })).toEqual([third, first]);
    for (const id of ids) await outbox.putBack(id);
    expect(await claim(outbox)).toEqual(ids);
  });

  it("forgets a failed report that is gone", async () => {
    const { outbox, ids, clock } = await filled(2);
    const [first = 0, second = 0] = await claim(outbox);
    await outbox.putBack(first, 1000);
    await outbox.settle(first, "send_error");
    await outbox.putBack(second, 1000);
    clock.now += 1000;
    expect(await claim(outbox)).toEqual(ids.slice(1));
  });

  it("remembers no more than 1000 failed reports: any other can be claimed at once", async () => {
    const { outbox, ids } = await filled(1002);
    await claim(outbox, { limit: 1002 });
    for (const id of ids) await outbox.putBack(id, 1000);
    expect(await claim(outbox, { limit: 1002 })).toEqual(ids.slice(1000));
  });

  it("that fails half-way leaves out no report later", () => {
    const table = openTable();
    for (let n = 0; n < 3; n++) table.append(newReport);
    const claims = new Claims(join(temporaryFolder(), "lease"));
    const request = { limit: 100, without: 0, failedLast: true };
    const [first] = claims.claim(table, undefined, { ...request, limit: 1 }, 0);
    claims.putBack(first?.id ?? 0, 0);
    const read = vi.spyOn(table, "deliverableById").mockImplementation(() => {
      throw new Database.SqliteError("database is locked", "SQLITE_BUSY");
    });
    expect(() => claims.claim(table, undefined, request, 0)).toThrow("locked");
    read.mockRestore();
    expect(claims.claim(table, undefined, request, 0)).toHaveLength(3);
  });

  it("is possible in one process at a time, until that one releases its own", async () => {
    const { outbox, file, ids } = await filled(2);
    const { outbox: other } = openOutbox({ file });
    expect(await claim(outbox, { limit: 1 })).toEqual(ids.slice(0, 1));
    expect(await claim(other)).toEqual([]);
    await outbox.release();
    expect(await claim(other)).toEqual(ids);
    expect(await claim(outbox)).toEqual([]);
  });

  it("ends with the process", async () => {
    const { outbox, file, ids } = await filled(2);
    await claim(outbox);
    await outbox.close();
    expect(await claim(openOutbox({ file }).outbox)).toEqual(ids);
  });
});
