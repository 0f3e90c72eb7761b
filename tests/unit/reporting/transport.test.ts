import { expect, test } from "vitest";
import { outboxTransport } from "@/lib/reporting/server/transport";
import { WaitingReports } from "@/lib/reporting/server/waiting-reports";

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
  const transport = outboxTransport(reports)({ recordDroppedEvent: () => {} });
  return { stored, transport };
}

test("an error is handed to the outbox before anything else can happen", () => {
  const { stored, transport } = open();
  transport.send(envelopeOf("event"));
  expect(stored).toEqual(["event"]);
});

test("transactions wait for each other, and go on by themselves", async () => {
  const { stored, transport } = open();
  transport.send(envelopeOf("transaction"));
  transport.send(envelopeOf("transaction"));
  expect(stored).toEqual([]);
  await expect.poll(() => stored).toEqual(["transaction", "transaction"]);
});

test("a flush sends on at once what waits", () => {
  const { stored, transport } = open();
  transport.send(envelopeOf("transaction"));
  transport.flush();
  expect(stored).toEqual(["transaction"]);
});

test("no more than a hundred wait", () => {
  const { stored, transport } = open();
  for (let n = 0; n < 100; n++) transport.send(envelopeOf("transaction"));
  expect(stored).toHaveLength(100);
});

test("a burst is handed on whole, however many the outbox has not yet written", () => {
  const { stored, transport } = open();
  for (let n = 0; n < 3000; n++) transport.send(envelopeOf("event"));
  expect(stored).toHaveLength(3000);
});
