import { expect, it, onTestFinished, vi } from "vitest";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { WriteHealth } from "@/packages/relay/src/outbox/store";
import { recordedLog } from "@/tests/support/outboxes";

const busy = new OutboxError("busy", "Another process blocks the outbox.");
const failed = "outbox can't be written";
const recovered = "outbox can be written again";

it("logs a failure that comes and goes once a minute, and always the recovery after it", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { lines, log } = recordedLog();
  const health = new WriteHealth(log);
  const events = () => lines.splice(0).map(({ event }) => event);
  health.recover();
  expect(events()).toEqual([]);
  for (let n = 0; n < 20; n++) {
    health.fail(busy);
    health.fail(busy);
    health.recover();
  }
  expect([events(), health.failure]).toEqual([[failed, recovered], undefined]);
  health.fail(new OutboxError("full", "The disk is full."));
  expect(lines).toMatchObject([{ fields: { reason: "The disk is full." } }]);
  health.recover();
  expect(events()).toEqual([failed, recovered]);
  vi.advanceTimersByTime(60_000);
  health.fail(busy);
  expect(events()).toEqual([failed]);
});

it("holds a claim that fails against the outbox until one succeeds, whatever is written", async () => {
  const { lines, log } = recordedLog();
  const health = new WriteHealth(log);
  await expect(health.watch(Promise.reject(busy), "claim")).rejects.toBe(busy);
  health.recover();
  expect(health.failure).toBe(busy);
  health.recover("claim");
  expect(health.failure).toBeUndefined();
  expect(lines.map(({ event }) => event)).toEqual([failed, recovered]);
});
