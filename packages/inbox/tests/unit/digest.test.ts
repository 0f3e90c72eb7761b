import { describe, expect, test } from "vitest";
import { digest, unshownItems } from "@/packages/inbox/src/model/digest";
import { findEvent } from "@/packages/inbox/src/model/events";
import {
  envelope,
  errorEvent,
  feedbackEvent,
  someEventId,
  stored,
} from "@/tests/support/envelopes";

describe("an error", () => {
  test("is known by its type, message, route, release and first own frame", () => {
    const event = errorEvent();
    const { errors, unreadable } = digest(stored(1, envelope([["event", event]])));
    expect(unreadable).toBe(0);
    expect(errors).toEqual([
      expect.objectContaining({
        row: expect.objectContaining({
          event_id: event.event_id,
          report_id: 1,
          type: "TypeError",
          message: "nothing there",
          route: "/failures/client-event",
          release: "1.0.0",
          origin: "browser",
        }),
      }),
    ]);
  });

  test.each<[what: string, event: Record<string, unknown>, row: Record<string, unknown>]>([
    [
      "has causes goes by the exception that was reported",
      {
        exception: {
          values: [
            { type: "RangeError", value: "the cause" },
            { type: "TypeError", value: "what was thrown" },
          ],
        },
      },
      { type: "TypeError", message: "what was thrown" },
    ],
    [
      "is a plain message goes by its level",
      { exception: undefined, level: "warning", message: "disk is filling" },
      { kind: "message", type: "warning", message: "disk is filling" },
    ],
    [
      "waited on the client is dated back by the time it waited",
      { timestamp: 1000 },
      { seen_at: 5_000_000_000 - 60_000 },
    ],
    [
      "comes from a clock that runs ahead is dated when it arrived",
      { timestamp: 9_999_999_999 },
      { seen_at: 5_000_000_000 },
    ],
    [
      "is very long is cut, and control characters don't get through",
      { exception: { values: [{ type: "E\u0000rror\ud800", value: "x".repeat(100_000) }] } },
      { type: "E\ufffdrror\ufffd", message: `${"x".repeat(199)}…` },
    ],
  ])("that %s", (_, event, row) => {
    const sent = { sent_at: new Date(1_060_000).toISOString() };
    const bytes = envelope([["event", errorEvent(event)]], sent);
    const [error] = digest(stored(1, bytes, { receivedAt: 5_000_000_000 })).errors;
    expect(error?.row).toMatchObject(row);
  });

  test("without an id of its own goes by that of its envelope", () => {
    const named = someEventId();
    const event = errorEvent({ event_id: undefined });
    const { errors, unreadable } = digest(
      stored(1, envelope([["event", event]], { event_id: named })),
    );
    expect(unreadable).toBe(0);
    expect(errors).toMatchObject([{ row: { event_id: named, message: "nothing there" } }]);
  });

  test("without an id anywhere is given one of its report, by which it is found", () => {
    const event = errorEvent({ event_id: undefined });
    for (const reportId of [1, 1_790_000_000_000_000]) {
      const report = stored(reportId, envelope([["event", event]]));
      const { errors, unreadable } = digest(report);
      const id = errors[0]?.row.event_id ?? "";
      expect({ id, unreadable }).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        unreadable: 0,
      });
      expect(findEvent(report, id)).toBeDefined();
      expect(findEvent({ ...report, id: 2 }, id)).toBeUndefined();
    }
  });
});

describe("feedback", () => {
  test("without an id of its own goes by that of its envelope", () => {
    const header = { event_id: someEventId() };
    const nameless = { ...feedbackEvent("It broke"), event_id: undefined };
    const older = { comments: "It broke" };
    const read = (type: string, payload: Record<string, unknown>) =>
      digest(stored(1, envelope([[type, payload]], header))).feedback;
    expect(read("feedback", nameless)).toMatchObject([{ message_key: header.event_id }]);
    expect(read("user_report", older)).toMatchObject([{ about: header.event_id }]);
  });

  test("keeps what was written, who wrote it and the error it is about, but no query values", () => {
    const about = someEventId();
    const report = stored(1, envelope([["feedback", feedbackEvent("It broke", about)]]));
    expect(digest(report).feedback).toEqual([
      expect.objectContaining({
        message: "It broke",
        name: "Ada",
        contact: "ada@example.org",
        page: "/server",
        about,
      }),
    ]);
  });

  test("in the older form is read too", () => {
    const about = someEventId();
    const report = { event_id: about, comments: "Gone", name: "Bo", email: "bo@example.org" };
    expect(digest(stored(1, envelope([["user_report", report]]))).feedback).toEqual([
      expect.objectContaining({ message: "Gone", name: "Bo", contact: "bo@example.org", about }),
    ]);
  });
});

describe("what can't be read", () => {
  test.each([
    ["an event that is not JSON", '{}\n{"type":"event"}\nnonsense\n', 1],
    ["an event that is a list", '{}\n{"type":"event"}\n[]\n', 1],
    ["an envelope that is cut short", '{}\n{"type":"event","length":99}\n{}\n', 1],
    ["a length below nothing", '{}\n{"type":"event","length":-1}\n{}\n', 1],
    ["an item without a type", "{}\n{}\n{}\n", 1],
    ["a header that is not JSON", "nonsense\n", 1],
    ["nothing at all", "", 1],
    ["feedback without a message", '{}\n{"type":"feedback"}\n{}\n', 1],
    ["spans without items", '{}\n{"type":"span"}\n{}\n', 1],
    ["a transaction that is none", '{}\n{"type":"transaction"}\n{}\n', 1],
  ])("%s is counted", (_, bytes, count) => {
    expect(digest(stored(1, Buffer.from(bytes)))).toMatchObject({ unreadable: count, errors: [] });
  });

  test("is what one envelope holds too many of", () => {
    const items = Array.from({ length: 40 }, () => ["event", errorEvent()] as [string, object]);
    const { errors, unreadable } = digest(
      stored(1, envelope(items as Parameters<typeof envelope>[0])),
    );
    expect([errors.length, unreadable]).toEqual([1, 39]);
  });

  test("is not an item of a kind the inbox doesn't show", () => {
    const bytes = Buffer.from(
      '{}\n{"type":"session"}\nanything\n{"type":"attachment","length":0}\n',
    );
    expect(digest(stored(1, bytes)).unreadable).toBe(0);
  });
});

describe("what is not shown", () => {
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
  ])("is counted: %j", (headers, counts) => {
    expect(unshownItems(items(...headers))).toEqual(counts);
  });

  test.each([[-5], [0], [1.5], ["7"], [null]])("a client's count of %j counts as one", (count) => {
    expect(unshownItems(items({ type: "log", item_count: count }))).toEqual({ logs: 1 });
  });

  test("no client makes the number more than a container can hold", () => {
    expect(unshownItems(items({ type: "log", item_count: 1e9 }))).toEqual({ logs: 1000 });
  });
});
