import { fdatasync } from "node:fs";
import Database from "better-sqlite3";
import { expect, it, onTestFinished, vi } from "vitest";
import { ReportTable } from "@/lib/outbox/sqlite/report-table";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  return { ...original, fdatasync: vi.fn(original.fdatasync) };
});

/** Makes each sync fail, as a disk that is broken does. @returns undoes that */
function breakSync(): () => void {
  const sync = vi.mocked(fdatasync);
  sync.mockImplementation((_, done) => done(new Error("EIO: i/o error, fdatasync")));
  const mend = () => void sync.mockReset();
  onTestFinished(mend);
  return mend;
}

it("can't be written as long as nothing gets to disk, and says so once", async () => {
  const { outbox, clock, lines } = openOutbox();
  await outbox.append(errorEnvelope(), "browser");
  const mend = breakSync();
  for (let n = 0; n < 3; n++) {
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("Writing to the disk");
    clock.now += 1000;
    expect(await outbox.stats()).toMatchObject({ writable: false });
  }
  expect(lines.map(({ event }) => event)).toEqual(["outbox can't be written"]);
  mend();
  clock.now += 1000;
  await outbox.append(errorEnvelope(), "browser");
  expect(await outbox.stats()).toMatchObject({ writable: true });
  expect(lines.at(-1)?.event).toBe("outbox can be written again");
});

it("opens its file again no sooner than a second later, and does not check it again", async () => {
  const { outbox, clock, opened } = openOutbox();
  const pragma = vi.spyOn(Database.prototype, "pragma");
  onTestFinished(() => pragma.mockRestore());
  const checks = () => pragma.mock.calls.filter(([text]) => text.startsWith("quick_check")).length;
  await outbox.append(errorEnvelope(), "browser");
  expect([opened(), checks()]).toEqual([1, 1]);
  const mend = breakSync();
  const fails = () =>
    expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("Writing to the disk");
  for (let n = 0; n < 3; n++) await fails();
  expect(opened()).toBe(1);
  clock.now += 1000;
  for (let n = 0; n < 3; n++) await fails();
  expect(opened()).toBe(2);
  mend();
  clock.now += 1000;
  await outbox.append(errorEnvelope(), "browser");
  expect([opened(), checks()]).toEqual([3, 1]);
});

it("does the same when a transaction fails", async () => {
  const { outbox, clock, opened } = openOutbox();
  await outbox.append(errorEnvelope(), "browser");
  const transaction = vi.spyOn(ReportTable.prototype, "transaction");
  onTestFinished(() => transaction.mockRestore());
  transaction.mockImplementation(() => {
    throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_WRITE");
  });
  for (let n = 0; n < 3; n++) {
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("can't be used");
  }
  expect([transaction.mock.calls.length, opened()]).toEqual([1, 1]);
  transaction.mockRestore();
  clock.now += 1000;
  await outbox.append(errorEnvelope(), "browser");
  expect(opened()).toBe(2);
});
