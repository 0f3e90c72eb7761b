import { Pause } from "@/lib/outbox/backoff";
import type { ClaimedReport, ClaimRequest } from "@/lib/outbox/outbox";

export interface PaceOptions {
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow: () => number;
  /** 0 to 1, for the jitter of back-off. */
  random: () => number;
}

/** Maximum number of reports that are being sent at the same time. */
const maxSending = 16;
/** While new reports are delivered, one that failed before is tried every 4 s at least. */
const maxRetryFailures = 3;
/** The number of senders remembered because their last report failed. */
const maxFailing = 64;

/**
 * How many reports are sent at the same time, and in which order, by what became of those before.
 *
 * A failure pauses delivery for 1 s to 60 s. After that, one report at a time is sent until one
 * succeeds: the oldest error by turns with the newest of a sender of whom none has failed, so that
 * reports that the service can't process hold up the rest for seconds. A report that failed has a
 * back-off of its own. It pauses nothing else when it fails again, or when another was delivered
 * meanwhile.
 */
export class Pace {
  #sending = 0;
  /** How many of them have failed before. */
  #retrying = 0;
  /** Of all delivery. */
  readonly #pause = new Pause();
  /** Of reports that failed before, while others are delivered. */
  readonly #retryPause = new Pause(maxRetryFailures);
  /** Senders whose last report failed, the latest at the end. */
  readonly #failing = new Set<number>();
  /** How many reports the service has taken or refused for good. */
  #delivered = 0;

  constructor(private readonly options: PaceOptions) {}

  /** How many reports the service has taken or refused for good. */
  get delivered(): number {
    return this.#delivered;
  }

  /** How many more reports may be sent now. */
  maySend(): number {
    if (!this.#pause.isOver(this.options.monotonicNow())) return 0;
    return (this.#pause.failures > 0 ? 1 : maxSending) - this.#sending;
  }

  /** Which reports to claim for that. */
  order(): Omit<ClaimRequest, "limit" | "without"> {
    const { failures } = this.#pause;
    if (failures > 0) {
      return { failedLast: true, newestFirst: failures % 2 === 1, lastOf: [...this.#failing] };
    }
    if (this.#retryPause.failures === 0) return { failedLast: false };
    const mayRetry = this.#retrying === 0 && this.#retryPause.isOver(this.options.monotonicNow());
    return { failedLast: true, maxFailed: mayRetry ? 1 : 0 };
  }

  /** From here to `end` a report counts as being sent. */
  begin({ failures }: ClaimedReport): void {
    this.#sending++;
    if (failures > 0) this.#retrying++;
  }

  end({ failures }: ClaimedReport): void {
    this.#sending--;
    if (failures > 0) this.#retrying--;
  }

  /** The service has taken the report, or refused it for good. @returns whether it was away before */
  succeed({ sender, failures }: ClaimedReport): boolean {
    const wasDown = this.#pause.failures > 0;
    this.#delivered++;
    this.#failing.delete(sender);
    this.#pause.succeed();
    if (failures > 0) this.#retryPause.succeed();
    return wasDown;
  }

  /**
   * @param deliveredBefore the value of `delivered` when the report was sent
   * @returns `down`: this pauses all delivery, which went well before; `again`: only reports that failed
   *   before have to wait; nothing if neither is new
   */
  fail({ sender, failures }: ClaimedReport, deliveredBefore: number): "down" | "again" | undefined {
    const { monotonicNow, random } = this.options;
    this.#failing.delete(sender);
    this.#failing.add(sender);
    const [oldest] = this.#failing;
    if (this.#failing.size > maxFailing && oldest !== undefined) this.#failing.delete(oldest);
    const wasDown = this.#pause.failures > 0;
    if (failures > 0 && !wasDown) {
      this.pauseRetries();
      return "again";
    }
    if (this.#delivered !== deliveredBefore) return undefined;
    this.#pause.fail(monotonicNow(), random());
    return wasDown ? undefined : "down";
  }

  /** Reports that failed before wait. */
  pauseRetries(): void {
    this.#retryPause.fail(this.options.monotonicNow(), this.options.random());
  }

  /** Ends all pauses, and forgets no failure. */
  resume(): void {
    this.#pause.end();
    this.#retryPause.end();
  }
}
