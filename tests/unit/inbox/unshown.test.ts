import { expect, test } from "vitest";
import { unshownItems } from "@/lib/inbox/model/digest";

function items(...headers: Record<string, unknown>[]) {
  return headers.map((header) => ({
    type: String(header.type),
    header,
    payload: new Uint8Array(),
  }));
}

test.each([
  [[{ type: "event" }, { type: "transaction" }, { type: "client_report" }], {}],
  [[{ type: "log", item_count: 12 }, { type: "log" }], { logs: 13 }],
  [[{ type: "trace_metric", item_count: 3 }], { metrics: 3 }],
  [[{ type: "check_in" }, { type: "session" }], { checkIns: 1, sessions: 1 }],
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
