import type { Origin } from "@/lib/outbox/outbox";

/** What every reader of an item is told about the report it came in. */
export interface Arrival {
  reportId: number;
  origin: Origin;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** When the client believes to have sent it, by its own clock; nothing if it didn't say. */
  sentAt: number | undefined;
  /** The event's id by the envelope's header: for a payload that doesn't say itself. */
  eventId: string | undefined;
}

const oldestBelieved = 7 * 24 * 3600 * 1000;

/**
 * When something happened by this server's clock: the client's own clock is believed only as far
 * as the distance between happening and sending, and only within the time the inbox keeps.
 *
 * @param happenedAt milliseconds since the epoch by the client's clock
 */
export function happened(happenedAt: number | undefined, arrival: Arrival): number {
  if (happenedAt === undefined || arrival.sentAt === undefined) return arrival.receivedAt;
  const age = arrival.sentAt - happenedAt;
  return arrival.receivedAt - Math.round(Math.min(Math.max(age, 0), oldestBelieved));
}
