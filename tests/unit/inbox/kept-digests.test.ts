import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { KeptDigests } from "@/lib/inbox/kept-digests";
import { memorySize } from "@/lib/inbox/memory-size";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

const maxSize = 10_000;

/** Of a report that is important, as an error is beside it. */
const aVisit = (id: number) => {
  const trace = { trace_id: "a".repeat(32), span_id: "1".repeat(16), op: "pageload" };
  const visit = { transaction: `/${id}`, start_timestamp: 1, timestamp: 2, contexts: { trace } };
  return digest(
    stored(
      id,
      envelope([
        ["event", errorEvent()],
        ["transaction", visit],
      ]),
    ),
  );
};
const aMeasurement = (id: number) => {
  const measured = { transaction: `/${id}`, measurements: { lcp: { value: id } } };
  return digest(stored(id, envelope([["transaction", measured]])));
};

const ids = (records: readonly { reportId: number }[]) => records.map(({ reportId }) => reportId);

test("where memory is full, the oldest give up their records, which are counted", () => {
  const kept = new KeptDigests(maxSize);
  for (let id = 1; id <= 100; id += 1) kept.add(aVisit(id));
  const newest = ids(kept.all("visits"));
  expect(newest.at(-1)).toBe(100);
  expect(newest).toEqual(Array.from(newest, (_, i) => 101 - newest.length + i));
  expect(newest.length).toBeGreaterThan(5);
  expect([kept.size, kept.left]).toEqual([100, 100 - newest.length]);
});

test("measurements beside an error stay longer than others, and are given up after them", () => {
  const kept = new KeptDigests(maxSize);
  kept.add(aVisit(1));
  for (let id = 2; id <= 500; id += 1) kept.add(aMeasurement(id));
  const samples = kept.all("samples").length;
  expect(ids(kept.all("visits"))).toEqual([1]);
  expect(samples).toBeGreaterThan(5);
  expect(kept.left).toBe(499 - samples);
  for (let id = 501; id <= 600; id += 1) kept.add(aVisit(id));
  expect(kept.all("samples")).toEqual([]);
  expect(ids(kept.all("visits"))).not.toContain(1);
  expect(ids(kept.all("visits")).at(-1)).toBe(600);
});

test("what the outbox has dropped is forgotten, and has no part in what is counted", () => {
  const kept = new KeptDigests(50_000);
  for (let id = 1; id <= 100; id += 1) kept.add(id % 2 ? aVisit(id) : aMeasurement(id));
  kept.takeChanges();
  kept.forgetBefore({ important: 99, expendable: 98 });
  expect([kept.size, kept.left, ids(kept.all("visits"))]).toEqual([3, 0, [99]]);
  expect(kept.all("samples")).toMatchObject([{ route: "/98" }, { route: "/100" }]);
  expect([...kept.takeChanges()].sort()).toEqual(["samples", "visits"]);
  expect(kept.takeChanges().size).toBe(0);
  // The room is there again.
  kept.add(aVisit(101));
  kept.forgetBefore({ important: undefined, expendable: undefined });
  expect([kept.size, kept.left]).toEqual([0, 0]);
  for (let id = 102; id <= 105; id += 1) kept.add(aVisit(id));
  expect(ids(kept.all("visits"))).toEqual([102, 103, 104, 105]);
});

test("the oldest give up records in turn, also after others have been forgotten", () => {
  const kept = new KeptDigests(maxSize);
  for (let id = 1; id <= 1000; id += 1) {
    kept.add(aVisit(id));
    if (id % 7 === 0) kept.forgetBefore({ important: id - 50, expendable: undefined });
    const visits = ids(kept.all("visits"));
    expect(visits.at(-1)).toBe(id);
    expect(kept.left + visits.length).toBe(kept.size);
  }
});

test("there is an end to the number of reports, even of those of which nothing is kept", () => {
  const kept = new KeptDigests(maxSize);
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
  const kept = new KeptDigests(50_000);
  for (let id = 1; id <= 60; id += 1) kept.add(id % 2 ? aVisit(id) : aMeasurement(id));
  kept.takeChanges();
  const visits = ids(kept.all("visits"));
  const goneBefore = kept.left;
  kept.forgetAllBut(new Set([...visits.filter((id) => id % 3 === 0), 60]));
  expect(ids(kept.all("visits"))).toEqual(visits.filter((id) => id % 3 === 0));
  expect(kept.all("samples")).toMatchObject([{ route: "/60" }]);
  expect(kept.left).toBeLessThanOrEqual(goneBefore);
  expect([...kept.takeChanges()].sort()).toEqual(["samples", "visits"]);
  // The others still give up records in turn, and are forgotten in turn.
  for (let id = 61; id <= 2000; id += 1) kept.add(aVisit(id));
  expect(ids(kept.all("visits")).at(-1)).toBe(2000);
  kept.forgetBefore({ important: 1999, expendable: undefined });
  expect([kept.size, kept.left, ids(kept.all("visits"))]).toEqual([2, 0, [1999, 2000]]);
});
