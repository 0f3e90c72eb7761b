import { describe, expect, it } from "vitest";
import { type Driver, OutboxError, type OutboxFault } from "@/packages/relay/src/outbox/driver";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { claimAll, dropsIn, engines, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

/** Has a destination's rows count how often each value was written. */
function countRows(outbox: Outbox): void {
  outbox.rowsOf = (taken) =>
    taken.map((value) => ({
      text: `insert into {notes} as n (name, value) values ($1, '1')
        on conflict (name) do update set value = n.value || '1'`,
      values: [`counted ${value}`],
    }));
}

async function countsIn({ driver }: Outbox): Promise<string[]> {
  const text = "select value from {notes} where name like 'counted %' order by name";
  return (await driver.read<{ value: string }>({ text })).map(({ value }) => value);
}

/** Loses the answer to the next transaction, which was run all the same. */
function loseNextAnswer(driver: Driver, fault: OutboxFault): void {
  const { transaction } = driver;
  driver.transaction = async (...asked) => {
    driver.transaction = transaction;
    await driver.transaction(...asked);
    throw new OutboxError(fault, "The connection is lost.");
  };
}

/** Acknowledges these together, each with its place as the value. @returns how many were refused */
async function acknowledgeAll(outbox: Outbox, reports: Awaited<ReturnType<typeof claimAll>>) {
  const all = reports.map((report, value) => outbox.acknowledge(report, { kind: "taken", value }));
  return (await Promise.allSettled(all)).filter(({ status }) => status === "rejected").length;
}

describe.each(engines)("what a destination makes of a report, in %s,", (_, open) => {
  it.each(["busy", "unwritable"] as const)(
    "is written once, though the answer was lost as %s and it is acknowledged again",
    async (fault) => {
      const { outbox, driver } = open();
      countRows(outbox);
      for (let n = 0; n < 5; n++) await outbox.append(errorEnvelope(), "server");
      const reports = await claimAll(outbox);
      loseNextAnswer(driver, fault);
      expect(await acknowledgeAll(outbox, reports.slice(0, 3))).toBe(fault === "busy" ? 3 : 0);
      expect(await acknowledgeAll(outbox, reports)).toBe(0);
      expect(await countsIn(outbox)).toEqual(["1", "1", "1", "1", "1"]);
      expect(await statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 0 });
      expect(await dropsIn(outbox)).toEqual([]);
    },
  );

  it("counts one that is dropped once, though the answer was lost and it is dropped again", async () => {
    const { outbox, driver } = open();
    await outbox.append(errorEnvelope(), "server");
    const [report] = await claimAll(outbox);
    if (!report) throw new Error("Expected a report.");
    const dropped = { kind: "dropped", reason: "send_error" } as const;
    loseNextAnswer(driver, "busy");
    await expect(outbox.acknowledge(report, dropped)).rejects.toThrow("The connection is lost.");
    await outbox.acknowledge(report, dropped);
    expect(await dropsIn(outbox)).toMatchObject([{ category: "error", quantity: 1 }]);
  });

  it("is written by the process that has it, not by the one whose claim has ended", async () => {
    const { outbox, another, clock } = open();
    const other = another();
    for (const one of [outbox, other]) countRows(one);
    await outbox.append(errorEnvelope(), "server");
    const before = await claimAll(outbox);
    clock.now += 60_000;
    const now = await claimAll(other);
    expect(await acknowledgeAll(outbox, before)).toBe(0);
    expect(await countsIn(outbox)).toEqual([]);
    expect(await acknowledgeAll(other, now)).toBe(0);
    expect(await countsIn(outbox)).toEqual(["1"]);
  });
});
