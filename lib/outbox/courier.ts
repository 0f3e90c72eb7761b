import { backoff } from "./backoff";
import type { Log } from "./database";
import type { Delivery, ServiceAnswer } from "./delivery";
import { DeliveryQueue } from "./delivery-queue";
import type { ClaimedReport, Outbox } from "./outbox";
import type { ServiceLimits } from "./service-limits";

export interface CourierOptions {
  outbox: Outbox;
  delivery: Pick<Delivery, "send" | "close">;
  limits: ServiceLimits;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** 0 to 1, for the jitter of waits. */
  random?: () => number;
  /** How often to look for what other processes appended, or whether the lease is free. */
  lookMs?: number;
}

/** Reports under way at the same time. */
const atOnce = 8;
/** The same and those delivered but not settled on disk yet: what a crash can deliver twice. */
const mostInHand = 64;
const lookMs = 250;
const housekeepingMs = 60_000;
const limitsNote = "service-limits";

/**
 * Empties the outbox into the service, in order of arrival.
 *
 * A failure closes the gate for a while (1 s to 60 s): nothing is sent, then one report at a time
 * tries the way until one gets through. The report that failed waits for itself beside, and others
 * try before it, so that those the service can't stomach don't hold up the rest.
 */
export class Courier {
  readonly #options: Required<CourierOptions>;
  readonly #queue: DeliveryQueue;
  #sending = 0;
  /** In a row, since the gate was last open. */
  #failures = 0;
  #closedUntil = 0;
  #holdsLease = false;
  #timer: NodeJS.Timeout | undefined;
  #awake = false;
  #keptHouseAt = Number.NEGATIVE_INFINITY;
  #trouble: string | undefined;
  #refusal = { status: 0, at: Number.NEGATIVE_INFINITY };
  #stopped = false;
  #whenStill: (() => void) | undefined;

  constructor(options: CourierOptions) {
    this.#options = { now: Date.now, random: Math.random, lookMs, ...options };
    this.#queue = new DeliveryQueue(this.#options);
  }

  start(): void {
    this.#options.outbox.onAppend(() => {
      this.#queue.lookAgain();
      this.#wake();
    });
    this.#look();
  }

  /**
   * Sends what can be sent at once, then gives the lease away. Reports stay in the outbox.
   *
   * @param deadlineMs how long it may take at most
   */
  async stop(deadlineMs: number): Promise<void> {
    const { outbox, delivery } = this.#options;
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#whenStill = () => {
        clearTimeout(deadline);
        resolve();
      };
      this.#queue.lookAgain();
      this.#pump();
    });
    this.#stopped = true;
    clearTimeout(this.#timer);
    delivery.close();
    outbox.flush();
    outbox.release();
    this.#holdsLease = false;
  }

  /** Looks by itself too: other processes append, leases come free, waits end. */
  #look(): void {
    this.#timer = setTimeout(() => this.#look(), this.#options.lookMs);
    this.#timer.unref();
    this.#queue.lookAgain();
    this.#pump();
  }

  #wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(() => {
      this.#awake = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#stopped) return;
    try {
      if (this.#ready()) {
        for (let room = this.#room(); room > 0; room = this.#room()) {
          const reports = this.#queue.next(room, this.#failures > 0);
          if (reports.length === 0) break;
          for (const report of reports) void this.#deliver(report);
        }
      }
      this.#trouble = undefined;
    } catch (error) {
      const trouble = String(error);
      if (trouble !== this.#trouble) {
        this.#options.log("error", "courier can't read the outbox", { cause: trouble });
      }
      this.#trouble = trouble;
    }
    if (this.#sending === 0 && this.#queue.inHand === 0) this.#whenStill?.();
  }

  /** Whether this process is to deliver, and may just now. */
  #ready(): boolean {
    const { outbox, limits, now } = this.#options;
    const held = this.#holdsLease;
    this.#holdsLease = outbox.lease();
    if (!this.#holdsLease || !held) limits.restore(outbox.note(limitsNote));
    if (!this.#holdsLease) return false;
    if (now() - this.#keptHouseAt >= housekeepingMs) this.#keepHouse();
    return true;
  }

  #room(): number {
    if (this.#options.now() < this.#closedUntil) return 0;
    const under = (this.#failures > 0 ? 1 : atOnce) - this.#sending;
    return Math.min(under, mostInHand - this.#queue.inHand);
  }

  async #deliver(report: ClaimedReport): Promise<void> {
    const { delivery, now } = this.#options;
    this.#queue.take(report.id);
    this.#sending++;
    let answer: ServiceAnswer | undefined;
    let cause: unknown;
    try {
      answer = await delivery.send(report, now());
    } catch (error) {
      cause = error;
    }
    this.#sending--;
    if (this.#stopped) return;
    if (answer) this.#judge(report, answer);
    else this.#failed(report, String(cause));
    this.#pump();
  }

  #judge(report: ClaimedReport, answer: ServiceAnswer): void {
    const { limits, outbox, log } = this.#options;
    const { status } = answer;
    if (limits.learn(status, answer.headers)) {
      const limited = limits.header();
      log("warn", "service limits reports", { limits: limited });
      outbox.setNote(limitsNote, limits.serialize()).catch((error) => {
        log("warn", "service limits not kept", { cause: String(error) });
      });
    }
    if (status >= 200 && status < 300) {
      this.#gotThrough();
      this.#settle(report.id, "delivered");
    } else if (status === 429 && limits.wait(report.categories) > 0) {
      this.#queue.putBack(report.id);
    } else if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.#gotThrough();
      this.#logRefusal(status);
      this.#settle(report.id, "send_error");
    } else {
      this.#failed(report, `status ${status}`);
    }
  }

  #gotThrough(): void {
    if (this.#failures > 0) this.#options.log("info", "service takes reports again");
    this.#failures = 0;
    this.#closedUntil = 0;
  }

  #failed(report: ClaimedReport, cause: string): void {
    const { now, random, log } = this.#options;
    if (now() >= this.#closedUntil) {
      this.#failures++;
      this.#closedUntil = now() + backoff(this.#failures, random());
      if (this.#failures === 1) log("warn", "service takes no reports", { cause });
    }
    this.#queue.putOff(report);
  }

  /** The report stays in hand until that is on disk, so that it isn't sent again meanwhile. */
  #settle(id: number, outcome: "delivered" | "send_error"): void {
    this.#options.outbox.settle(id, outcome).then(
      () => {
        this.#queue.settled(id);
        this.#wake();
      },
      () => {
        // The outbox has logged why.
        const retry = setTimeout(() => this.#settle(id, outcome), this.#options.lookMs);
        retry.unref();
      },
    );
  }

  #logRefusal(status: number): void {
    const now = this.#options.now();
    if (status === this.#refusal.status && now - this.#refusal.at < housekeepingMs) return;
    this.#refusal = { status, at: now };
    this.#options.log("warn", "service refuses reports", { status });
  }

  #keepHouse(): void {
    const { outbox, limits, now, log } = this.#options;
    this.#keptHouseAt = now();
    this.#queue.startOver();
    outbox
      .expire(limits.limited())
      .then(() => outbox.reportDrops())
      .catch((error) => log("warn", "outbox not tidied", { cause: String(error) }));
  }
}
