import type { CategorySet } from "@/lib/envelope/categories";
import { backoff } from "./backoff";
import type { Log } from "./database";
import type { Delivery, ServiceAnswer } from "./delivery";
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
/** How many reports may wait for themselves. */
const mostWaiting = 1000;
const limitsNote = "service-limits";

interface Waiting {
  failures: number;
  /** Milliseconds since the epoch. */
  until: number;
  categories: CategorySet;
}

/**
 * Empties the outbox into the service, in order of arrival.
 *
 * A failure closes the gate for a while (1 s to 60 s): nothing is sent, then one report at a time
 * tries the way until one gets through. The report that failed waits for itself beside, and others
 * try before it, so that those the service can't stomach don't hold up the rest.
 */
export class Courier {
  readonly #options: Required<CourierOptions>;
  /** Sent and not settled yet. */
  readonly #inHand = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  /** All up to this id is in hand, waiting, settled, or passed over for a limit. */
  #cursor = 0;
  #passedOver: CategorySet = 0;
  #sending = 0;
  /** In a row, since the gate was last open. */
  #failures = 0;
  #closedUntil = 0;
  #holdsLease = false;
  /** Whether the outbox may hold reports beyond the cursor. */
  #more = true;
  #timer: NodeJS.Timeout | undefined;
  #awake = false;
  #keptHouseAt = Number.NEGATIVE_INFINITY;
  #trouble: string | undefined;
  #refusal = { status: 0, at: Number.NEGATIVE_INFINITY };
  #stopped = false;
  #whenStill: (() => void) | undefined;

  constructor(options: CourierOptions) {
    this.#options = { now: Date.now, random: Math.random, lookMs, ...options };
  }

  start(): void {
    this.#options.outbox.onAppend(() => {
      this.#more = true;
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
      this.#more = true;
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
    this.#more = true;
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
          const reports = this.#next(room);
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
    if (this.#sending === 0 && this.#inHand.size === 0) this.#whenStill?.();
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
    return Math.min(under, mostInHand - this.#inHand.size);
  }

  /** Up to so many reports to send now: those whose wait is over, then the oldest others. */
  #next(room: number): ClaimedReport[] {
    const limited = this.#options.limits.limited();
    if ((this.#passedOver & ~limited) !== 0) {
      this.#cursor = 0;
      this.#passedOver = 0;
      this.#more = true;
    }
    if (this.#failures === 0) return this.#untried(this.#due(room, limited), room, limited);
    // The way is tried with a report that has not failed, where there is one.
    const untried = this.#untried([], room, limited);
    return untried.length > 0 ? untried : this.#due(room, limited);
  }

  /** Reports that failed before and whose own wait is over. */
  #due(room: number, limited: CategorySet): ClaimedReport[] {
    const { outbox, now } = this.#options;
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
      const claimed = this.#options.outbox.claim({ after: this.#cursor, without: limited, limit });
      this.#passedOver |= limited;
      for (const report of claimed) {
        this.#cursor = report.id;
        if (!this.#inHand.has(report.id) && !this.#waiting.has(report.id)) reports.push(report);
      }
      this.#more = claimed.length === limit;
    }
    return reports;
  }

  async #deliver(report: ClaimedReport): Promise<void> {
    const { delivery, now } = this.#options;
    this.#inHand.add(report.id);
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
      this.#putBack(report.id);
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
    const { id, categories } = report;
    if (now() >= this.#closedUntil) {
      this.#failures++;
      this.#closedUntil = now() + backoff(this.#failures, random());
      if (this.#failures === 1) log("warn", "service takes no reports", { cause });
    }
    const failures = (this.#waiting.get(id)?.failures ?? 0) + 1;
    if (failures > 1 || this.#waiting.size < mostWaiting) {
      const until = now() + backoff(failures, random());
      this.#waiting.set(id, { failures, until, categories });
    }
    this.#putBack(id);
  }

  #putBack(id: number): void {
    this.#more = true;
    this.#inHand.delete(id);
    this.#cursor = Math.min(this.#cursor, id - 1);
  }

  /** The report stays in hand until that is on disk, so that it isn't sent again meanwhile. */
  #settle(id: number, outcome: "delivered" | "send_error"): void {
    this.#waiting.delete(id);
    this.#options.outbox.settle(id, outcome).then(
      () => {
        this.#inHand.delete(id);
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
    this.#more = true;
    this.#cursor = 0;
    outbox
      .expire(limits.limited())
      .then(() => outbox.reportDrops())
      .catch((error) => log("warn", "outbox not tidied", { cause: String(error) }));
  }
}
