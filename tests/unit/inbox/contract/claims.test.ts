import { describe, expect, it } from "vitest";
import { ReportClaims } from "@/lib/inbox/model/report-claims";
import type { OutboxEngine } from "@/lib/outbox/outbox";
import { filled, testClaims } from "@/tests/support/claims";
import { engines } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";

const leaseMs = 30_000;

function claimsOf({ rows }: OutboxEngine): ReportClaims {
  return new ReportClaims(rows, leaseMs);
}

testClaims("the filer", (outbox) => {
  const claims = claimsOf(outbox);
  return {
    claim: (request) => claims.claim(request),
    requeue: (id, retryAfterMs) => claims.requeue(id, retryAfterMs),
    release: () => claims.release(),
    done: (id) => claims.ack([id], []),
  };
});

const limit = 100;

describe.each(engines)("a claim of the filer in %s", (engine, open) => {
  async function start(count: number) {
    const opened = await filled(open, count);
    const { outbox, another } = opened;
    return { ...opened, claims: claimsOf(outbox), other: claimsOf(another()) };
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

  it("by a clock that was a day ahead ends when the clock is right again", async () => {
    const { claims, other, ids, clock } = await start(2);
    clock.setBy = 24 * 3_600_000;
    await claim(claims);
    await claims.leaveToOthers(ids[1] ?? 0, 60_000);
    clock.setBy = 0;
    expect(await claim(other)).toEqual(ids);
    await other.release();
    expect(await claim(claims)).toEqual([ids[1]]);
  });

  it("finds the reports of a database that was restored, where ids begin anew", async () => {
    const { outbox, claims, ids, clock } = await start(10);
    await claim(claims);
    await claims.ack(ids, []);
    // As a copy has it that lacks the last reports.
    const lost = ids[4] ?? 0;
    const lastId =
      engine === "SQLite"
        ? "update {sqlite_sequence} set seq = $1 where name = 'reports'"
        : "update {totals} set last_id = $1 where side = 'in'";
    await outbox.rows.change([
      { text: "delete from {reports} where id >= $1", values: [lost] },
      { text: "delete from {filings} where report_id >= $1", values: [lost] },
      { text: lastId, values: [lost - 1] },
    ]);
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    clock.now += 5_000;
    expect(await claim(claims)).toEqual(ids.slice(4, 7));
  });

  it("brings large reports a few at a time, all of them in order", async () => {
    const { outbox, claims } = await start(0);
    const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(1_500_000)]);
    for (let n = 0; n < 5; n++) await outbox.append(large, "browser");
    const counts = [];
    const found: number[] = [];
    for (let claimed = await claim(claims); claimed.length > 0; claimed = await claim(claims)) {
      counts.push(claimed.length);
      found.push(...claimed);
    }
    expect(counts).toEqual([2, 2, 1]);
    expect(found).toEqual((await outbox.list({ after: 0, limit: 10 })).map(({ id }) => id));
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
