import { expect, onTestFinished, test } from "vitest";
import { Housekeeping } from "@/packages/relay/src/delivery/housekeeping";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { openOutbox } from "@/tests/support/outboxes";

test("keeps house each minute, also when a part of that fails", async () => {
  let done = 0;
  const { outbox, clock, lines, log } = openOutbox();
  const options = { outbox, destination: undefined, limits: new ServiceLimits(), log };
  const times = { health: { failedAt: 0 }, now: () => clock.now, pollMs: 1 };
  const housekeeping = new Housekeeping({ ...options, ...times });
  housekeeping.expire = () => Promise.reject(new Error("not now"));
  housekeeping.reportDrops = async () => void done++;
  housekeeping.start();
  onTestFinished(() => housekeeping.stop());
  await expect.poll(() => done).toBe(1);
  clock.now += 60_000;
  await expect.poll(() => done).toBe(2);
  expect(lines).toContainEqual({
    level: "warn",
    event: "housekeeping failed",
    fields: { cause: "Error: not now" },
  });
});
