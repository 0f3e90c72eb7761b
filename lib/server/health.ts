import { setTimeout as delay } from "node:timers/promises";
import type { Relay, RelayStatus } from "@signpost/relay";

type OutboxStats = Awaited<ReturnType<Relay["stats"]["read"]>>;

interface Backlog {
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
interface Readiness extends Backlog {
  /** Of what was asked for: pages, or pages and reporting. */
  status: "ready" | "stopping" | "outbox_unwritable";
  version: string;
  outboxWritable: boolean;
  /** Why the outbox is not writable, in one sentence; null if it is. */
  reason: string | null;
  /** Whether reports are being delivered. */
  delivery: RelayStatus["delivery"];
  /** Reports that this process could not store, read or acknowledge; each fails alone, and the log has why. */
  reportsSetAside: number;
  /** Files of the outbox that were damaged, lie beside it, and need a look; what could be read goes on. */
  damagedFiles: number;
  /** ISO time of the last report that the service or the inbox took of this process; null before that. */
  lastDelivery: string | null;
  /** Why the service takes nothing, in its own words, until it takes something; null if it doesn't say so. */
  refused: RelayStatus["refusal"] | null;
  /** What the service asks not to be sent for a while: ISO time of the end, by category; null for nothing. */
  limited: Record<string, string> | null;
}

interface ReadinessDetails {
  /** Whether the process was told to stop. */
  stopping: boolean;
  /** The release that is running. */
  version: string;
  /** Whether the status tells of reporting too. Pages are served without it. */
  reporting: boolean;
  delivery: RelayStatus["delivery"];
  /** By the service. */
  refusal?: RelayStatus["refusal"];
  limited?: RelayStatus["limited"];
}

export function readiness(
  stats: OutboxStats,
  { stopping, version, reporting, delivery, refusal, limited }: ReadinessDetails,
): Readiness {
  const { writable, lastDelivery } = stats;
  const state = reporting && !writable ? "outbox_unwritable" : "ready";
  return {
    status: stopping ? "stopping" : state,
    version,
    outboxWritable: writable,
    reason: stats.reason ?? null,
    delivery,
    reportsSetAside: stats.setAside,
    damagedFiles: stats.damagedFiles,
    ...backlogOf(stats),
    lastDelivery: lastDelivery === undefined ? null : new Date(lastDelivery).toISOString(),
    refused: refusal ?? null,
    limited: limited ?? null,
  };
}

export function backlogOf(stats: OutboxStats): Backlog {
  const { waiting = null, highWaiting = null } = stats;
  return {
    reportsWaiting: waiting,
    errorsWaiting: highWaiting,
    othersWaiting: waiting === null || highWaiting === null ? null : waiting - highWaiting,
    oldestAgeMs: stats.oldestAge ?? null,
    oldestErrorAgeMs: stats.oldestHighAge ?? null,
  };
}

/** How long who asks for pages alone waits for the outbox. Health checks often end after a second. */
const maxReadMs = 700;
/** How many may wait for it at once: each takes memory meanwhile. */
const maxReaders = 64;

const unread: OutboxStats = {
  writable: false,
  reason: "The outbox has not answered yet.",
  waiting: undefined,
  highWaiting: undefined,
  bytes: undefined,
  oldestAge: undefined,
  oldestHighAge: undefined,
  lastDelivery: undefined,
  setAside: 0,
  damagedFiles: 0,
};

/**
 * Reads the outbox for those who ask whether pages can be served: a database that does not answer must
 * not look like a server that does not. They are told what was read last then.
 */
export class PatientReader {
  #last = unread;
  #readers = 0;

  /** @param read does not reject */
  constructor(
    private readonly read: () => Promise<OutboxStats>,
    private readonly maxMs = maxReadMs,
  ) {}

  /** @param patient whether to wait for the outbox however long it takes */
  async stats(patient: boolean): Promise<OutboxStats> {
    if (!patient && this.#readers >= maxReaders) return this.#last;
    this.#readers++;
    try {
      const reading = this.read().then((stats) => {
        this.#last = stats;
      });
      await (patient ? reading : Promise.race([reading, delay(this.maxMs)]));
    } finally {
      this.#readers--;
    }
    return this.#last;
  }
}
