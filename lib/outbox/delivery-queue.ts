import type { CategorySet } from "@/lib/envelope/categories";
import { backoff } from "./backoff";
import type { ClaimedReport, Outbox } from "./outbox";
import type { ServiceLimits } from "./service-limits";

export interface DeliveryQueueOptions {
  outbox: Pick<Outbox, "claim">;
  limits: Pick<ServiceLimits, "limited">;
  /** Milliseconds since the epoch. */
  now(): number;
  /** 0 to 1, for the jitter of waits. */
  random(): number;
}

/** How many reports may wait for themselves. */
const mostWaiting = 1000;

interface Waiting {
  failures: number;
  /** Milliseconds since the epoch. */
  until: number;
  categories: CategorySet;
}

/**
 * Keeps account of which report is whose turn: what the courier has in hand, what failed and waits
 * for itself, and up to where the rest has been gone through.
 */
export class DeliveryQueue {
  /** Sent and not settled yet. */
  readonly #inHand = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  /** All up to this id is in hand, waiting, settled, or passed over for a limit. */
  #cursor = 0;
  #passedOver: CategorySet = 0;
  /** Whether the outbox may hold reports beyond the cursor. */
  #more = true;

  constructor(private readonly options: DeliveryQueueOptions) {}

  /** How many reports are sent and not settled yet. */
  get inHand(): number {
    return this.#inHand.size;
  }

  /** More may have been appended. */
  lookAgain(): void {
    this.#more = true;
  }

  /** Goes through everything anew. */
  startOver(): void {
    this.#more = true;
    this.#cursor = 0;
  }

  take(id: number): void {
    this.#inHand.add(id);
  }

  /** It is to be sent as if it had never been. */
  putBack(id: number): void {
    this.#more = true;
    this.#inHand.delete(id);
    this.#cursor = Math.min(this.#cursor, id - 1);
  }

  /** It has failed, and waits for a while, longer each time. */
  putOff({ id, categories }: ClaimedReport): void {
    const { now, random } = this.options;
    const failures = (this.#waiting.get(id)?.failures ?? 0) + 1;
    if (failures > 1 || this.#waiting.size < mostWaiting) {
      const until = now() + backoff(failures, random());
      this.#waiting.set(id, { failures, until, categories });
    }
    this.putBack(id);
  }

  /** It is in the outbox no more. */
  settled(id: number): void {
    this.#waiting.delete(id);
    this.#inHand.delete(id);
  }

  /**
   * Up to so many reports to send now: those whose wait is over, then the oldest others.
   *
   * @param afterFailure whether this is to try if the service takes anything at all
   * @throws {OutboxError}
   */
  next(room: number, afterFailure: boolean): ClaimedReport[] {
    const limited = this.options.limits.limited();
    if ((this.#passedOver & ~limited) !== 0) {
      this.#cursor = 0;
      this.#passedOver = 0;
      this.#more = true;
    }
    if (!afterFailure) return this.#untried(this.#due(room, limited), room, limited);
    // The way is tried with a report that has not failed, where there is one.
    const untried = this.#untried([], room, limited);
    return untried.length > 0 ? untried : this.#due(room, limited);
  }

  /** Reports that failed before and whose own wait is over. */
  #due(room: number, limited: CategorySet): ClaimedReport[] {
    const { outbox, now } = this.options;
    const reports: ClaimedReport[] = [];
    for (const [id, { until, categories }] of this.#waiting) {
      if (reports.length === room) break;
      if (until > now() || this.#inHand.has(id) || (categories & limited) !== 0) continue;
      const [report] = outbox.claim({ after: id - 1, without: 0, limit: 1 });
      if (report?.id === id) reports.push(report);
      else this.#waiting.delete(id);
    }
    return reports;
  }

  /** Adds the oldest others. */
  #untried(reports: ClaimedReport[], room: number, limited: CategorySet): ClaimedReport[] {
    while (this.#more && reports.length < room) {
      const limit = room - reports.length;
      const claimed = this.options.outbox.claim({ after: this.#cursor, without: limited, limit });
      this.#passedOver |= limited;
      for (const report of claimed) {
        this.#cursor = report.id;
        if (!this.#inHand.has(report.id) && !this.#waiting.has(report.id)) reports.push(report);
      }
      this.#more = claimed.length === limit;
    }
    return reports;
  }
}
