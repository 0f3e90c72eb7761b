import { processWide } from "@/lib/process-wide";

/** The longest that an answer waits for the report that it names. A store may hang for longer. */
const maxWaitMs = 1000;

interface UnderWay {
  stored: Promise<void>;
  end(): void;
}

/** The reports that are on their way to the store, by the id of their event. */
function underWay(): Map<string, UnderWay> {
  return processWide("reports under way", () => new Map());
}

/** @param eventId of an event that is about to be captured */
export function reportBegins(eventId: string): void {
  const timer = setTimeout(() => reportEnds(eventId), maxWaitMs).unref();
  let end = () => {};
  const stored = new Promise<void>((resolve) => {
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  underWay().set(eventId, { stored, end });
}

export function isUnderWay(eventId: string): boolean {
  return underWay().has(eventId);
}

/** @param eventId of an event that is stored, or that nothing is to be waited for any more */
export function reportEnds(eventId: string | undefined): void {
  if (eventId === undefined) return;
  underWay().get(eventId)?.end();
  underWay().delete(eventId);
}

/**
 * For an answer that names a report: what a visitor was told must outlive a process that is killed.
 * With a store that fails, the report waits in memory, and with one that hangs, the answer doesn't
 * wait for it longer than a second after the error.
 *
 * @returns resolves once the report is on disk, or in Postgres; nothing if it needs no waiting
 */
export function reportStored(reference: string): Promise<void> | undefined {
  return underWay().get(reference)?.stored;
}
