import { describe, expect, it } from "vitest";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { categorySet, everyCategory } from "@/packages/relay/src/envelope/categories";
import { namesOf } from "@/tests/support/limited-names";

function limitsAt() {
  const clock = { now: 1_000_000 };
  return { limits: new ServiceLimits(() => clock.now), clock };
}

const error = categorySet(["error"]);

it.each([
  ["60:error:organization:quota", error, 60],
  ["60:error;span:project", categorySet(["error", "span"]), 60],
  ["60::organization", everyCategory, 60],
  ["60:error:organization, 10:span:organization", categorySet(["error", "span"]), 60],
  ["nonsense:error:organization", error, 60],
  ["-5:error:organization", error, 60],
  ["99999999999:error:organization", error, 86_400],
  ["60:metric_bucket:organization::custom", categorySet(["metric_bucket"]), 60],
])("reads %j", (header, categories, seconds) => {
  const { limits } = limitsAt();
  expect(limits.learn(200, { "x-sentry-rate-limits": header })).toBe(categories);
  expect(limits.limited()).toBe(categories);
  expect(limits.wait(categories)).toBe(seconds * 1000);
});

it.each([
  "",
  ",",
  "0:error:organization",
  "60:metric_bucket:organization::other",
  "60:<b>:organization",
])("finds no limit in %j", (header) => {
  const { limits } = limitsAt();
  expect(limits.learn(429, { "x-sentry-rate-limits": header })).toBe(0);
  expect(limits.limited()).toBe(0);
  expect(limits.header()).toBeUndefined();
});

it.each([
  [undefined, 60],
  ["12", 12],
  ["1.5", 2],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30],
  ["nonsense", 60],
])("waits with everything after a 429 with Retry-After %j", (retryAfter, seconds) => {
  const { limits } = limitsAt();
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  limits.learn(429, { "retry-after": retryAfter, date });
  expect(limits.limited()).toBe(everyCategory);
  expect(limits.wait(error)).toBe(seconds * 1000);
});

it("keeps no categories that it doesn't know, however many a service makes up", () => {
  const { limits } = limitsAt();
  for (let n = 0; n < 1000; n++) {
    const names = Array.from({ length: 100 }, (_, i) => `c${"x".repeat(n % 30)}_${"ab"[i % 2]}`);
    limits.learn(200, { "x-sentry-rate-limits": `86400:${names.join(";")}:organization` });
  }
  expect(limits.limited()).toBe(0);
  expect(limits.header()).toBeUndefined();
  limits.learn(200, { "x-sentry-rate-limits": "60:tomorrow;error:organization" });
  expect(namesOf(limits)).toBe("error");
});

it("forgets a limit when its time is over, and never shortens one", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "60:span:organization" });
  limits.learn(200, { "x-sentry-rate-limits": "10:span:organization" });
  clock.now += 59_500;
  expect(limits.header()).toBe("1:span:organization");
  clock.now += 500;
  expect(limits.limited()).toBe(0);
});

it("lets reports about lost reports pass every limit but one on everything", () => {
  const { limits } = limitsAt();
  const internal = categorySet(["internal"]);
  limits.learn(200, { "x-sentry-rate-limits": "60:internal:organization" });
  expect([limits.limited(), limits.wait(internal)]).toEqual([0, 0]);
  limits.learn(200, { "x-sentry-rate-limits": "60::organization" });
  expect([limits.limited(), limits.wait(internal)]).toEqual([everyCategory, 60_000]);
});

it("gives categories limited together one end, however fast the clock runs", () => {
  let now = 0;
  const limits = new ServiceLimits(() => now++);
  limits.learn(200, { "x-sentry-rate-limits": "60:transaction;span;session:organization" });
  expect(limits.header()).toBe("60:transaction;span;session:organization");
});

it("tells limits that last longer than a minute from those that don't", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "60:error:organization, 120:transaction:project" });
  expect(limits.limitedForLong()).toBe(categorySet(["transaction"]));
  clock.now += 60_000;
  expect(limits.limitedForLong()).toBe(0);
  expect(limits.limited()).toBe(categorySet(["transaction"]));
});

it("tells when each limit ends, beside one on everything those that end later", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "90:error;span:organization, 10:session:project" });
  clock.now += 1000;
  expect(limits.remaining()).toEqual({ error: 89_000, span: 89_000, session: 9000 });
  limits.learn(200, { "x-sentry-rate-limits": "60::organization" });
  expect(limits.remaining()).toEqual({ error: 89_000, span: 89_000, all: 60_000 });
  clock.now += 60_000;
  expect(limits.remaining()).toEqual({ error: 29_000, span: 29_000 });
  clock.now += 29_000;
  expect(limits.remaining()).toEqual({});
});

it.each<[string[], boolean]>([
  [["error"], false],
  [["error", "attachment"], false],
  [["feedback", "attachment"], true],
  [["attachment"], false],
  [["span"], false],
  [["transaction"], false],
  [["transaction", "profile"], true],
  [["transaction", "span"], false],
  [["transaction", "internal"], true],
  [["internal"], true],
])("says whether %j may go: %s", (names, expected) => {
  const { limits } = limitsAt();
  const short = "60:error;attachment;span:organization";
  limits.learn(200, { "x-sentry-rate-limits": `${short}, 3600:transaction:organization` });
  expect(limits.mayGo(categorySet(names))).toBe(expected);
});

it("lets nothing go while all is limited, client reports neither", () => {
  const { limits } = limitsAt();
  limits.learn(429, { "retry-after": "3600" });
  for (const name of ["error", "attachment", "span", "session", "internal"]) {
    expect(limits.mayGo(categorySet([name]))).toBe(false);
  }
});

describe("refused by a limit whose name it doesn't know,", () => {
  const headers = { "x-sentry-rate-limits": "600:tomorrow:organization" };

  it("measurements are limited for a minute", () => {
    const { limits } = limitsAt();
    const spans = categorySet(["span"]);
    expect(limits.learn(429, headers, spans | categorySet(["internal"]))).toBe(0);
    expect([namesOf(limits), limits.wait(spans)]).toEqual(["span", 60_000]);
  });

  it("errors wait for a few seconds, not what is attached to them, and no SDK is told", () => {
    const { limits, clock } = limitsAt();
    const refuse = (...names: string[]) => limits.learn(429, headers, categorySet(names));
    expect(refuse("error", "attachment", "transaction", "internal")).toBe(0);
    expect(limits.limited()).toBe(error);
    expect([limits.limitedForLong(), limits.header()]).toEqual([0, undefined]);
    clock.now += 4000;
    refuse("feedback");
    expect(limits.limited()).toBe(categorySet(["error", "feedback"]));
    clock.now += 5000;
    refuse("attachment");
    expect(limits.limited()).toBe(categorySet(["attachment"]));
  });
});

it.each([
  ["attachment_item", "attachment"],
  ["log_byte", "log_item"],
])("takes a limit of %s for one of %s", (name, known) => {
  const { limits } = limitsAt();
  limits.learn(429, { "x-sentry-rate-limits": `60:${name}:organization` });
  expect(namesOf(limits)).toBe(known);
});

it.each([
  ["86400:transaction;span:organization", false],
  ["61:transaction:organization", false],
  ["3600::organization", false],
  ["60:transaction:organization", true],
  ["86400:error;span;session:organization", true],
])("with %j, measuring is worth its cost: %j", (header, worth) => {
  const { limits } = limitsAt();
  expect(limits.takesMeasurements()).toBe(true);
  limits.learn(200, { "x-sentry-rate-limits": header });
  expect(limits.takesMeasurements()).toBe(worth);
});

it("measures again when measurements may wait for the end of the limit", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "3600:transaction:organization" });
  clock.now += 3_539_999;
  expect(limits.takesMeasurements()).toBe(false);
  clock.now += 1;
  expect(limits.takesMeasurements()).toBe(true);
});
