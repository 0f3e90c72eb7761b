import { describe, expect, it } from "vitest";
import { maxDropQuantity } from "@/packages/relay/src/envelope/client-report";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { claimAll, dropsIn, engines, statsOf } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";

/** One that says of each of its hundred items that it holds as many records as a number can say. */
const liar = () =>
  envelopeOf(
    {},
    ...Array.from(
      { length: 100 },
      () => [{ type: "event", item_count: Number.MAX_SAFE_INTEGER }, "{}"] as const,
    ),
  );

async function dropAll(outbox: Outbox): Promise<void> {
  for (const report of await claimAll(outbox)) {
    await outbox.acknowledge(report, { kind: "dropped", reason: "send_error" });
  }
}

async function dropped(outbox: Outbox): Promise<number> {
  return (await dropsIn(outbox)).reduce((sum, { quantity }) => sum + quantity, 0);
}

describe.each(engines)("one report can't fail another in %s", (_, open) => {
  it("however many records it claims to hold", async () => {
    const { outbox } = open();
    for (let n = 0; n < 30; n++) await outbox.append(liar(), "browser");
    await dropAll(outbox);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 0, writable: true });
    expect(await dropped(outbox)).toBe(30 * 100 * 10_000);
  });

  it("nor when a sum of drops is as large as it can be", async () => {
    const { outbox } = open();
    for (let n = 0; n < 3; n++) {
      await outbox.countDrops([
        { reason: "send_error", category: "error", quantity: maxDropQuantity },
      ]);
    }
    expect(await dropped(outbox)).toBe(maxDropQuantity);
    await outbox.append(errorEnvelope(), "browser");
    await dropAll(outbox);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 0, writable: true });
  });

  it("nor when its drop can't be counted", async () => {
    const { outbox } = open();
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(errorEnvelope(), "browser");
    await outbox.countDrops([{ reason: "send_error", category: "error", quantity: Number.NaN }]);
    await dropAll(outbox);
    expect(await dropped(outbox)).toBe(2);
  });

  it("nor when it can't be stored: it is set aside alone, and that is said", async () => {
    const { outbox, lines, refuseReports } = open();
    await outbox.append(errorEnvelope(), "browser");
    await refuseReports("192.0.2.66");
    const outcomes = await Promise.allSettled([
      outbox.append(errorEnvelope(), "browser"),
      outbox.append(errorEnvelope(), "browser", { clientAddress: "192.0.2.66" }),
      outbox.append(errorEnvelope(), "browser"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { name: "OutboxError", fault: "malformed" } });
    expect(await statsOf(outbox)).toMatchObject({ waiting: 3, writable: true, setAside: 1 });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "error", event: "report set aside" }),
    );
  });

  it("nor does one that finds no room keep others out of the same group", async () => {
    const { outbox } = open({ maxBytes: 100_000 });
    const outcomes = await Promise.allSettled([
      outbox.append(errorEnvelope(), "browser"),
      outbox.append(errorEnvelope(undefined, "x".repeat(200_000)), "browser"),
      outbox.append(errorEnvelope(), "browser"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 2, writable: true, setAside: 0 });
  });
});

describe.each(engines)("an outbox that refuses every report, in %s", (_, open) => {
  it("is not ready, whatever else can be written, and is again as soon as it takes one", async () => {
    const { outbox, refuseReports } = open();
    await outbox.append(errorEnvelope(), "browser");
    const takeThemAgain = await refuseReports();
    const outcomes = await Promise.allSettled([
      outbox.append(errorEnvelope(), "browser"),
      outbox.append(errorEnvelope(), "browser"),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ reason: { name: "OutboxError", fault: "unwritable" } });
    }
    expect(await statsOf(outbox)).toMatchObject({ writable: false, waiting: 1, setAside: 0 });
    expect(await statsOf(outbox)).toMatchObject({ writable: false, reason: expect.any(String) });
    await takeThemAgain();
    await expect.poll(() => statsOf(outbox)).toMatchObject({ writable: true, reason: undefined });
    await outbox.append(errorEnvelope(), "browser");
  });
});
