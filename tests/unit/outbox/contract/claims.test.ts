import { describe, expect, it } from "vitest";
import { everyCategory } from "@/lib/envelope/categories";
import type { ClaimRequest, OutboxEngine } from "@/lib/outbox/outbox";
import { filled, testClaims } from "@/tests/support/claims";
import { engines } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";

const span = envelopeOf({}, [{ type: "span" }, "{}"]);
const all = { after: 0, limit: 20_000 };

async function claim(outbox: OutboxEngine, request: Partial<ClaimRequest> = {}) {
  const any = { limit: 100, without: 0, failedLast: false };
  return (await outbox.claim({ ...any, ...request })).map(({ id }) => id);
}

testClaims("the courier", (outbox) => ({
  claim: ({ limit }) => outbox.claim({ limit, without: 0, failedLast: false }),
  requeue: (id, retryAfterMs) => outbox.requeue(id, retryAfterMs),
  release: () => outbox.release(),
  done: (id) => outbox.ack(id, "delivered"),
}));

describe.each(engines)("a claim in %s", (_, open) => {
  it("leaves the report in the outbox until it is acknowledged", async () => {
    const { outbox, ids } = await filled(open, 2);
    await claim(outbox);
    expect(await outbox.list(all)).toHaveLength(2);
    await outbox.ack(ids[0] ?? 0, "delivered");
    expect((await outbox.list(all)).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(await claim(outbox)).toEqual([]);
  });

  it("leaves out categories, and gives their reports later", async () => {
    const { outbox, ids } = await filled(open, 1);
    await outbox.append(span, "browser");
    const [error] = await outbox.claim({ limit: 1, without: 0, failedLast: false });
    const without = error?.categories ?? 0;
    await outbox.requeue(ids[0] ?? 0);
    expect(await claim(outbox, { without: everyCategory })).toEqual([]);
    expect(await claim(outbox, { without })).toEqual([(ids[0] ?? 0) + 1]);
    expect(await claim(outbox)).toEqual(ids);
  });

  it("gives what has failed before or after others, as requested", async () => {
    const { outbox, ids, clock } = await filled(open, 3);
    const [first = 0, second, third] = ids;
    await claim(outbox, { limit: 1 });
    await outbox.requeue(first, 1000);
    clock.now += 1000;
    expect(await claim(outbox, { limit: 1, failedLast: true })).toEqual([second]);
    expect(await claim(outbox, { failedLast: true })).toEqual([third, first]);
    for (const id of ids) await outbox.requeue(id);
    expect(await claim(outbox)).toEqual(ids);
  });

  it("gives the newest that have not failed before others, as requested", async () => {
    const { outbox, ids, clock } = await filled(open, 5);
    const [first, second, third, fourth, fifth = 0] = ids;
    await outbox.append(span, "browser");
    const newest = { failedLast: true, newestFirst: true };
    expect(await claim(outbox, { ...newest, limit: 1 })).toEqual([fifth]);
    await outbox.requeue(fifth, 1000);
    expect(await claim(outbox, { ...newest, limit: 2 })).toEqual([fourth, third]);
    expect(await claim(outbox, { limit: 1 })).toEqual([first]);
    clock.now += 1000;
    expect(await claim(outbox, newest)).toEqual([second, fifth + 1, fifth]);
  });

  it("gives the newest of other senders before those of some, as requested", async () => {
    const { outbox } = open();
    for (const sender of ["a", "b", "c", "b", "c"]) {
      await outbox.append(errorEnvelope(), "browser", { sender });
    }
    const reports = await outbox.claim({ limit: 100, without: 0, failedLast: false });
    const [first, second, third, fourth, fifth] = reports.map(({ id }) => id);
    const [, b = 0, c = 0] = reports.map(({ sender }) => sender);
    await outbox.release();
    const newest = { failedLast: true, newestFirst: true, limit: 1 };
    expect(await claim(outbox, { ...newest, lastOf: [c] })).toEqual([fourth]);
    expect(await claim(outbox, { ...newest, lastOf: [b, c] })).toEqual([first]);
    expect(await claim(outbox, { ...newest, lastOf: [b, c] })).toEqual([fifth]);
    expect(await claim(outbox, { failedLast: true, limit: 2 })).toEqual([second, third]);
  });

  it("gives no more of those that have failed than requested", async () => {
    const { outbox, ids, clock } = await filled(open, 4);
    await outbox.append(span, "browser");
    const failed = [...ids.slice(0, 2), (ids[3] ?? 0) + 1];
    await claim(outbox);
    for (const id of failed) await outbox.requeue(id, 1000);
    for (const id of ids.slice(2)) await outbox.requeue(id);
    clock.now += 1000;
    expect(await claim(outbox, { failedLast: true, maxFailed: 1 })).toEqual([
      ...ids.slice(2),
      ids[0],
    ]);
    expect(await claim(outbox, { failedLast: true, maxFailed: 0 })).toEqual([]);
    expect(await claim(outbox, { failedLast: true, maxFailed: 2 })).toEqual(failed.slice(1));
  });

  it("ends with the process", async () => {
    const { outbox, another, ids } = await filled(open, 2);
    await claim(outbox);
    await outbox.close();
    expect(await claim(another())).toEqual(ids);
  });
});
