import { describe, expect, test } from "vitest";
import { PatientReader, readiness } from "@/lib/server/health";
import type { OutboxStats } from "@/packages/relay/src/outbox/stats";

const quiet: OutboxStats = {
  writable: true,
  reason: undefined,
  waiting: 0,
  highWaiting: 0,
  bytes: 0,
  oldestAge: undefined,
  oldestHighAge: undefined,
  lastDelivery: undefined,
  setAside: 0,
  damagedFiles: 0,
};

const running = {
  stopping: false,
  version: "1",
  reporting: false,
  delivery: "delivering" as const,
};

test("an outbox that can be written is ready", () => {
  expect(readiness(quiet, { ...running, version: "1.2.3" })).toEqual({
    status: "ready",
    version: "1.2.3",
    outboxWritable: true,
    reason: null,
    delivery: "delivering",
    reportsSetAside: 0,
    damagedFiles: 0,
    reportsWaiting: 0,
    errorsWaiting: 0,
    othersWaiting: 0,
    oldestAgeMs: null,
    oldestErrorAgeMs: null,
    lastDelivery: null,
    refused: null,
    limited: null,
  });
});

test("a service that refuses everything, or limits something, is told, and takes no page away", () => {
  const refusal = { status: 401, reason: "invalid key" };
  const limited = { transaction: "2027-01-15T08:00:00.000Z" };
  expect(readiness(quiet, { ...running, refusal, limited })).toMatchObject({
    status: "ready",
    refused: refusal,
    limited,
  });
});

test("reports that wait, however long, do not make it unready", () => {
  const stats = { ...quiet, waiting: 7, oldestAge: 80_000_000, lastDelivery: 1_800_000_000_000 };
  expect(readiness(stats, running)).toMatchObject({
    status: "ready",
    reportsWaiting: 7,
    oldestAgeMs: 80_000_000,
    lastDelivery: "2027-01-15T08:00:00.000Z",
  });
});

test("errors that wait are told apart from other reports", () => {
  const waiting = { waiting: 7, highWaiting: 2, oldestAge: 9000, oldestHighAge: 500 };
  expect(readiness({ ...quiet, ...waiting }, running)).toMatchObject({
    reportsWaiting: 7,
    errorsWaiting: 2,
    othersWaiting: 5,
    oldestAgeMs: 9000,
    oldestErrorAgeMs: 500,
  });
});

test("what can't be read is not known: it is not 0", () => {
  const unread = { ...quiet, writable: false, waiting: undefined, highWaiting: undefined };
  expect(readiness(unread, running)).toMatchObject({
    reportsWaiting: null,
    errorsWaiting: null,
    othersWaiting: null,
  });
});

test("where the outbox can't be written, pages are ready, and who asks for reporting is told it is not", () => {
  const stats: OutboxStats = { ...quiet, writable: false, reason: "The disk is full." };
  const told = { outboxWritable: false, reason: "The disk is full." };
  expect(readiness(stats, running)).toMatchObject({ status: "ready", ...told });
  const asked = { ...running, reporting: true };
  expect(readiness(stats, asked)).toMatchObject({ status: "outbox_unwritable", ...told });
  expect(readiness(quiet, asked).status).toBe("ready");
});

test("a process on its way out says that, whatever else", () => {
  expect(
    readiness({ ...quiet, writable: false }, { ...running, stopping: true, reporting: true })
      .status,
  ).toBe("stopping");
});

describe("while the outbox does not answer", () => {
  const full: OutboxStats = { ...quiet, writable: false, reason: "The disk is full." };

  /** An outbox that answers when the test lets it, and a reader of it that waits a moment. */
  function slowOutbox() {
    const waiting: ((stats: OutboxStats) => void)[] = [];
    const reader = new PatientReader(
      () => new Promise((resolve) => void waiting.push(resolve)),
      10,
    );
    const answer = (stats: OutboxStats) => {
      for (const resolve of waiting.splice(0)) resolve(stats);
    };
    return { reader, waiting, answer };
  }

  test("who asks for pages is told what was read last, and who asks for reporting waits", async () => {
    const { reader, answer } = slowOutbox();
    expect(await reader.stats(false)).toMatchObject({ writable: false, waiting: undefined });
    const patient = reader.stats(true);
    answer(full);
    expect(await patient).toBe(full);
    expect(await reader.stats(false)).toBe(full);
  });

  test("no more than 64 of those wait: the others are answered at once", async () => {
    const { reader, waiting, answer } = slowOutbox();
    const first = Array.from({ length: 64 }, () => reader.stats(true));
    await reader.stats(false);
    expect(waiting).toHaveLength(64);
    answer(quiet);
    await Promise.all(first);
    void reader.stats(false);
    expect(waiting).toHaveLength(1);
  });
});
