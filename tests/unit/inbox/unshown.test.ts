import { expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { formatter } from "@/lib/inbox/formatter";
import { KeptDigests, maxMemory } from "@/lib/inbox/kept-digests";
import { listView } from "@/lib/inbox/list-view";
import { unshownItems } from "@/lib/inbox/unshown";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

function items(...headers: Record<string, unknown>[]) {
  return headers.map((header) => ({
    type: String(header.type),
    header,
    payload: new Uint8Array(),
  }));
}

test.each([
  [[{ type: "event" }, { type: "transaction" }, { type: "client_report" }], undefined],
  [[{ type: "log", item_count: 12 }, { type: "log" }], { logs: 13 }],
  [[{ type: "trace_metric", item_count: 3 }], { metrics: 3 }],
  [[{ type: "check_in" }, { type: "session" }, { type: "sessions" }], { checkIns: 1, sessions: 2 }],
  [[{ type: "replay_event" }, { type: "replay_recording" }], { replays: 1 }],
  [[{ type: "profile" }, { type: "profile_chunk" }], { profiles: 2 }],
])("of %j, what is not shown is counted", (headers, counts) => {
  expect(unshownItems(items(...headers))).toEqual(counts);
});

test.each([[-5], [0], [1.5], ["7"], [null]])("a client's count of %j counts as one", (count) => {
  expect(unshownItems(items({ type: "log", item_count: count }))).toEqual({ logs: 1 });
});

test("no client makes the number more than a container can hold", () => {
  expect(unshownItems(items({ type: "log", item_count: 1e9 }))).toEqual({ logs: 1000 });
});

test("the numbers follow the reports that come and go", () => {
  const digests = new KeptDigests(maxMemory);
  const none = digests.unshown;
  for (const id of [1, 2]) digests.add(digest(stored(id, envelope([["check_in", {}]]))));
  expect(digests.unshown).toEqual({ checkIns: 2 });
  const two = digests.unshown;
  digests.add(digest(stored(3, envelope([["event", errorEvent()]]))));
  expect(digests.unshown).toBe(two);
  digests.forgetBefore({ important: 1, expendable: 2 });
  expect(digests.unshown).toEqual({ checkIns: 1 });
  expect(none).toEqual({});
});

test("the list names the kinds with their numbers, and none that there is nothing of", () => {
  const contents = {
    errors: [],
    routes: [],
    visits: [],
    reports: 1500,
    unshown: { metrics: 1200, logs: 3, profiles: 0 },
    unreadable: 0,
    left: 0,
    dropped: 0,
  };
  const asked = {
    name: "errors" as const,
    page: 1,
    filter: { search: "", parts: {}, state: undefined },
    values: { kind: [], release: [], environment: [], route: [], origin: [] },
    counts: { ignored: 0, others: 0 },
    messages: new Map(),
    feedback: [],
    feedbackCount: 0,
    setAside: 0,
  };
  const format = formatter(0);
  expect(listView(contents, asked, format).unshown).toEqual([
    { kind: "logs", count: "3" },
    { kind: "metrics", count: "1,200" },
  ]);
});
