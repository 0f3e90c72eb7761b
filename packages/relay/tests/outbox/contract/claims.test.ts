import { describe, expect, it } from "vitest";
import { categorySet, everyCategory } from "@/packages/relay/src/envelope/categories";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import type { ClaimedReport, Outcome } from "@/packages/relay/src/outbox/reports";
import {
  claimAll,
  dropsIn,
  engines,
  envelopesIn,
  type Opened,
  statsOf,
  taken,
} from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

const span = envelopeOf({}, [{ type: "span" }, "{}"]);
const leaseMs = 15_000;

async function claim(outbox: Outbox, limit = 100, without = 0) {
  return (await outbox.claim({ limit, without })).map(({ id }) => id);
}

/** An outbox with so many errors in it, and their ids. */
async function filled(open: () => Opened, count: number) {
  const opened = open();
  const { outbox } = opened;
  await Promise.all(Array.from({ length: count }, () => outbox.append(errorEnvelope(), "browser")));
  return { ...opened, ids: (await envelopesIn(outbox)).map(({ id }) => id) };
}

describe.each(engines)("a claim in %s", (_, open) => {
  it("gives the oldest reports first, and none twice, whoever asks", async () => {
    const { outbox, another, ids } = await filled(open, 5);
    expect(await claim(outbox, 2)).toEqual(ids.slice(0, 2));
    expect(await claim(another(), 2)).toEqual(ids.slice(2, 4));
    expect(await claim(outbox)).toEqual(ids.slice(4));
    expect(await claim(outbox)).toEqual([]);
  });

  it("gives none twice where several processes ask at the same time", async () => {
    const { outbox, another, ids } = await filled(open, 60);
    const processes = [outbox, another(), another()];
    const claims = processes.flatMap((one) => [claim(one, 10), claim(one, 10)]);
    const first = (await Promise.all(claims)).flat();
    expect(new Set(first).size).toBe(first.length);
    for (const one of processes) first.push(...(await claim(one)));
    expect(first.sort()).toEqual(ids);
  });

  it("leaves the report in the outbox until it is acknowledged", async () => {
    const { outbox, another, ids } = await filled(open, 2);
    const [first] = await claimAll(outbox);
    expect(await envelopesIn(outbox)).toHaveLength(2);
    if (first) await outbox.acknowledge(first, taken);
    expect((await envelopesIn(another())).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it("ends when the report is put back, and that keeps its place", async () => {
    const { outbox, ids } = await filled(open, 3);
    const [, second] = await claimAll(outbox);
    if (second) await outbox.acknowledge(second, { kind: "back" });
    expect(await claim(outbox)).toEqual([ids[1]]);
  });

  it("gives what has failed only after its back-off, then after all that has not", async () => {
    const { outbox, clock, ids } = await filled(open, 3);
    for (let attempts = 0; attempts < 3; attempts++) {
      const [first, ...others] = await claimAll(outbox);
      expect(first?.attempts).toBe(attempts === 0 ? 0 : attempts);
      if (first) await outbox.acknowledge(first, { kind: "later", ms: 1000 });
      for (const other of others) await outbox.acknowledge(other, { kind: "later", ms: 1000 });
      clock.now += 999;
      expect(await claim(outbox)).toEqual([]);
      clock.now += 1;
    }
    await outbox.append(errorEnvelope(), "browser");
    const again = await claim(outbox);
    expect(again.slice(1)).toEqual(ids);
  });

  it("leaves out categories, and gives their reports later", async () => {
    const { outbox, ids } = await filled(open, 1);
    await outbox.append(span, "browser");
    expect(await claim(outbox, 100, everyCategory)).toEqual([]);
    expect(await claim(outbox, 100, categorySet(["error"]))).toHaveLength(1);
    expect(await claim(outbox)).toEqual(ids);
  });

  it("brings few where they are large, and the others after them", async () => {
    const { outbox } = open();
    const large = () => envelopeOf({}, [{ type: "event" }, Buffer.alloc(1_500_000)]);
    for (let n = 0; n < 5; n++) await outbox.append(large(), "browser");
    const counts = [];
    for (let n = 0; n < 3; n++) counts.push((await claim(outbox)).length);
    expect(counts).toEqual([3, 2, 0]);
  });

  it("ends with its lease, and what its process says after that counts for nothing", async () => {
    const { outbox, another, clock, ids } = await filled(open, 1);
    const [report] = await claimAll(outbox);
    clock.now += leaseMs;
    const other = another();
    const [again] = await claimAll(other);
    expect([report?.id, again?.id]).toEqual([ids[0], ids[0]]);
    if (report) await outbox.acknowledge(report, { kind: "later", ms: 1 });
    if (report) await outbox.acknowledge(report, taken);
    expect(await envelopesIn(other)).toHaveLength(1);
    if (again) await other.acknowledge(again, taken);
    expect(await envelopesIn(other)).toHaveLength(0);
  });

  it("ends with its lease, and what its process drops after that is not counted", async () => {
    const { outbox, another, clock } = await filled(open, 2);
    await claimAll(outbox);
    clock.now += leaseMs;
    const other = another();
    const theirs = await claimAll(other);
    await outbox.append(errorEnvelope(), "browser");
    const reason = "send_error";
    const lost = [{ reason, category: "attachment", quantity: 1 } as const];
    const outcomes: Outcome[] = [
      { kind: "dropped", reason },
      { kind: "taken", value: undefined, lost },
      { kind: "dropped", reason },
    ];
    const drop = (one: Outbox, reports: ClaimedReport[]) =>
      Promise.all(outcomes.map((outcome, i) => reports[i] && one.acknowledge(reports[i], outcome)));
    const own = await claimAll(outbox);
    await drop(outbox, [...theirs, ...own]);
    expect(await dropsIn(outbox)).toEqual([{ reason, category: "error", quantity: 1 }]);
    await drop(other, theirs);
    expect(await dropsIn(outbox)).toEqual([...lost, { reason, category: "error", quantity: 2 }]);
    expect(await envelopesIn(outbox)).toEqual([]);
  });

  it("goes on where its process renews it, and does not come back by that", async () => {
    const { outbox, another, clock } = await filled(open, 1);
    const [claimed] = await claimAll(outbox);
    if (!claimed) throw new Error("Expected a report.");
    clock.now += leaseMs - 1;
    await outbox.renew(claimed);
    clock.now += leaseMs - 1;
    expect(await claim(another())).toEqual([]);
    clock.now += 1;
    const other = another();
    expect(await claim(other)).toEqual([claimed.id]);
    await outbox.renew(claimed);
    await other.release();
    expect(await claim(other)).toEqual([claimed.id]);
  });

  it("leaves what is too large for the moment, and gives what is smaller", async () => {
    const { outbox, ids } = await filled(open, 1);
    const large = envelopeOf({}, [{ type: "event" }, "x".repeat(50_000)]);
    await outbox.append(large, "browser");
    const small = await outbox.claim({ limit: 10, without: 0, maxSize: 50_000 });
    expect(small.map(({ id }) => id)).toEqual(ids);
    expect(await claim(outbox)).toHaveLength(1);
  });

  it("ends when its process releases all of its own, or is closed", async () => {
    const { outbox, another, ids } = await filled(open, 4);
    const other = another();
    expect(await claim(outbox, 2)).toEqual(ids.slice(0, 2));
    expect(await claim(other, 2)).toEqual(ids.slice(2));
    await outbox.release();
    expect(await claim(other)).toEqual(ids.slice(0, 2));
    await other.close();
    expect(await claim(outbox)).toEqual(ids);
  });

  it("of another is left alone as the store comes back: its report may have been delivered", async () => {
    const { outbox, another, clock, run, ids } = await filled(open, 1);
    let uptime = 0;
    const other = another({ uptime: () => uptime });
    expect(await claim(outbox)).toEqual(ids);
    await run((table) => `alter table ${table("outbox")} rename to signpost_away`);
    await expect(claim(other)).rejects.toThrow();
    await run((table) => `alter table ${table("away")} rename to signpost_outbox`);
    clock.now += leaseMs;
    expect(await claim(other)).toEqual([]);
    uptime += 3000;
    expect(await claim(other)).toEqual(ids);
  });

  it("does not last for ever where the clock was set back", async () => {
    const { outbox, clock, ids } = await filled(open, 1);
    await claimAll(outbox);
    clock.now -= 3_600_000;
    expect(await claim(outbox)).toEqual(ids);
  });

  it("that its process never ended counts as an attempt: the report may be what it died of", async () => {
    const { outbox, another, clock, ids } = await filled(open, 2);
    await claim(outbox, 1);
    clock.now += leaseMs;
    const again = await claimAll(another());
    expect(again.map(({ id, attempts }) => [id, attempts])).toEqual([
      [ids[1], 0],
      [ids[0], 1],
    ]);
  });

  it("gives an error to a server of its release, and to any after a minute", async () => {
    const { outbox, another, clock } = open({ release: "one" });
    const two = another({ release: "two" });
    const ofTwo = envelopeOf({ event_id: eventId(), trace: { release: "two" } }, [
      { type: "event" },
      "{}",
    ]);
    await outbox.append(ofTwo, "browser");
    await outbox.append(errorEnvelope(), "browser");
    const [own, ...none] = await claimAll(outbox);
    expect(none).toEqual([]);
    if (own) await outbox.acknowledge(own, taken);
    expect(await claimAll(two)).toMatchObject([{ release: "two" }]);
    await two.release();
    clock.now += 59_999;
    expect(await claim(outbox)).toEqual([]);
    clock.now += 1;
    expect(await claim(outbox)).toHaveLength(1);
  });
});

describe.each(engines)("what a destination writes in %s", (_, open) => {
  const note = (name: unknown) => ({
    text: "insert into {notes} (name, value) values ($1, 'x')",
    values: [String(name)],
  });
  const notes = async (outbox: Outbox) =>
    (
      await outbox.driver.read<{ name: string }>({
        text: "select name from {notes} where value = 'x'",
      })
    )
      .map(({ name }) => name)
      .sort();

  it("is written by the transaction that removes the reports, together for all of a group", async () => {
    const { outbox } = await filled(open, 3);
    const groups: number[] = [];
    outbox.rowsOf = (all) => {
      groups.push(all.length);
      return all.map(note);
    };
    const reports = await claimAll(outbox);
    await Promise.all(
      reports.map((report, i) => outbox.acknowledge(report, { kind: "taken", value: `n${i}` })),
    );
    expect(await notes(outbox)).toEqual(["n0", "n1", "n2"]);
    expect(await envelopesIn(outbox)).toEqual([]);
    expect(groups.reduce((sum, count) => sum + count)).toBe(3);
  });

  it("is dropped with its report where the store refuses it, and others are not", async () => {
    const { outbox, lines } = await filled(open, 4);
    outbox.rowsOf = (all) => all.map(note);
    const reports = await claimAll(outbox);
    // The second breaks the rule that each name is there once.
    const names = ["a", "a", "b", "c"];
    await Promise.all(
      reports.map((report, i) => outbox.acknowledge(report, { kind: "taken", value: names[i] })),
    );
    expect(await notes(outbox)).toEqual(["a", "b", "c"]);
    expect(await envelopesIn(outbox)).toEqual([]);
    expect(await dropsIn(outbox)).toEqual([
      { reason: "internal_sdk_error", category: "error", quantity: 1 },
    ]);
    expect(await statsOf(outbox)).toMatchObject({ setAside: 1, writable: true });
    expect(lines).toContainEqual(expect.objectContaining({ event: "report set aside" }));
  });
});
