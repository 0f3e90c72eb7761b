import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rateKey } from "@/packages/relay/src/http/client";
import { ClientLimit, maxKeys } from "@/packages/relay/src/http/rates";

const [one, other] = ["192.0.2.1", "192.0.2.2"];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

it("allows its maximum in each window, says how long to wait, and counts each address separately", () => {
  const limit = new ClientLimit({ max: 2, networkMax: 2 });
  expect([limit.take(one), limit.take(one)]).toEqual([undefined, undefined]);
  expect(limit.take(one)).toEqual({ by: "address", seconds: 60 });
  expect(limit.take(other)).toBeUndefined();
  vi.advanceTimersByTime(45_500);
  expect(limit.take(one)?.seconds).toBe(15);
  vi.advanceTimersByTime(15_000);
  expect(limit.take(one)).toBeUndefined();
});

it("counts what turned out to cost more again, and refuses it only when others had used all", () => {
  const limit = new ClientLimit({ max: 10, networkMax: 10 });
  limit.take(one);
  expect(limit.charge(one, 0)).toBeUndefined();
  expect(limit.charge(one, 100)).toBeUndefined();
  expect(limit.take(one)?.seconds).toBe(60);
  expect(limit.charge(one, 1)?.seconds).toBe(60);
  expect(limit.charge(other, 10)).toBeUndefined();
});

it("counts for nobody what was allowed and has not been done", () => {
  const limit = new ClientLimit({ max: 3, networkMax: 4, totalMax: 4 });
  const [first, second] = ["2001:db8:1:1::1", "2001:db8:1:2::1"];
  limit.take(first, 3);
  limit.giveBack(first, 3);
  expect([limit.take(first, 3), limit.take(second)]).toEqual([undefined, undefined]);
  expect(limit.take(second)?.by).toBe("network");
  expect(limit.take(one)?.by).toBe("all");
  vi.advanceTimersByTime(60_000);
  limit.giveBack(first, 3);
  expect(limit.take(first, 3)).toBeUndefined();
  expect(limit.take(first)?.by).toBe("address");
});

/** @returns the address of that number, from 0 to 2^24 */
const numbered = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

it("limits all addresses together, for a window", () => {
  const limit = new ClientLimit({ max: 1, networkMax: 1, totalMax: 1000 });
  let allowed = 0;
  for (let n = 0; n < 2000; n++) if (!limit.take(numbered(n))) allowed += 1;
  expect(allowed).toBe(1000);
  expect(limit.take(one)?.by).toBe("all");
  vi.advanceTimersByTime(60_000);
  expect(limit.take(one)).toBeUndefined();
  expect(limit.take(one)?.by).toBe("address");
});

it("limits an address that it knows, whatever comes from new ones, and these in a bounded number of counts", () => {
  const limit = new ClientLimit({ max: 1, networkMax: 1 });
  let allowed = 0;
  for (let n = 0; n < 2 * maxKeys; n++) if (!limit.take(numbered(n))) allowed += 1;
  expect(limit.take(numbered(7))?.by).toBe("address");
  expect(allowed - maxKeys).toBeGreaterThan(900);
  expect(allowed - maxKeys).toBeLessThanOrEqual(1000);
});

it("takes no count from others for what it refuses to ever new addresses, or gives back of nothing", () => {
  const limit = new ClientLimit({ max: 1, networkMax: 100 });
  let allowed = 0;
  for (let n = 0; n < 2 * maxKeys; n++) {
    if (!limit.take(`2001:db8:1:${n.toString(16)}::1`)) allowed += 1;
  }
  expect(allowed).toBe(100);
  for (let n = 0; n < maxKeys; n++) limit.giveBack(`2001:db8:2:${n.toString(16)}::1`, 0);
  const others = Array.from({ length: 100 }, (_, n) => limit.take(numbered(n)));
  expect(others.filter((refused) => refused)).toEqual([]);
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
