import { expect, it, onTestFinished, vi } from "vitest";
import { OutboxError } from "@/lib/relay/outbox/driver";
import { WriteHealth } from "@/lib/relay/outbox/write-health";
import { recordedLog } from "@/tests/support/outboxes";

const busy = new OutboxError("busy", "Another process blocks the outbox.");
const failed = "outbox can't be written";
const recovered = "outbox can be written again";

it("logs each change, recoveries once a minute, and always the failure after one", () => {
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
  expect([events(), health.failure]).toEqual([[failed, recovered, failed], undefined]);
  health.fail(new OutboxError("full", "The disk is full."));
  expect(lines).toMatchObject([{ fields: { reason: "The disk is full." } }]);
  vi.advanceTimersByTime(60_000);
  health.recover();
  expect(events()).toEqual([failed, recovered]);
});
