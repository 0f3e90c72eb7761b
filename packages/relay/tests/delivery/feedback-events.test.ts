import { expect, test } from "vitest";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { type Envelope, writeEnvelope } from "@/packages/relay/src/envelope/envelope";
import { feedbackAsEvent } from "@/packages/relay/src/envelope/outgoing-envelope";
import { startDispatcher } from "@/tests/support/dispatchers";
import {
  envelope,
  errorEvent,
  feedbackEvent,
  someEventId,
  wholeEnvelope,
} from "@/tests/support/envelopes";
import { namesOf } from "@/tests/support/limited-names";

function itemsOf({ items }: Envelope) {
  return items.map(({ type, payload }) => ({
    type,
    payload: Buffer.from(payload).toString(),
  }));
}

test("a service that takes no feedback gets what a visitor wrote as an event, and errors as they are", async () => {
  const { outbox, service } = await startDispatcher({ feedbackAsEvent: true });
  const id = someEventId();
  const about = "a".repeat(32);
  const feedback = { ...feedbackEvent("The page is <b>empty</b>", about), event_id: id };
  await outbox.append(envelope([["feedback", feedback]], { event_id: id }), "browser");
  await outbox.append(envelope([["event", errorEvent()]]), "browser");
  await service.waitFor(({ envelopes }) => envelopes.length === 2);
  expect(service.items("feedback")).toEqual([]);
  const sent = service.envelopes.find(({ header }) => header.event_id === id);
  expect(sent?.items.map(({ payload }) => payload)).toMatchObject([
    {
      event_id: id,
      level: "info",
      message: "Feedback: The page is <b>empty</b>",
      contexts: {
        feedback: { contact_email: "ada@example.org", associated_event_id: about },
      },
    },
  ]);
});

test("what the SDK sends as feedback becomes an event, and its screenshot stays beside it", () => {
  const event = {
    event_id: someEventId(),
    type: "feedback",
    level: "info",
    tags: { page: "a" },
    contexts: { feedback: { message: "x".repeat(20_000) }, trace: { trace_id: "b".repeat(32) } },
  };
  const bytes = envelope([
    ["feedback", event],
    ["attachment", { a: 1 }],
  ]);
  const [first, second] = itemsOf(feedbackAsEvent(wholeEnvelope(bytes)));
  expect([first?.type, second?.type]).toEqual(["event", "attachment"]);
  const { type, message, ...sent } = JSON.parse(first?.payload ?? "");
  expect(type).toBeUndefined();
  expect(message).toBe(`Feedback: ${"x".repeat(20_000)}`.slice(0, 8192));
  const { type: _, ...all } = event;
  expect(sent).toEqual({ ...all, logger: "feedback" });
  expect(second?.payload).toBe('{"a":1}');
});

function feedbackOf(payload: string): Uint8Array {
  return writeEnvelope({}, [[{ type: "feedback" }, payload]]);
}

test.each([
  ["an error alone", envelope([["event", errorEvent()]])],
  [
    "feedback beside an event",
    envelope([
      ["event", errorEvent()],
      ["feedback", feedbackEvent("text")],
    ]),
  ],
  ["feedback without words", envelope([["feedback", { contexts: { feedback: {} } }]])],
  ["feedback that is no object", feedbackOf("null")],
  ["feedback that is no JSON", feedbackOf("{")],
  ["feedback too deep to parse", feedbackOf("[".repeat(500_000))],
])("%s stays as it is", (_name, bytes) => {
  const read = wholeEnvelope(bytes);
  expect(feedbackAsEvent(read)).toBe(read);
});

test("where feedback is sent as an event, it waits for the end of a limit of errors", () => {
  for (const [asEvent, limited] of [
    [false, "error"],
    [true, "error, feedback"],
  ] as const) {
    const limits = new ServiceLimits(() => 0, asEvent);
    limits.learn(429, { "x-sentry-rate-limits": "60:error:organization" });
    expect(namesOf(limits)).toBe(limited);
  }
});
