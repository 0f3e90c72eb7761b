import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import type { ClaimRequest, OutboxEngine } from "@/lib/outbox/outbox";
import { Claims } from "@/lib/outbox/sqlite/claims";
import { type ArrivedReport, ReportTable } from "@/lib/outbox/sqlite/report-table";
import { prepareSchema } from "@/lib/outbox/sqlite/schema";
import { generousBounds, openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";

const _span = envelopeOf({}, [{ type: "span" }, "{}"]);

/** An outbox with so many errors in it, and their ids. */
async function filled(count: number) {
  const opened = openOutbox();
  const { outbox } = opened;
  await Promise.all(Array.from({ length: count }, () => outbox.append(errorEnvelope(), "browser")));
  const ids = opened.stored().map(({ id }) => id);
  return { ...opened, ids };
}

const newReport: ArrivedReport = {
  receivedAt: 0,
  origin: "browser",
  categories: categorySet(["error"]),
  sender: 0,
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
  it("forgets a failed report that is gone", async () => {
    const { outbox, ids, clock } = await filled(2);
    const [first = 0, second = 0] = await claim(outbox);
    await outbox.requeue(first, 1000);
    await outbox.ack(first, "send_error");
    await outbox.requeue(second, 1000);
    clock.now += 1000;
    expect(await claim(outbox)).toEqual(ids.slice(1));
  });

  it("remembers thousands of failed reports, each with its back-off", async () => {
    const { outbox, ids, clock } = await filled(2500);
    await claim(outbox, { limit: 2500 });
    for (const id of ids) await outbox.requeue(id, 1000);
    expect(await claim(outbox, { limit: 2500 })).toEqual([]);
    clock.now += 1000;
    const failed = await outbox.claim({ limit: 2500, without: 0, failedLast: false });
    expect(failed.filter(({ failures }) => failures === 1)).toHaveLength(2500);
  });

  it("remembers no failure of reports that are gone, once there are more of them", () => {
    const table = openTable();
    const claims = new Claims(join(temporaryFolder(), "lease"));
    const all = { limit: 100, without: 0, failedLast: false };
    for (let round = 1; round <= 3; round++) {
      for (let n = 0; n < 10; n++) table.append(newReport);
      const ids = claims.claim(table, undefined, all, 0).map(({ id }) => id);
      expect(ids).toHaveLength(10);
      for (const id of ids) claims.requeue(id, 1000);
      for (const id of ids.slice(1)) table.delete(id);
      claims.forgetGone(table);
      expect(claims.remembered).toBe(round);
    }
    expect(claims.claim(table, undefined, all, 1000)).toMatchObject(Array(3).fill({ failures: 1 }));
  });

  it("looks once at reports of a limited category, until that is accepted again", () => {
    const table = openTable();
    for (let n = 0; n < 100; n++) table.append(newReport);
    const claims = new Claims(join(temporaryFolder(), "lease"));
    const request = { limit: 16, failedLast: false };
    const from: number[] = [];
    const { waiting } = table;
    vi.spyOn(table, "waiting").mockImplementation((priority, range) => {
      if (priority === "high") from.push(range.after);
      return waiting.call(table, priority, range);
    });
    const limited = { ...request, without: newReport.categories };
    for (let n = 0; n < 2; n++) expect(claims.claim(table, undefined, limited, 0)).toEqual([]);
    expect(from).toEqual([0, table.newestId()]);
    table.append({ ...newReport, categories: categorySet(["feedback"]) });
    expect(claims.claim(table, undefined, limited, 0)).toHaveLength(1);
    expect(claims.claim(table, undefined, { ...request, without: 0 }, 0)).toHaveLength(16);
  });

  it("that fails half-way leaves out no report later", () => {
    const table = openTable();
    for (let n = 0; n < 3; n++) table.append(newReport);
    const claims = new Claims(join(temporaryFolder(), "lease"));
    const request = { limit: 100, without: 0, failedLast: true };
    const [first] = claims.claim(table, undefined, { ...request, limit: 1 }, 0);
    claims.requeue(first?.id ?? 0, 0);
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

  it("is possible in one process alone after the lease's file was deleted", async () => {
    const { outbox, file, ids } = await filled(3);
    expect(await claim(outbox, { limit: 1 })).toEqual(ids.slice(0, 1));
    rmSync(`${file}.lease`);
    const { outbox: other } = openOutbox({ file });
    expect(await claim(other, { limit: 1 })).toEqual(ids.slice(0, 1));
    expect(await claim(outbox)).toEqual([]);
    await other.release();
    expect(await claim(outbox)).toEqual(ids.slice(1));
  });
});
