import { expect, test } from "vitest";
import { startsOfDays, statusOf } from "@/lib/inbox/model/error-groups";

test("an error is open until somebody decides about it", () => {
  expect(statusOf({ lastAt: 1000, state: null, since: 0 })).toBe("open");
  expect(statusOf({ lastAt: 1000, state: "resolved", since: 2000 })).toBe("resolved");
  expect(statusOf({ lastAt: 1000, state: "ignored", since: 2000 })).toBe("ignored");
});

test("a resolved error that is seen again comes back, an ignored one does not", () => {
  expect(statusOf({ lastAt: 3000, state: "resolved", since: 2000 })).toBe("came-back");
  expect(statusOf({ lastAt: 3000, state: "resolved", since: 3000 })).toBe("resolved");
  expect(statusOf({ lastAt: 3000, state: "ignored", since: 2000 })).toBe("ignored");
});

test("days begin at midnight in UTC, today last", () => {
  const now = Date.UTC(2026, 4, 7, 0, 30);
  expect(startsOfDays(now).map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(
    ["01", "02", "03", "04", "05", "06", "07"].map((day) => `2026-05-${day}`),
  );
});
