import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { groupErrors } from "@/lib/inbox/error-groups";
import { byGroup, isNew, statusOf } from "@/lib/inbox/group-status";
import { countDays, startsOfDays } from "@/lib/inbox/recent-days";
import type { GroupState } from "@/lib/outbox/outbox";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

/** One group of errors, seen at these times, each in a release. */
function groupSeen(...events: [at: number, release?: string][]) {
  const records = events.flatMap(([receivedAt, release], i) => {
    const bytes = envelope([["event", errorEvent({ release })]]);
    return digest(stored(i + 1, bytes, { receivedAt })).errors;
  });
  const [group] = groupErrors(records);
  if (!group) throw new Error("Expected a group, got none");
  return group;
}

const decided = (group: string, state: GroupState["state"], since: number) =>
  byGroup([{ group, state, since }]);

test("an error is open until somebody decides about it", () => {
  const group = groupSeen([1000]);
  expect(statusOf(group, byGroup([]))).toBe("open");
  expect(statusOf(group, decided("another", "resolved", 2000))).toBe("open");
  expect(statusOf(group, decided(group.id, "resolved", 2000))).toBe("resolved");
  expect(statusOf(group, decided(group.id, "ignored", 2000))).toBe("ignored");
});

test("a resolved error that is seen again comes back, an ignored one does not", () => {
  const group = groupSeen([1000], [3000]);
  expect(statusOf(group, decided(group.id, "resolved", 2000))).toBe("came-back");
  expect(statusOf(group, decided(group.id, "resolved", 3000))).toBe("resolved");
  expect(statusOf(group, decided(group.id, "ignored", 2000))).toBe("ignored");
});

test("a decision outlives the id that the group had before its stacks were resolved", () => {
  const group = groupSeen([1000]);
  const [event] = group.events;
  event.group = "f".repeat(16);
  const [moved] = groupErrors(group.events);
  if (!moved) throw new Error("Expected a group, got none");
  expect(moved.id).not.toBe(group.id);
  expect(statusOf(moved, decided(group.id, "resolved", 2000))).toBe("resolved");
  const both = byGroup([
    { group: group.id, state: "resolved", since: 1500 },
    { group: moved.id, state: "ignored", since: 2000 },
  ]);
  expect(statusOf(moved, both)).toBe("ignored");
});

test("an error is new where its first occurrence is of the release that runs", () => {
  expect(isNew(groupSeen([1, "2.0"], [2, "2.0"]), "2.0")).toBe(true);
  expect(isNew(groupSeen([1, "1.0"], [2, "2.0"]), "2.0")).toBe(false);
  expect(isNew(groupSeen([1, "2.0"], [2, "1.0"]), "2.0")).toBe(true);
  expect(isNew(groupSeen([1]), "2.0")).toBe(false);
});

test("occurrences count for their day in UTC, and those of other weeks for none", () => {
  const now = Date.UTC(2026, 4, 7, 0, 30);
  const hour = 3600 * 1000;
  const { events } = groupSeen([now], [now - hour], [now - 25 * hour], [now - 7 * 24 * hour]);
  expect(countDays(events, now)).toEqual([0, 0, 0, 0, 1, 1, 1]);
  expect(startsOfDays(now).map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(
    ["01", "02", "03", "04", "05", "06", "07"].map((day) => `2026-05-${day}`),
  );
});
