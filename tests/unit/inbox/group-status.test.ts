import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { findDecidedGroup, findGroupById, groupErrors } from "@/lib/inbox/error-groups";
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

/** The real error with two events, and its group after a report whose stack led here from elsewhere. */
function forged() {
  const real = groupSeen([1000], [2000]);
  const made = groupSeen([3000]);
  const [report] = made.events;
  report.eventId = "f".repeat(32);
  report.firstGroup = "e".repeat(16);
  const groups = groupErrors([...real.events, report]);
  return { group: groups.find(({ id }) => id === real.id), foreignId: report.firstGroup };
}

test("a made-up report does not bring the decision about another error along", () => {
  const { group, foreignId } = forged();
  expect(group?.events).toHaveLength(3);
  expect(group && statusOf(group, decided(foreignId, "ignored", 5000))).toBe("open");
});

test("nothing is inherited from an id that is a group of its own", () => {
  const [other] = groupSeen([4000]).events;
  other.eventId = "d".repeat(32);
  other.group = "e".repeat(16);
  other.firstGroup = other.group;
  const [moved] = groupSeen([1000]).events;
  moved.firstGroup = other.group;
  const groups = groupErrors([moved, other]);
  const group = groups.find(({ id }) => id === moved.group);
  expect(group && statusOf(group, decided(other.group, "ignored", 5000))).toBe("open");
  const [alone] = groupErrors([moved]);
  expect(alone && statusOf(alone, decided(other.group, "ignored", 5000))).toBe("ignored");
});

test("a decision about an id that few of a group's errors had counts for no group", () => {
  const { group, foreignId } = forged();
  if (!group) throw new Error("Expected a group, got none");
  expect(findDecidedGroup([group], foreignId)).toBeUndefined();
  expect(findDecidedGroup([group], group.id)).toBe(group);
  expect(findGroupById([group], foreignId)).toBe(group);
});

test("a group whose events are the same stays the same object", () => {
  const group = groupSeen([1000], [2000]);
  const [again] = groupErrors(group.events, [group]);
  expect(again).toBe(group);
  const [less] = groupErrors(group.events.slice(1), [group]);
  expect(less).toMatchObject({ id: group.id, events: { length: 1 } });
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
