import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Drops } from "@/packages/relay/src/envelope/client-report";
import { WaitingReports } from "@/packages/sentry/src/server/waiting-reports";
import { dropsIn, openOutbox, statsOf, temporaryFolder } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";

/** An outbox whose folder can be replaced by a file, and put back. */
function open(maxBytes?: number) {
  const data = join(temporaryFolder(), "data");
  mkdirSync(data);
  const file = join(data, "outbox.db");
  const { outbox, ...opened } = openOutbox({ file, maxBytes: 256 * 1024 * 1024 });
  const store = {
    append: (envelope: Uint8Array) => outbox.append(envelope, "server"),
    countDrops: (drops: Drops[]) => outbox.countDrops(drops),
  };
  const reports = new WaitingReports(store, maxBytes);
  const stored = () => opened.stored().map(({ envelope }) => Buffer.from(envelope).toString());
  const breakOutbox = () => {
    renameSync(data, `${data}.away`);
    writeFileSync(data, "");
  };
  const repairOutbox = () => {
    rmSync(data);
    renameSync(`${data}.away`, data);
  };
  /**
   * Until so many are stored. While a retry by the clock is under way, another does nothing; it may
   * have begun before the repair, and fail.
   */
  const retryUntilStored = (count: number) =>
    expect
      .poll(() => {
        reports.retry();
        void outbox.flushNow();
        return stored().length;
      })
      .toBe(count);
  return { outbox, reports, stored, breakOutbox, repairOutbox, retryUntilStored };
}

test("a report made while the outbox can't be written gets there by itself once it can", async () => {
  const { reports, stored, breakOutbox, repairOutbox } = open();
  const during = errorEnvelope();
  breakOutbox();
  await reports.add(during);
  repairOutbox();
  await expect.poll(stored).toEqual([during.toString()]);
});

test("at the end of the process, what waits is tried once more and put on disk at once", async () => {
  const { outbox, reports, stored, breakOutbox, repairOutbox } = open();
  breakOutbox();
  await reports.add(errorEnvelope());
  repairOutbox();
  await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true });
  reports.retry();
  void outbox.flushNow();
  expect(stored()).toHaveLength(1);
});

test("the end of the process comes in good order while the outbox can't be written", async () => {
  const { outbox, reports, breakOutbox } = open();
  breakOutbox();
  await reports.add(errorEnvelope());
  reports.retry();
  await expect(outbox.flush()).resolves.toBeUndefined();
});

test("what finds no room is counted in the outbox, and transactions are evicted for errors", async () => {
  const { outbox, reports, breakOutbox, repairOutbox, retryUntilStored } = open();
  breakOutbox();
  for (let n = 0; n < 60; n++) await reports.add(transactionEnvelope());
  for (let n = 0; n < 105; n++) await reports.add(errorEnvelope());
  repairOutbox();
  await retryUntilStored(100);
  await expect
    .poll(() => dropsIn(outbox))
    .toEqual(
      expect.arrayContaining([
        { reason: "cache_overflow", category: "transaction", quantity: 60 },
        { reason: "cache_overflow", category: "error", quantity: 5 },
      ]),
    );
});

test.each(["transaction", "session", "client_report"])(
  "a %s is evicted for errors, by number and by bytes, and they are stored first",
  async (type) => {
    const { reports, stored, breakOutbox, repairOutbox, retryUntilStored } = open(1_048_576);
    const expendable = (bytes: number) => envelopeOf({}, [{ type }, "x".repeat(bytes)]);
    breakOutbox();
    for (let n = 0; n < 100; n++) await reports.add(expendable(10));
    for (let n = 0; n < 60; n++) await reports.add(errorEnvelope());
    await reports.add(errorEnvelope(eventId(), "x".repeat(1_000_000)));
    repairOutbox();
    await retryUntilStored(100);
    expect(stored().filter((text) => text.includes("exception"))).toHaveLength(61);
    expect(stored().slice(0, 61).join()).not.toContain(`"type":"${type}"`);
  },
);

test("what waits holds no more than its bound", async () => {
  const { outbox, reports, breakOutbox, repairOutbox, retryUntilStored } = open(1_000_000);
  breakOutbox();
  const large = "x".repeat(400_000);
  for (let n = 0; n < 3; n++) await reports.add(errorEnvelope(eventId(), large));
  repairOutbox();
  await retryUntilStored(2);
  await expect.poll(() => dropsIn(outbox)).toMatchObject([{ category: "error", quantity: 1 }]);
});

test("an event with all that a team attaches to it waits, too", async () => {
  const { outbox, reports, breakOutbox, repairOutbox } = open();
  const attachment = Buffer.alloc(33 * 1024 * 1024, "x");
  const event = envelopeOf({}, [{ type: "event" }, "{}"], [{ type: "attachment" }, attachment]);
  breakOutbox();
  await reports.add(event);
  repairOutbox();
  await expect
    .poll(() => {
      reports.retry();
      return statsOf(outbox);
    })
    .toMatchObject({ waiting: 1, highWaiting: 1 });
  expect(await dropsIn(outbox)).toEqual([]);
});

test("a drop is counted once, and nothing is logged as lost that was stored or counted", async () => {
  const { outbox, reports, stored, breakOutbox, repairOutbox, retryUntilStored } = open();
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const linesOfLost = () => {
    written.mockClear();
    reports.logLost();
    return written.mock.calls.length;
  };
  breakOutbox();
  for (let n = 0; n < 101; n++) await reports.add(errorEnvelope());
  expect(linesOfLost()).toBe(1);
  repairOutbox();
  await retryUntilStored(100);
  // What is on disk is told a moment later, the drop's count too.
  await expect.poll(linesOfLost).toBe(0);
  reports.retry();
  await outbox.flush();
  expect(stored()).toHaveLength(100);
  expect(await dropsIn(outbox)).toMatchObject([{ quantity: 1 }]);
  written.mockRestore();
});

test("a report that is no envelope is logged as lost, and does not wait", async () => {
  const { reports } = open();
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await reports.add(Buffer.from("no envelope"));
  const lines = written.mock.calls.map(([line]) => String(line));
  written.mockClear();
  reports.logLost();
  const after = written.mock.calls.length;
  written.mockRestore();
  expect(lines.join("")).toContain("server report lost");
  expect(after).toBe(0);
});
