import { describe, expect, test } from "vitest";
import { digest } from "@/lib/inbox/model/digest";
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

  test("goes by the exception that was reported, not by its cause", () => {
    const event = errorEvent({
      exception: {
        values: [
          { type: "RangeError", value: "the cause" },
          { type: "TypeError", value: "what was thrown" },
        ],
      },
    });
    const [error] = digest(stored(1, envelope([["event", event]]))).errors;
    expect(error?.row).toMatchObject({ type: "TypeError", message: "what was thrown" });
  });

  test("that is a plain message goes by its level", () => {
    const event = errorEvent({
      exception: undefined,
      level: "warning",
      message: "disk is filling",
    });
    const [error] = digest(stored(1, envelope([["event", event]]))).errors;
    expect(error?.row).toMatchObject({
      kind: "message",
      type: "warning",
      message: "disk is filling",
    });
  });

  test("that waited on the client is dated back by the time it waited", () => {
    const event = errorEvent({ timestamp: 1000 });
    const bytes = envelope([["event", event]], { sent_at: new Date(1_060_000).toISOString() });
    const [error] = digest(stored(1, bytes, { receivedAt: 5_000_000_000 })).errors;
    expect(error?.row.seen_at).toBe(5_000_000_000 - 60_000);
  });

  test("from a clock that runs ahead is dated when it arrived", () => {
    const event = errorEvent({ timestamp: 9_999_999_999 });
    const bytes = envelope([["event", event]], { sent_at: new Date(1_060_000).toISOString() });
    const [error] = digest(stored(1, bytes, { receivedAt: 5_000_000_000 })).errors;
    expect(error?.row.seen_at).toBe(5_000_000_000);
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

  test("without an id anywhere is counted as unreadable", () => {
    const event = errorEvent({ event_id: undefined });
    const { errors, unreadable } = digest(stored(1, envelope([["event", event]])));
    expect({ errors, unreadable }).toEqual({ errors: [], unreadable: 1 });
  });

  test("with a very long message is cut, and control characters don't get through", () => {
    const event = errorEvent({
      exception: { values: [{ type: "E\u0000rror\ud800", value: "x".repeat(100_000) }] },
    });
    const [error] = digest(stored(1, envelope([["event", event]]))).errors;
    expect(error?.row.message).toHaveLength(200);
    expect(error?.row.type).toBe("E\ufffdrror\ufffd");
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
    ["an event without an id", '{}\n{"type":"event"}\n{"message":"x"}\n', 1],
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
