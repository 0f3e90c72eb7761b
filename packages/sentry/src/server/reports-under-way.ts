import { setTimeout as delay } from "node:timers/promises";
import { singleton } from "../shared/singleton.ts";

/** The longest that an answer waits for the report that it names. A store may hang for longer. */
const maxWaitMs = 3000;

/** What is under way by the ids of events; none of it rejects. */
type UnderWay = Map<string, Promise<void>>;

/** Events that the SDK makes ready, and those that are on their way from there to the store. */
function underWay(): Record<"captured" | "sent", UnderWay> {
  return singleton("reports under way", () => ({ captured: new Map(), sent: new Map() }));
}

/**
 * @param eventId by which the capture is known
 * @param captured the id with which the event was handed to the transport: hooks may have given it another. None
 *   if they have dropped it
 */
export function reportCaptured(eventId: string, captured: PromiseLike<string | undefined>): void {
  const { captured: all, sent } = underWay();
  const stored = async () => sent.get((await captured) ?? "");
  note(all, eventId, stored());
}

/** @param stored settles once the event is stored, or waits in memory because the store fails */
export function reportSent(eventId: string, stored: PromiseLike<unknown>): void {
  note(underWay().sent, eventId, Promise.resolve(stored));
}

function note(all: UnderWay, eventId: string, work: Promise<unknown>): void {
  const deadline = delay(maxWaitMs, undefined, { ref: false });
  const ended = Promise.race([Promise.allSettled([work]), deadline]).then(() => {
    if (all.get(eventId) === ended) all.delete(eventId);
  });
  all.set(eventId, ended);
}

/**
 * For the response to a request that failed: a failure that a client has seen must outlive a process that
 * is killed. If the store fails, the report waits in memory and the response does not. If the store
 * hangs, the response waits for three seconds after the error.
 *
 * @returns resolves once the report is on disk, or in Postgres; nothing if it needs no waiting
 */
export function reportStored(reference: string): Promise<void> | undefined {
  const { captured, sent } = underWay();
  return captured.get(reference) ?? sent.get(reference);
}
