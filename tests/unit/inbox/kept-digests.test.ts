import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { KeptDigests } from "@/lib/inbox/kept-digests";
import { memorySize } from "@/lib/inbox/memory-size";
import { envelope, errorEvent, feedbackEvent, stored } from "@/tests/support/envelopes";

const bounds = { reports: 20_000, measurements: 5_000 };

const anError = (id: number) => digest(stored(id, envelope([["event", errorEvent()]])));
const aMessage = (id: number) => digest(stored(id, envelope([["feedback", feedbackEvent("x")]])));
const aMeasurement = (id: number) => {
  const measured = { transaction: `/${id}`, measurements: { lcp: { value: id } } };
  return digest(stored(id, envelope([["transaction", measured]])));
};

const ids = (records: readonly { reportId: number }[]) => records.map(({ reportId }) => reportId);

test("where memory is full, the oldest give up their records, which are counted", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 100; id += 1) kept.add(anError(id));
  const newest = ids(kept.all("errors"));
  expect(newest.at(-1)).toBe(100);
  expect(newest).toEqual(Array.from(newest, (_, i) => 101 - newest.length + i));
  expect(newest.length).toBeGreaterThan(5);
  expect([kept.size, kept.left]).toEqual([100, 100 - newest.length]);
});

test("measurements push out no errors, and errors no measurements", () => {
  const kept = new KeptDigests(bounds);
  kept.add(anError(1));
  kept.add(aMessage(2));
  for (let id = 3; id <= 500; id += 1) kept.add(aMeasurement(id));
  const samples = kept.all("samples").length;
  expect([kept.all("errors").length, kept.all("feedback").length]).toEqual([1, 1]);
  expect(samples).toBeGreaterThan(5);
  expect(kept.left).toBe(498 - samples);
  for (let id = 501; id <= 600; id += 1) kept.add(anError(id));
  expect(kept.all("samples")).toHaveLength(samples);
  expect(kept.all("feedback")).toEqual([]);
});

test("what the outbox has dropped is forgotten, and has no part in what is counted", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 100; id += 1) kept.add(id % 2 ? anError(id) : aMeasurement(id));
  kept.takeChanges();
  kept.forgetBefore({ important: 99, expendable: 98 });
  expect([kept.size, kept.left, ids(kept.all("errors"))]).toEqual([3, 0, [99]]);
  expect(kept.all("samples")).toMatchObject([{ route: "/98" }, { route: "/100" }]);
  expect([...kept.takeChanges()].sort()).toEqual(["errors", "samples"]);
  expect(kept.takeChanges().size).toBe(0);
  // The room is there again.
  kept.add(anError(101));
  kept.forgetBefore({ important: undefined, expendable: undefined });
  expect([kept.size, kept.left]).toEqual([0, 0]);
  for (let id = 102; id <= 105; id += 1) kept.add(anError(id));
  expect(ids(kept.all("errors"))).toEqual([102, 103, 104, 105]);
});

test("the oldest give up records in turn, also after others have been forgotten", () => {
  const kept = new KeptDigests(bounds);
  for (let id = 1; id <= 1000; id += 1) {
    kept.add(anError(id));
    if (id % 7 === 0) kept.forgetBefore({ important: id - 50, expendable: undefined });
    const errors = ids(kept.all("errors"));
    expect(errors.at(-1)).toBe(id);
    expect(kept.left + errors.length).toBe(kept.size);
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
  for (let id = 1; id <= 60; id += 1) kept.add(id % 2 ? anError(id) : aMeasurement(id));
  kept.takeChanges();
  const errors = ids(kept.all("errors"));
  const goneBefore = kept.left;
  kept.forgetAllBut(new Set([...errors.filter((id) => id % 3 === 0), 60]));
  expect(ids(kept.all("errors"))).toEqual(errors.filter((id) => id % 3 === 0));
  expect(kept.all("samples")).toMatchObject([{ route: "/60" }]);
  expect(kept.left).toBeLessThanOrEqual(goneBefore);
  expect([...kept.takeChanges()].sort()).toEqual(["errors", "samples"]);
  // The others still give up records in turn, and are forgotten in turn.
  for (let id = 61; id <= 2000; id += 1) kept.add(anError(id));
  expect(ids(kept.all("errors")).at(-1)).toBe(2000);
  kept.forgetBefore({ important: 1999, expendable: undefined });
  expect([kept.size, kept.left, ids(kept.all("errors"))]).toEqual([2, 0, [1999, 2000]]);
});

test("no browser takes the memory from the server's own errors, up to their share", () => {
  const kept = new KeptDigests(bounds);
  const own = (id: number) =>
    digest(stored(id, envelope([["event", errorEvent()]]), { origin: "server" }));
  kept.add(own(1));
  for (let id = 2; id <= 500; id += 1) kept.add(anError(id));
  expect(ids(kept.all("errors"))[0]).toBe(1);
  expect(ids(kept.all("errors")).at(-1)).toBe(500);
  for (let id = 501; id <= 1000; id += 1) kept.add(own(id));
  const errors = ids(kept.all("errors"));
  expect(errors.filter((id) => id > 500).length).toBeGreaterThan(1);
  expect(errors.filter((id) => id > 1 && id <= 500).length).toBeGreaterThan(
    errors.filter((id) => id > 500).length,
  );
  kept.forgetAllBut(new Set([1000]));
  expect(ids(kept.all("errors"))).toEqual([1000]);
  kept.forgetBefore({ important: undefined, expendable: undefined });
  expect([kept.size, kept.left]).toEqual([0, 0]);
});
