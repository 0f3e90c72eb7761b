import { expect, test } from "vitest";
import { ReportLimit, reportKey } from "@/packages/sentry/src/server/report-limit";

const minute = 60_000;

/** A limit whose clock stands still until it is told the time. */
function startLimit() {
  let time = 0;
  let made = 0;
  const limit = new ReportLimit(() => time);
  return {
    passTime: (ms: number) => {
      time += ms;
    },
    take: (key: string) => limit.take(key, `event ${++made}`),
    /** How many of so many reports may be made. */
    allowed: (count: number, keyOf: (n: number) => string) => {
      const answers = Array.from({ length: count }, (_, n) => limit.take(keyOf(n), `${n}`));
      return answers.filter(({ allowed }) => allowed).length;
    },
  };
}

test("of reports that are alike, a hundred are made at once, and ten a minute after that", () => {
  const { allowed, passTime } = startLimit();
  expect(allowed(10_000, () => "alike")).toBe(100);
  passTime(minute);
  expect(allowed(10_000, () => "alike")).toBe(10);
  passTime(60 * minute);
  expect(allowed(10_000, () => "alike")).toBe(100);
  expect(allowed(50, () => "another")).toBe(50);
});

test("of all reports together, five hundred are made at once, and a hundred a minute after that", () => {
  const { allowed, passTime } = startLimit();
  expect(allowed(10_000, (n) => `kind ${n}`)).toBe(500);
  passTime(minute);
  expect(allowed(10_000, (n) => `other kind ${n}`)).toBe(100);
});

test("what is one too many goes by the latest that is alike, if there is one", () => {
  const { take, allowed } = startLimit();
  for (let n = 1; n <= 100; n += 1) {
    expect(take("alike")).toEqual({ allowed: true, latest: `event ${n}` });
  }
  expect(take("alike")).toEqual({ allowed: false, latest: "event 100" });
  allowed(400, (n) => `kind ${n}`);
  expect(take("never seen")).toEqual({ allowed: false, latest: undefined });
  expect(take("alike")).toEqual({ allowed: false, latest: "event 100" });
});

test("kinds that come without end are forgotten, the oldest first", () => {
  const { take, allowed, passTime } = startLimit();
  allowed(101, () => "first");
  passTime(4 * minute);
  for (let n = 0; n < 2_000; n += 1) {
    take(`kind ${n}`);
    if (n === 500) expect(take("first").latest).toBeDefined();
  }
  expect(take("first").latest).toBeUndefined();
});

test("errors are alike that are thrown at the same place of the same route", () => {
  const fail = (message: string) => new Error(message);
  const failure = { mechanism: "test", route: "/server" };
  const key = reportKey(fail("id 1 not found"), failure);
  expect(reportKey(fail("id 2\n    at forged (/file.js:1:1)"), failure)).toBe(key);
  expect(reportKey(fail("id 1 not found"), { ...failure, route: "/other" })).not.toBe(key);
  expect(reportKey(fail("id 1 not found"), { ...failure, mechanism: "other" })).not.toBe(key);
  expect(reportKey(new Error("id 1 not found"), failure)).not.toBe(key);
});

test("what has no stack is alike if its words are, and any thrown value has a key", () => {
  const failure = { mechanism: "test" };
  expect(reportKey("id 12 not found", failure)).toBe(reportKey("id 77 not found", failure));
  expect(reportKey("one", failure)).not.toBe(reportKey("two", failure));
  const stackless = Object.assign(new Error("x".repeat(1_000_000)), { stack: undefined });
  for (const thrown of [undefined, null, 7, Symbol("x"), Object.create(null), stackless]) {
    expect(reportKey(thrown, failure).length).toBeLessThanOrEqual(500);
  }
});
