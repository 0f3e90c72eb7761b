import type { OutboxStats } from "@/lib/outbox/outbox";

/** The body of `/api/health/ready`. */
interface Readiness {
  status: "ready" | "stopping" | "outbox_unwritable";
  version: string;
  outboxWritable: boolean;
  reportsWaiting: number;
  /** Milliseconds; null if no report waits. */
  oldestAgeMs: number | null;
  /** ISO time of the last report that the service accepted; null before the first. */
  lastDelivery: string | null;
}

/**
 * @param stopping whether the process was told to stop
 * @param version the release that is running
 */
export function readiness(
  { writable, waiting, oldestAge, lastDelivery }: OutboxStats,
  stopping: boolean,
  version: string,
): Readiness {
  return {
    status: stopping ? "stopping" : writable ? "ready" : "outbox_unwritable",
    version,
    outboxWritable: writable,
    reportsWaiting: waiting,
    oldestAgeMs: oldestAge ?? null,
    lastDelivery: lastDelivery === undefined ? null : new Date(lastDelivery).toISOString(),
  };
}
