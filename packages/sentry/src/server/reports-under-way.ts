import { singleton } from "../shared/singleton.ts";

/** The longest that an answer waits for the report that it names. A store may hang for longer. */
const maxWaitMs = 3000;

interface UnderWay {
  stored: Promise<void>;
  end(): void;
  timer: NodeJS.Timeout;
}

/** The reports that are on their way to the store, by the id of their event. */
function underWay(): Map<string, UnderWay> {
  return singleton("reports under way", () => new Map());
}

/** @param eventId of an event that is about to be captured; nothing changes if it is under way */
export function reportBegins(eventId: string): void {
  if (underWay().has(eventId)) return;
  const timer = setTimeout(reportEnds, maxWaitMs, eventId).unref();
  let end = () => {};
  const stored = new Promise<void>((resolve) => {
    end = resolve;
  });
  underWay().set(eventId, { stored, end, timer });
}

/** @param eventId of an event that was given another id, under which its end will be told */
export function reportContinues(eventId: string, as: string): void {
  const report = underWay().get(eventId);
  if (report) underWay().set(as, report);
}

/** @param eventId of an event that is stored, or that nobody has to wait for */
export function reportEnds(eventId: string | undefined): void {
  if (eventId === undefined) return;
  const report = underWay().get(eventId);
  clearTimeout(report?.timer);
  report?.end();
  for (const [id, one] of underWay()) if (one === report) underWay().delete(id);
}

/**
 * For the response to a request that failed: a failure that a client has seen must outlive a process that
 * is killed. If the store fails, the report waits in memory and the response does not. If the store
 * hangs, the response waits for three seconds after the error.
 *
 * @returns resolves once the report is on disk, or in Postgres; nothing if it needs no waiting
 */
export function reportStored(reference: string): Promise<void> | undefined {
  return underWay().get(reference)?.stored;
}
