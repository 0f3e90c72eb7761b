import { expect, onTestFinished, test } from "vitest";
import type { Filing } from "@/packages/inbox/src/model/filed-statements";
import { countIn, filerOf } from "@/packages/inbox/tests/support/inbox";
import type { Destination } from "@/packages/relay/src/delivery/destination";
import { Dispatcher } from "@/packages/relay/src/delivery/dispatcher";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { openOutbox, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

test("what the dispatcher couldn't acknowledge comes to the inbox again, which files it once", async () => {
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
  const acknowledge = outbox.acknowledge.bind(outbox);
  outbox.acknowledge = () => Promise.reject(new OutboxError("unwritable", "Not this one."));
  const limits = new ServiceLimits(() => clock.now);
  const times = { now: () => clock.now, pollMs: 1, claimIntervalMs: 1 };
  const dispatcher = new Dispatcher({
    outbox,
    destination: counting,
    limits,
    log: () => {},
    ...times,
  });
  dispatcher.start();
  onTestFinished(() => dispatcher.stop(0));
  await outbox.append(errorEnvelope(), "browser");
  await expect.poll(() => statsOf(outbox)).toMatchObject({ setAside: 1 });
  // Its lease ends, and it is refused once more.
  clock.now += 60_000;
  await expect.poll(() => delivered).toBe(2);
  outbox.acknowledge = acknowledge;
  clock.now += 60_000;
  await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 1 });
  expect(await countIn(outbox)).toBe(1);
});
