import type { OutboxStats } from "@/lib/outbox/outbox";

/** What `/api/health/ready` says. */
export interface Readiness {
  status: "ready" | "stopping" | "outbox_unwritable";
  version: string;
  outboxWritable: boolean;
  reportsWaiting: number;
  /** Milliseconds; null where no report waits. */
  oldestAgeMs: number | null;
  /** ISO time of the last report that the service took; null before the first. */
  lastDelivery: string | null;
}

/**
 * @param draining the process was asked to end
 * @param version the release that is running
 */
export function readiness(stats: OutboxStats, draining: boolean, version: string): Readiness {
  const { writable, waiting, oldestAge, lastDelivery } = stats;
  return {
    status: draining ? "stopping" : writable ? "ready" : "outbox_unwritable",
    version,
    outboxWritable: writable,
    reportsWaiting: waiting,
    oldestAgeMs: oldestAge ?? null,
    lastDelivery: lastDelivery === undefined ? null : new Date(lastDelivery).toISOString(),
  };
}
