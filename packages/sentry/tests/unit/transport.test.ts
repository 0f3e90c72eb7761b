import { expect, test } from "vitest";
import { outboxTransport } from "@/packages/sentry/src/server/transport";
import { WaitingReports } from "@/packages/sentry/src/server/waiting-reports";

type Envelope = Parameters<ReturnType<ReturnType<typeof outboxTransport>>["send"]>[0];

function envelopeOf(type: "event" | "transaction"): Envelope {
  return [{ event_id: "1", sent_at: "" }, [[{ type }, { type }]]] as unknown as Envelope;
}

function open() {
  const stored: string[] = [];
  const reports = new WaitingReports({
    async append(bytes) {
      stored.push(JSON.parse(Buffer.from(bytes).toString().split("\n")[1] ?? "").type);
    },
    async countDrops() {},
  });
  const transport = outboxTransport(reports)({
    recordDroppedEvent: () => {},
    bufferSize: Number.POSITIVE_INFINITY,
  });
  return { stored, transport };
}

test("whatever is captured is handed to the outbox before anything else can happen", () => {
  const { stored, transport } = open();
  transport.send(envelopeOf("event"));
  transport.send(envelopeOf("transaction"));
  expect(stored).toEqual(["event", "transaction"]);
});

test("a burst is handed on whole, however many the outbox has not yet written", () => {
  const { stored, transport } = open();
  for (let n = 0; n < 3000; n++) transport.send(envelopeOf("event"));
  expect(stored).toHaveLength(3000);
});
