import { expect, it } from "vitest";
import { categorySet, everyCategory, isUnwanted } from "@/packages/relay/src/categories";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
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

it("tells when each limit ends", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "60:error;span:organization, 90::organization" });
  clock.now += 1000;
  expect(limits.remaining()).toEqual({ error: 59_000, span: 59_000, all: 89_000 });
  clock.now += 59_000;
  expect(limits.remaining()).toEqual({ all: 30_000 });
});

it.each<[string[], boolean]>([
  [["transaction"], true],
  [["transaction", "span"], true],
  [["transaction", "internal"], false],
  [["transaction", "session"], false],
  [["transaction", "error"], false],
  [["error"], false],
  [["feedback"], false],
  [["internal"], false],
])("says whether %j is not wanted while measurements are limited: %j", (names, unwanted) => {
  const limited = categorySet(["transaction", "span", "error", "feedback"]);
  expect(isUnwanted(categorySet(names), limited)).toBe(unwanted);
});

it.each<[string[], "send" | "wait" | "drop"]>([
  [["error"], "wait"],
  [["error", "attachment"], "wait"],
  [["feedback", "attachment"], "send"],
  [["attachment"], "wait"],
  [["span"], "wait"],
  [["transaction"], "drop"],
  [["transaction", "profile"], "send"],
  [["transaction", "span"], "wait"],
  [["transaction", "internal"], "send"],
  [["internal"], "send"],
])("says what becomes of %j: %s", (names, expected) => {
  const { limits } = limitsAt();
  const short = "60:error;attachment;span:organization";
  limits.learn(200, { "x-sentry-rate-limits": `${short}, 3600:transaction:organization` });
  expect(limits.mayGo(categorySet(names))).toBe(expected);
});

it("when all is limited for long, keeps client reports and what is of high priority", () => {
  const { limits } = limitsAt();
  limits.learn(429, { "retry-after": "3600" });
  const becomes = (...names: string[]) => limits.mayGo(categorySet(names));
  expect([becomes("error"), becomes("attachment"), becomes("internal")]).toEqual(
    Array(3).fill("wait"),
  );
  expect([becomes("span"), becomes("session", "internal")]).toEqual(["drop", "drop"]);
});

it("limits measurements that are refused by a name it doesn't know, and never errors", () => {
  const { limits } = limitsAt();
  const spans = categorySet(["span"]);
  const headers = { "x-sentry-rate-limits": "600:tomorrow:organization" };
  expect(limits.learn(429, headers, error)).toBe(0);
  expect(limits.learn(429, headers, spans)).toBe(spans);
  expect([namesOf(limits), limits.wait(spans)]).toEqual(["span", 60_000]);
});

it("holds errors for a few seconds, not what is attached to them, and tells no SDK", () => {
  const { limits, clock } = limitsAt();
  limits.hold(categorySet(["error", "attachment", "transaction", "internal"]));
  expect(limits.limited()).toBe(error);
  expect([limits.limitedForLong(), limits.header()]).toEqual([0, undefined]);
  clock.now += 4000;
  limits.hold(categorySet(["feedback"]));
  expect(limits.limited()).toBe(categorySet(["error", "feedback"]));
  clock.now += 5000;
  limits.hold(categorySet(["attachment"]));
  expect(limits.limited()).toBe(categorySet(["attachment"]));
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
  ["601:transaction:organization", false],
  ["3600::organization", false],
  ["600:transaction:organization", true],
  ["86400:error;span;session:organization", true],
])("with %j, measuring is worth its cost: %j", (header, worth) => {
  const { limits } = limitsAt();
  expect(limits.takesMeasurements()).toBe(true);
  limits.learn(200, { "x-sentry-rate-limits": header });
  expect(limits.takesMeasurements()).toBe(worth);
});

it("measures again at the very end of a long limit", () => {
  const { limits, clock } = limitsAt();
  limits.learn(200, { "x-sentry-rate-limits": "3600:transaction:organization" });
  clock.now += 3_599_000;
  limits.learn(200, { "x-sentry-rate-limits": "60:transaction:organization" });
  expect(limits.takesMeasurements()).toBe(false);
  clock.now += 1000;
  // The service goes on refusing for a minute.
  expect(limits.takesMeasurements()).toBe(false);
  clock.now += 59_000;
  expect(limits.takesMeasurements()).toBe(true);
});

it("short limits of measurements that follow each other are a long one, unless one is taken", () => {
  let now = 1_000_000;
  const limits = new ServiceLimits(() => now);
  const transaction = categorySet(["transaction"]);
  const refuse = () =>
    limits.learn(429, { "x-sentry-rate-limits": "300:transaction:key" }, transaction);
  const minutes = (count: number) => {
    now += count * 60_000;
  };
  for (const expected of [true, false, false, false]) {
    refuse();
    expect(limits.takesMeasurements()).toBe(expected);
    minutes(5.5);
    expect(limits.takesMeasurements()).toBe(true);
  }
  limits.learn(200, {}, categorySet(["error"]));
  refuse();
  expect(limits.takesMeasurements()).toBe(false);
  minutes(5.5);
  limits.learn(200, {}, transaction);
  refuse();
  expect(limits.takesMeasurements()).toBe(true);
  minutes(20);
  for (const expected of [true, true]) {
    refuse();
    expect(limits.takesMeasurements()).toBe(expected);
    minutes(5 + 11);
  }
});
