import { describe, expect, it } from "vitest";
import { ReportClaims } from "@/lib/inbox/model/report-claims";
import type { OutboxEngine } from "@/lib/outbox/outbox";
import { filled, testClaims } from "@/tests/support/claims";
import { engines, type TestClock } from "@/tests/support/outboxes";

const leaseMs = 30_000;

function claimsOf({ rows }: OutboxEngine, clock: TestClock): ReportClaims {
  return new ReportClaims(rows, { now: () => clock.now, leaseMs });
}

testClaims("the filer", (outbox, clock) => {
  const claims = claimsOf(outbox, clock);
  return {
    claim: (request) => claims.claim(request),
    requeue: (id, retryAfterMs) => claims.requeue(id, retryAfterMs),
    release: () => claims.release(),
    done: (id) => claims.ack([id], []),
  };
});

const limit = 100;

describe.each(engines)("a claim of the filer in %s", (_, open) => {
  async function start(count: number) {
    const opened = await filled(open, count);
    const { outbox, another, clock } = opened;
    return { ...opened, claims: claimsOf(outbox, clock), other: claimsOf(another(), clock) };
  }

  async function claim(claims: ReportClaims) {
    return (await claims.claim({ limit })).map(({ id }) => id);
  }

  it("of a process that died ends with its lease", async () => {
    const { claims, other, ids, clock } = await start(3);
    await claim(claims);
    clock.now += leaseMs - 1;
    expect(await claim(other)).toEqual([]);
    clock.now += 1;
    // Looked for every 5 s.
    clock.now += 5_000;
    expect(await claim(other)).toEqual(ids);
  });

  it("gives others at once what is left to them, and the same process after its time", async () => {
    const { claims, other, ids, clock } = await start(2);
    const [first = 0, second = 0] = ids;
    await claim(claims);
    await claims.leaveToOthers(first, 60_000);
    await claims.leaveToOthers(second, 60_000);
    expect(claims.waiting).toBe(2);
    expect(await claim(claims)).toEqual([]);
    const [taken] = await other.claim({ limit: 1 });
    expect(taken).toMatchObject({ id: first, failures: 0 });
    await other.ack([first], []);
    clock.now += 60_000;
    expect(await claim(claims)).toEqual([second]);
    expect(claims.waiting).toBe(0);
  });

  it("remembers nothing of reports that others have filed, or that are gone", async () => {
    const { outbox, claims, other, ids, clock } = await start(3);
    await claim(claims);
    for (const id of ids) await claims.leaveToOthers(id, 1_000);
    await other.ack([(await claim(other))[0] ?? 0], []);
    await outbox.rows.change([
      { text: "delete from {reports} where id = $1", values: [ids[1] ?? 0] },
    ]);
    clock.now += 1_000;
    expect(await claim(claims)).toEqual([]);
    expect(claims.waiting).toBe(0);
  });

  it("can be claimed again by the same process, and no other, where it is forgotten", async () => {
    const { claims, other, ids, clock } = await start(2);
    await claim(claims);
    claims.forget(ids);
    clock.now += 5_000;
    expect(await claim(other)).toEqual([]);
    expect(await claim(claims)).toEqual(ids);
  });

  it("of a report that can't be filed ends, with the reason", async () => {
    const { outbox, claims, other, ids } = await start(1);
    await claim(claims);
    await claims.ackFault(ids[0] ?? 0, "x".repeat(200));
    await claims.release();
    expect(await claim(other)).toEqual([]);
    const [found] = await outbox.rows.select<{ fault: string }>({
      text: "select fault from {filings}",
    });
    expect(found?.fault).toBe("x".repeat(100));
  });
});
