import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mayTryToken } from "@/lib/inbox/access";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Tries as many tokens at once, and counts those that have been allowed so far. */
function tryAtOnce(address: string, times: number) {
  const outcomes = { allowed: 0, refused: 0 };
  for (let n = 0; n < times; n += 1) {
    void mayTryToken(address).then((may) => {
      outcomes[may ? "allowed" : "refused"] += 1;
    });
  }
  return outcomes;
}

test("twenty tokens may be tried at once, then ten a second, and none after more than 5 s", async () => {
  const outcomes = tryAtOnce("one", 200);
  await vi.advanceTimersByTimeAsync(0);
  expect(outcomes).toEqual({ allowed: 20, refused: 140 });
  await vi.advanceTimersByTimeAsync(2_010);
  expect(outcomes.allowed).toBe(40);
  await vi.advanceTimersByTimeAsync(2_010);
  expect(outcomes).toEqual({ allowed: 60, refused: 140 });
});

test("no address tries more than ten a second in the long run, however often it asks", async () => {
  let allowed = 0;
  for (let time = 0; time < 60_000; time += 20) {
    void mayTryToken("two").then((may) => {
      if (may) allowed += 1;
    });
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(allowed).toBeGreaterThan(500);
  expect(allowed).toBeLessThanOrEqual(620);
});

test("an address that has waited is free again, and others never wait", async () => {
  tryAtOnce("three", 20);
  await vi.advanceTimersByTimeAsync(2_010);
  const again = tryAtOnce("three", 20);
  const other = tryAtOnce("four", 20);
  await vi.advanceTimersByTimeAsync(0);
  expect([again.allowed, other.allowed]).toEqual([20, 20]);
});

test("tries that are refused don't make a later one wait longer", async () => {
  tryAtOnce("five", 200);
  await vi.advanceTimersByTimeAsync(1_500);
  const later = tryAtOnce("five", 1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(later).toEqual({ allowed: 1, refused: 0 });
});
