import { everyCategory } from "@/packages/relay/src/envelope/categories";
import { type Envelope, readEnvelope, writeEnvelope } from "@/packages/relay/src/envelope/envelope";
import type { Origin, StoredReport } from "@/packages/relay/src/outbox/reports";

type Json = Record<string, unknown>;

/** An envelope as an SDK writes it: a header line, then two lines per item. */
export function envelope(items: [type: string, payload: Json][], header: Json = {}): Uint8Array {
  return writeEnvelope(
    header,
    items.map(([type, payload]) => [{ type }, JSON.stringify(payload)]),
  );
}

let lastId = 0;

/** An event id nobody else has. */
export function someEventId(): string {
  lastId += 1;
  return lastId.toString(16).padStart(32, "0");
}

export function errorEvent(over: Json = {}): Json {
  return {
    event_id: someEventId(),
    timestamp: 1_800_000_000,
    transaction: "/failures/client-event",
    release: "1.0.0",
    environment: "production",
    exception: {
      values: [
        {
          type: "TypeError",
          value: "nothing there",
          stacktrace: {
            frames: [
              { function: "dispatch", filename: "react-dom.js", lineno: 9, in_app: false },
              { function: "onClick", filename: "app:///button.tsx", lineno: 12, in_app: true },
              { function: "invoke", filename: "lib.js", lineno: 3, in_app: false },
            ],
          },
        },
      ],
    },
    ...over,
  };
}

export function feedbackEvent(message: string, about?: string): Json {
  return {
    type: "feedback",
    event_id: someEventId(),
    timestamp: 1_800_000_000,
    contexts: {
      feedback: {
        message,
        name: "Ada",
        contact_email: "ada@example.org",
        url: "https://example.org/server?secret=1",
        associated_event_id: about,
      },
    },
  };
}

export function stored(
  id: number,
  bytes: Uint8Array,
  { origin = "browser" as Origin, receivedAt = 1_800_000_000_000 + id } = {},
): StoredReport {
  const read = readEnvelope(bytes);
  const categories = "fault" in read ? everyCategory : read.categories;
  return { id, receivedAt, origin, categories, envelope: bytes };
}

/** @throws {Error} for bytes that are no envelope */
export function wholeEnvelope(bytes: Uint8Array | string): Envelope {
  const read = readEnvelope(Buffer.from(bytes));
  if ("fault" in read) throw new Error(read.detail);
  return read;
}
