import { randomUUID } from "node:crypto";
import { type ItemToWrite, writeEnvelope } from "@/packages/relay/src/envelope/envelope";

export function eventId(): string {
  return randomUUID().replaceAll("-", "");
}

/** One envelope of these items, each with its length written out. */
export function envelopeOf(header: Record<string, unknown>, ...items: ItemToWrite[]): Buffer {
  return writeEnvelope(header, items);
}

/** An envelope as the browser's SDK sends one for an error. */
export function errorEnvelope(id: string = eventId(), message = "Something broke"): Buffer {
  const event = { event_id: id, exception: { values: [{ type: "Error", value: message }] } };
  return envelopeOf(
    {
      event_id: id,
      sent_at: "2020-01-01T00:00:00.000Z",
      dsn: "https://stranger@elsewhere.example/9",
      trace: { trace_id: id, public_key: "stranger" },
    },
    [{ type: "event" }, JSON.stringify(event)],
  );
}

/** An envelope with one measurement, of about so many bytes. */
export function transactionEnvelope(id: string = eventId(), bytes = 0): Buffer {
  const event = { event_id: id, type: "transaction", transaction: "/", tags: "x".repeat(bytes) };
  return envelopeOf({ event_id: id }, [{ type: "transaction" }, JSON.stringify(event)]);
}
