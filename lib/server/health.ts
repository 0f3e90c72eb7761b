import type { OutboxStats } from "@/lib/relay/outbox/stats";

interface WaitingReports {
  /** `errorsWaiting` and `othersWaiting` together; null, as each of these, if it could not be read. */
  reportsWaiting: number | null;
  /** Errors, crashes and feedback. */
  errorsWaiting: number | null;
  /** Measurements, sessions and client reports: what is evicted for errors, and goes after them. */
  othersWaiting: number | null;
  /** Milliseconds; null if no report waits. */
  oldestAgeMs: number | null;
  /** The same of errors, crashes and feedback alone. */
  oldestErrorAgeMs: number | null;
}

/** The body of `/api/health/ready`. */
interface Readiness extends WaitingReports {
  status: "ready" | "stopping" | "outbox_unwritable";
  version: string;
  outboxWritable: boolean;
  /** Why the outbox is not writable, in one sentence; null if it is. */
  reason: string | null;
  /** Reports that this process could not store, read or settle; each fails alone, and the log has why. */
  reportsSetAside: number;
  /** Files of the outbox that were damaged, lie beside it, and need a look; what could be read goes on. */
  damagedFiles: number;
  /** ISO time of the last report that the service or the inbox took; null before that, or if unread. */
  lastDelivery: string | null;
}

/**
 * @param stopping whether the process was told to stop
 * @param version the release that is running
 */
export function readiness(stats: OutboxStats, stopping: boolean, version: string): Readiness {
  const { writable, lastDelivery } = stats;
  return {
    status: stopping ? "stopping" : writable ? "ready" : "outbox_unwritable",
    version,
    outboxWritable: writable,
    reason: stats.reason ?? null,
    reportsSetAside: stats.setAside,
    damagedFiles: stats.damagedFiles,
    ...waitingReports(stats),
    lastDelivery: lastDelivery === undefined ? null : new Date(lastDelivery).toISOString(),
  };
}

export function waitingReports(stats: OutboxStats): WaitingReports {
  const { waiting = null, highWaiting = null } = stats;
  return {
    reportsWaiting: waiting,
    errorsWaiting: highWaiting,
    othersWaiting: waiting === null || highWaiting === null ? null : waiting - highWaiting,
    oldestAgeMs: stats.oldestAge ?? null,
    oldestErrorAgeMs: stats.oldestHighAge ?? null,
  };
}
