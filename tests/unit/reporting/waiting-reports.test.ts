import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { WaitingReports } from "@/lib/reporting/server/waiting-reports";
import { openOutbox, temporaryFolder } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

/** An outbox whose folder can be replaced by a file, and put back. */
function open() {
  const data = join(temporaryFolder(), "data");
  mkdirSync(data);
  const { outbox, clock, ...opened } = openOutbox({ file: join(data, "outbox.db") });
  const reports = new WaitingReports({
    append: (envelope) => outbox.append(envelope, "server"),
    countDrops: (drops) => outbox.countDrops(drops),
  });
  const stored = () => opened.stored().map(({ envelope }) => Buffer.from(envelope).toString());
  const breakOff = () => {
    renameSync(data, `${data}.away`);
    writeFileSync(data, "");
  };
  const mend = () => {
    rmSync(data);
    renameSync(`${data}.away`, data);
    // A file that can't be opened is not tried again at once.
    clock.now += 1000;
  };
  return { outbox, reports, stored, breakOff, mend };
}

function transactionEnvelope(): Buffer {
  return envelopeOf({}, [{ type: "transaction" }, "{}"]);
}

test("a report made while the outbox can't be written gets there by itself once it can", async () => {
  const { reports, stored, breakOff, mend } = open();
  const during = errorEnvelope();
  breakOff();
  await reports.add(during);
  mend();
  await expect.poll(stored, { timeout: 10_000 }).toEqual([during.toString()]);
});

test("at the end of the process, what waits is tried once more and put on disk at once", async () => {
  const { outbox, reports, stored, breakOff, mend } = open();
  breakOff();
  await reports.add(errorEnvelope());
  mend();
  reports.retry();
  void outbox.flush();
  expect(stored()).toHaveLength(1);
});

test("the end of the process comes in good order while the outbox can't be written", async () => {
  const { outbox, reports, breakOff } = open();
  breakOff();
  await reports.add(errorEnvelope());
  reports.retry();
  await expect(outbox.flush()).resolves.toBeUndefined();
});

test("what finds no room is counted in the outbox, and transactions make room for errors", async () => {
  const { outbox, reports, stored, breakOff, mend } = open();
  breakOff();
  for (let n = 0; n < 60; n++) await reports.add(transactionEnvelope());
  for (let n = 0; n < 105; n++) await reports.add(errorEnvelope());
  mend();
  // It may be trying by itself just then, and is asked again after that.
  await expect
    .poll(() => {
      reports.retry();
      void outbox.flush();
      return stored().length;
    })
    .toBe(100);
  await expect
    .poll(() => outbox.drops())
    .toEqual(
      expect.arrayContaining([
        { reason: "cache_overflow", category: "transaction", quantity: 60 },
        { reason: "cache_overflow", category: "error", quantity: 5 },
      ]),
    );
});

test("what waits holds no more than a megabyte", async () => {
  const { outbox, reports, stored, breakOff, mend } = open();
  breakOff();
  const large = "x".repeat(400_000);
  for (let n = 0; n < 3; n++) await reports.add(errorEnvelope(eventId(), large));
  mend();
  reports.retry();
  void outbox.flush();
  expect(stored()).toHaveLength(2);
  expect(await outbox.drops()).toMatchObject([{ category: "error", quantity: 1 }]);
});

test("a drop is counted once, and nothing is told as lost that was stored or counted", async () => {
  const { outbox, reports, breakOff, mend } = open();
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  breakOff();
  for (let n = 0; n < 101; n++) await reports.add(errorEnvelope());
  said.mockClear();
  reports.logLost();
  expect(said).toHaveBeenCalledTimes(1);
  mend();
  for (let n = 0; n < 2; n++) {
    reports.retry();
    void outbox.flush();
    await expect.poll(async () => (await outbox.stats()).waiting).toBe(100);
  }
  said.mockClear();
  reports.logLost();
  expect(said).not.toHaveBeenCalled();
  expect(await outbox.drops()).toMatchObject([{ quantity: 1 }]);
  said.mockRestore();
});
