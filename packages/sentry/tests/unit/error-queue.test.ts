// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from "vitest";

let module: typeof import("@/packages/sentry/src/browser/first-load/error-queue");

beforeEach(async () => {
  vi.resetModules();
  module = await import("@/packages/sentry/src/browser/first-load/error-queue");
});

afterEach(() => {
  vi.useRealTimers();
});

test("an error waits in the queue under the reference that its reporter got", () => {
  const error = new Error("x");
  const before = Date.now() - 1;
  const reference = module.queueError(error);
  expect(reference).toMatch(/^[\da-f]{32}$/);
  const [reported, ...others] = module.takeErrors();
  expect(reported).toMatchObject({ error, reference });
  expect(reported?.at).toBeGreaterThan(before);
  expect(others).toEqual([]);
  expect(module.takeErrors()).toEqual([]);
});

test("an error's time is right after the machine has slept, during which one clock stood still", () => {
  const now = 1_800_000_000_000;
  vi.spyOn(Date, "now").mockReturnValue(now);
  vi.spyOn(performance, "now").mockReturnValue(5000);
  const event = new ErrorEvent("error");
  Object.defineProperty(event, "timeStamp", { value: 4750 });
  module.queueError("now");
  module.queueError("a quarter of a second ago", undefined, { event });
  vi.restoreAllMocks();
  expect(module.takeErrors().map(({ at }) => at)).toEqual([now, now - 250]);
});

test("an error keeps the page that it happened on", () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/dynamic/[id]" } });
  history.replaceState(null, "", "/dynamic/a");
  module.queueError(new Error("x"));
  Object.assign(window, { __NEXT_DATA__: { page: "/server" } });
  history.replaceState(null, "", "/server");
  const url = "http://localhost:3000/dynamic/a";
  expect(module.takeErrors()).toMatchObject([{ route: "/dynamic/[id]", url }]);
});

test("an error can be reported before Next's code runs", () => {
  Object.assign(window, { __NEXT_DATA__: undefined });
  module.queueError(new Error("x"));
  expect(module.takeErrors()).toHaveLength(1);
});

test("an error that is reported twice is queued once and keeps its reference", () => {
  const error = new Error("x");
  const reference = module.queueError(error);
  expect(module.queueError(error, { type: "signpost.navigation", handled: false })).toBe(reference);
  expect(module.takeErrors()).toHaveLength(1);
});

test("a thrown text may be reported again", () => {
  const [first, second] = [1, 2].map(() => module.queueError("x"));
  expect(first).not.toBe(second);
  expect(module.takeErrors()).toHaveLength(2);
});

test("where `init` is never called, as many wait as a page has room for, however long it is open", () => {
  const now = vi.spyOn(performance, "now");
  for (let hour = 0; hour < 24; hour++) {
    now.mockReturnValue(hour * 3_600_000);
    for (let n = 0; n < 40; n++) module.queueError(new Error(`${hour} ${"x".repeat(n)}`));
  }
  now.mockRestore();
  expect([module.takeErrors().length, module.dropped]).toEqual([100, 24 * 40 - 100]);
});

/** Reports so many errors with this message, and counts those that are queued. */
function queued(count: number, message: string): number {
  for (let n = 0; n < count; n++) module.queueError(new Error(message));
  return module.takeErrors().length;
}

test("of one kind twenty errors are queued, of all together fifty, taken or not", () => {
  expect(queued(15, "poll 1 failed")).toBe(15);
  expect(queued(15, "poll 2 failed")).toBe(5);
  expect(queued(15, "another")).toBe(15);
  // Those of the first kind that were too many are none of the fifty.
  expect(queued(20, "a third")).toBe(15);
});

test("what is too many is counted, and after ten minutes there is room again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  expect(queued(25, "poll failed")).toBe(20);
  expect(module.dropped).toBe(5);
  vi.advanceTimersByTime(600_001);
  expect(queued(25, "poll failed")).toBe(20);
});

test("the last state takes the errors that wait, and each one after", () => {
  const calls: string[] = [];
  module.enter("loading", () => calls.push("first"));
  expect(calls).toEqual([]);
  module.queueError(new Error());
  module.enter("loading", () => calls.push("second"));
  module.queueError(new Error());
  expect(calls).toEqual(["first", "second", "second"]);
});
