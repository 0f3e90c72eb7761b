import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { KeptDigests } from "@/lib/inbox/kept-digests";
import { memorySize } from "@/lib/inbox/memory-size";
import { envelope, feedbackEvent, stored } from "@/tests/support/envelopes";

const bounds = { messages: 20_000, measurements: 5_000 };

const aMessage = (id: number) => digest(stored(id, envelope([["feedback", feedbackEvent("x")]])));
const aMeasurement = (id: number) => {
  const measured = { transaction: `/${id}`, measurements: { lcp: { value: id } } };
  return digest(stored(id, envelope([["transaction", measured]])));
};

const ids = (records: readonly { reportId: number }[]) => records.map(({ reportId }) => reportId);

test("where memory is full, the oldest give up their records, which are counted", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 100; id += 1) kept.add(aMessage(id));
  const newest = ids(kept.all("feedback"));
  expect(newest.at(-1)).toBe(100);
  expect(newest).toEqual(Array.from(newest, (_, i) => 101 - newest.length + i));
  expect(newest.length).toBeGreaterThan(5);
  expect([kept.size, kept.left]).toEqual([100, 100 - newest.length]);
});

test("measurements push out no messages, and messages no measurements", () => {
  const kept = new KeptDigests(bounds);
  kept.add(aMessage(1));
  for (let id = 2; id <= 500; id += 1) kept.add(aMeasurement(id));
  const samples = kept.all("samples").length;
  expect(ids(kept.all("feedback"))).toEqual([1]);
  expect(samples).toBeGreaterThan(5);
  expect(kept.left).toBe(499 - samples);
  for (let id = 501; id <= 600; id += 1) kept.add(aMessage(id));
  expect(kept.all("samples")).toHaveLength(samples);
  expect(ids(kept.all("feedback"))).not.toContain(1);
});

test("what the outbox has dropped is forgotten, and has no part in what is counted", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 100; id += 1) kept.add(id % 2 ? aMessage(id) : aMeasurement(id));
  kept.takeChanges();
  kept.forgetBefore({ important: 99, expendable: 98 });
  expect([kept.size, kept.left, ids(kept.all("feedback"))]).toEqual([3, 0, [99]]);
  expect(kept.all("samples")).toMatchObject([{ route: "/98" }, { route: "/100" }]);
  expect([...kept.takeChanges()].sort()).toEqual(["feedback", "samples"]);
  expect(kept.takeChanges().size).toBe(0);
  // The room is there again.
  kept.add(aMessage(101));
  kept.forgetBefore({ important: undefined, expendable: undefined });
  expect([kept.size, kept.left]).toEqual([0, 0]);
  for (let id = 102; id <= 105; id += 1) kept.add(aMessage(id));
  expect(ids(kept.all("feedback"))).toEqual([102, 103, 104, 105]);
});

test("the oldest give up records in turn, also after others have been forgotten", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 1000; id += 1) {
    kept.add(aMessage(id));
    if (id % 7 === 0) kept.forgetBefore({ important: id - 50, expendable: undefined });
    const messages = ids(kept.all("feedback"));
    expect(messages.at(-1)).toBe(id);
    expect(kept.left + messages.length).toBe(kept.size);
  }
});

test("there is an end to the number of reports, even of those of which nothing is kept", () => {
  const kept = new KeptDigests(bounds);
  const nothing = digest(stored(1, Buffer.from("nonsense")));
  for (let id = 1; id <= 20_500; id += 1) kept.add({ ...nothing, id, expendable: id % 2 === 0 });
  expect([kept.size, kept.unreadable]).toEqual([20_000, 20_000]);
});

test("each character counts for two bytes, and each property", () => {
  expect(memorySize("x".repeat(100))).toBe(memorySize("ж".repeat(100)));
  expect(memorySize("x".repeat(100))).toBeGreaterThan(200);
  expect(memorySize({ a: ["x"], b: 1 })).toBeGreaterThan(memorySize({ a: ["x"] }));
});

test("what the outbox has dropped of one sender is forgotten, wherever it stood", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 60; id += 1) kept.add(id % 2 ? aMessage(id) : aMeasurement(id));
  kept.takeChanges();
  const messages = ids(kept.all("feedback"));
  const goneBefore = kept.left;
  kept.forgetAllBut(new Set([...messages.filter((id) => id % 3 === 0), 60]));
  expect(ids(kept.all("feedback"))).toEqual(messages.filter((id) => id % 3 === 0));
  expect(kept.all("samples")).toMatchObject([{ route: "/60" }]);
  expect(kept.left).toBeLessThanOrEqual(goneBefore);
  expect([...kept.takeChanges()].sort()).toEqual(["feedback", "samples"]);
  // The others still give up records in turn, and are forgotten in turn.
  for (let id = 61; id <= 2000; id += 1) kept.add(aMessage(id));
  expect(ids(kept.all("feedback")).at(-1)).toBe(2000);
  kept.forgetBefore({ important: 1999, expendable: undefined });
  expect([kept.size, kept.left, ids(kept.all("feedback"))]).toEqual([2, 0, [1999, 2000]]);
});
