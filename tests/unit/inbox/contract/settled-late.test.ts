import { expect, onTestFinished, test } from "vitest";
import type { Filing } from "@/lib/inbox/model/filed-statements";
import { Courier } from "@/lib/sentry/src/relay/delivery/courier";
import type { Destination } from "@/lib/sentry/src/relay/delivery/destination";
import { ServiceLimits } from "@/lib/sentry/src/relay/delivery/service-limits";
import { OutboxError } from "@/lib/sentry/src/relay/outbox/driver";
import { countIn, filerOf } from "@/tests/support/inbox";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

test("what the courier couldn't settle comes to the inbox again, which files it once", async () => {
  const { outbox, clock } = openOutbox();
  const { destination } = filerOf(outbox);
  let delivered = 0;
  const counting: Destination<Filing> = {
    deliver(report, stopping) {
      delivered++;
      return destination.deliver(report, stopping);
    },
    rows: (taken) => destination.rows?.(taken) ?? [],
    close() {},
  };
  const settle = outbox.settle.bind(outbox);
  outbox.settle = () => Promise.reject(new OutboxError("unwritable", "Not this one."));
  const limits = new ServiceLimits(() => clock.now);
  const times = { now: () => clock.now, pollMs: 1, claimIntervalMs: 1 };
  const courier = new Courier({ outbox, destination: counting, limits, log: () => {}, ...times });
  courier.start();
  onTestFinished(() => courier.stop(0));
  await outbox.append(errorEnvelope(), "browser");
  await expect.poll(() => outbox.stats()).toMatchObject({ setAside: 1 });
  // Its lease ends, and it is refused once more.
  clock.now += 60_000;
  await expect.poll(() => delivered).toBe(2);
  outbox.settle = settle;
  clock.now += 60_000;
  await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0, setAside: 1 });
  expect(await countIn(outbox)).toBe(1);
});
