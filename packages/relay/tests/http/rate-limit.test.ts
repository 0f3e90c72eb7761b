import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rateKey } from "@/packages/relay/src/http/client";
import { maxKeys, RateLimit, sharedCounts } from "@/packages/relay/src/http/rates";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

it("allows its maximum in each window, says how long to wait, and counts each key separately", async () => {
  const limit = new RateLimit({ max: 2 });
  expect([await limit.take("one"), await limit.take("one")]).toEqual([0, 0]);
  expect(await limit.take("one")).toBe(60);
  expect(await limit.take("other")).toBe(0);
  vi.advanceTimersByTime(45_500);
  expect(await limit.take("one")).toBe(15);
  vi.advanceTimersByTime(15_000);
  expect(await limit.take("one")).toBe(0);
});

it("counts a request that turned out to cost more again, and refuses it only when others had used all", async () => {
  const limit = new RateLimit({ max: 10 });
  await limit.take("one");
  expect(await limit.charge("one", 0)).toBe(0);
  expect(await limit.charge("one", 100)).toBe(0);
  expect(await limit.take("one")).toBe(60);
  expect(await limit.charge("one", 1)).toBe(60);
  expect(await limit.charge("other", 10)).toBe(0);
});

it("lets one client that fills its memory of keys hardly get in the way of the next ones", async () => {
  const limit = new RateLimit({ max: 1 });
  for (let n = 0; n < maxKeys; n++) expect(await limit.take(`known ${n}`)).toBe(0);
  for (let n = 0; n < 100; n++) await limit.take(`one too many ${n}`);
  const waits = await Promise.all(
    Array.from({ length: 100 }, (_, n) => limit.take(`newcomer ${n}`)),
  );
  // One in ten shares its count with one of those before, a few with each other.
  expect(waits.filter((wait) => wait > 0).length).toBeLessThan(40);
  expect(await limit.take("known 7")).toBeGreaterThan(0);
});

it("counts all keys beyond those it can remember in a bounded number of counts", async () => {
  const limit = new RateLimit({ max: 1 });
  for (let n = 0; n < maxKeys; n++) await limit.take(`known ${n}`);
  let allowed = 0;
  for (let n = 0; n < 20 * sharedCounts; n++) {
    if ((await limit.take(`further ${n}`)) === 0) allowed += 1;
  }
  expect(allowed).toBeLessThanOrEqual(sharedCounts);
  expect(allowed).toBeGreaterThan(0.9 * sharedCounts);
});

it("lets requests wait for their turn, and refuses at once those that would wait for too long", async () => {
  const limit = new RateLimit({ max: 2, windowSeconds: 2 });
  const outcomes: (boolean | "waits")[] = Array(10).fill("waits");
  outcomes.forEach(async (_, n) => {
    outcomes[n] = await limit.takeOrWait("one", 5_000);
  });
  await vi.advanceTimersByTimeAsync(0);
  const refused = Array(4).fill(false);
  expect(outcomes).toEqual([true, true, ...Array(4).fill("waits"), ...refused]);
  expect(await limit.takeOrWait("other", 5_000)).toBe(true);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(outcomes).toEqual([...Array(4).fill(true), "waits", "waits", ...refused]);
  await vi.advanceTimersByTimeAsync(2_001);
  expect(outcomes).toEqual([...Array(6).fill(true), ...refused]);
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:0db8:0000:0000:1::", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  [undefined, "unknown"],
])("counts %s as %s", (address, key) => {
  expect(rateKey(address)).toBe(key);
});
