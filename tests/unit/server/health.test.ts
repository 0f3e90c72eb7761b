import { expect, test } from "vitest";
import type { OutboxStats } from "@/lib/relay/outbox/stats";
import { readiness } from "@/lib/server/health";

const quiet: OutboxStats = {
  writable: true,
  reason: undefined,
  waiting: 0,
  highWaiting: 0,
  oldestAge: undefined,
  oldestHighAge: undefined,
  lastDelivery: undefined,
  setAside: 0,
  damagedFiles: 0,
};

test("an outbox that can be written is ready", () => {
  expect(readiness(quiet, false, "1.2.3")).toEqual({
    status: "ready",
    version: "1.2.3",
    outboxWritable: true,
    reason: null,
    reportsSetAside: 0,
    damagedFiles: 0,
    reportsWaiting: 0,
    errorsWaiting: 0,
    othersWaiting: 0,
    oldestAgeMs: null,
    oldestErrorAgeMs: null,
    lastDelivery: null,
  });
});

test("reports that wait, however long, do not make it unready", () => {
  const stats = { ...quiet, waiting: 7, oldestAge: 80_000_000, lastDelivery: 1_800_000_000_000 };
  expect(readiness(stats, false, "1")).toMatchObject({
    status: "ready",
    reportsWaiting: 7,
    oldestAgeMs: 80_000_000,
    lastDelivery: "2027-01-15T08:00:00.000Z",
  });
});

test("errors that wait are told apart from other reports", () => {
  const waiting = { waiting: 7, highWaiting: 2, oldestAge: 9000, oldestHighAge: 500 };
  expect(readiness({ ...quiet, ...waiting }, false, "1")).toMatchObject({
    reportsWaiting: 7,
    errorsWaiting: 2,
    othersWaiting: 5,
    oldestAgeMs: 9000,
    oldestErrorAgeMs: 500,
  });
});

test("what can't be read is not known: it is not 0", () => {
  const unread = { ...quiet, writable: false, waiting: undefined, highWaiting: undefined };
  expect(readiness(unread, false, "1")).toMatchObject({
    reportsWaiting: null,
    errorsWaiting: null,
    othersWaiting: null,
  });
});

test("an outbox that can't be written is not ready, and says so", () => {
  const stats: OutboxStats = { ...quiet, writable: false, reason: "The disk is full." };
  expect(readiness(stats, false, "1")).toMatchObject({
    status: "outbox_unwritable",
    outboxWritable: false,
    reason: "The disk is full.",
  });
});

test("a process on its way out says that, whatever else", () => {
  expect(readiness({ ...quiet, writable: false }, true, "1").status).toBe("stopping");
});
