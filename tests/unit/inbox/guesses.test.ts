import { expect, test } from "vitest";
import { maxAddresses } from "@/lib/http/limits";
import { Guesses } from "@/lib/inbox/guesses";

/** Tries so many at once, and says how long each has to wait. */
function tryAtOnce(guesses: Guesses, address: string, times: number, now: number) {
  return Array.from({ length: times }, () => guesses.charge(address, now));
}

test("twenty tokens are free, later ones wait a tenth of a second each, and none for more than 5 s", () => {
  const guesses = new Guesses();
  const waits = tryAtOnce(guesses, "one", 100, 0);
  expect(waits.slice(0, 20)).toEqual(Array(20).fill(0));
  expect(waits.slice(20, 70)).toEqual(Array.from({ length: 50 }, (_, at) => (at + 1) * 100));
  expect(waits.slice(70)).toEqual(Array(30).fill(undefined));
});

test("no address tries more than ten a second in the long run", () => {
  const guesses = new Guesses();
  let heard = 0;
  for (let now = 0; now < 60_000; now += 10) {
    if (guesses.charge("one", now) !== undefined) heard += 1;
  }
  expect(heard).toBeLessThanOrEqual(20 + 50 + 600);
});

test("whoever waits is free again, and so is who had the right one; others never waited", () => {
  const guesses = new Guesses();
  tryAtOnce(guesses, "one", 100, 0);
  expect(guesses.charge("other", 0)).toBe(0);
  expect(tryAtOnce(guesses, "one", 20, 7_000)).toEqual(Array(20).fill(0));
  guesses.forgive("one");
  expect(tryAtOnce(guesses, "one", 20, 7_000)).toEqual(Array(20).fill(0));
});

test("ever new addresses share one pace, and those that were here before keep theirs", () => {
  const guesses = new Guesses();
  for (let n = 0; n < maxAddresses; n += 1) guesses.charge(`address ${n}`, 0);
  const waits = Array.from({ length: 100 }, (_, n) => guesses.charge(`new ${n}`, 0));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(30);
  expect(guesses.charge("address 7", 0)).toBe(0);
  expect(guesses.charge("much later", 60_000)).toBe(0);
});
