import { setImmediate as afterInput } from "node:timers/promises";
import { atMost } from "@/lib/at-most";
import { oncePerMinute } from "@/lib/log";
import { backoff } from "@/lib/outbox/backoff";
import { sizeOf } from "@/lib/outbox/eviction";
import { type ClaimedReport, claimBytes, type Log, type OutboxEngine } from "@/lib/outbox/outbox";
import { type Delivery, isUnreadable, type ServiceAnswer } from "./delivery";
import { Pace } from "./pace";
import type { ServiceLimits } from "./service-limits";
import { SharedLimits } from "./shared-limits";

export interface CourierOptions {
  outbox: OutboxEngine;
  delivery: Pick<Delivery, "send" | "close">;
  limits: ServiceLimits;
  log: Log;
  /** Gives the envelope to send in place of the stored one, in a time that the caller bounds. */
  resolve?: (report: ClaimedReport) => Promise<Uint8Array>;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow?: () => number;
  /** 0 to 1, for the jitter of back-off. */
  random?: () => number;
  /** How often to look for new reports. A new report waits this long at most. */
  pollMs?: number;
  /** How long a claim may take. An engine has shorter limits of its own. */
  maxClaimMs?: number;
}

/**
 * Maximum number of reports that are being sent, or were sent but not acknowledged yet. After a crash,
 * these can be delivered twice.
 */
const maxClaimed = 64;
/** How often acknowledging a report is tried before other reports take its place. */
const maxAckTries = 20;
const housekeepingMs = 60_000;
/** How long stopping waits for an outbox that doesn't answer, after its deadline. */
const lastAnswerMs = 1000;

/**
 * In this order. From `draining` on, nothing waits for its source; from `ended` on, nothing is sent;
 * `released`: the claims have been ended, and one that comes later has to be ended too.
 */
type Phase = "running" | "draining" | "ended" | "released";

type Outcome = Parameters<OutboxEngine["ack"]>[1];

/**
 * Delivers the reports in the outbox to the service: errors, crashes and feedback first, then the
 * rest, each in order of arrival, as fast as `Pace` says. Measurements that the service doesn't take
 * for long are dropped.
 *
 * The courier polls: other processes append too, so it can't know of every report by itself.
 */
export class Courier {
  readonly #options: Required<CourierOptions>;
  readonly #pace: Pace;
  readonly #sharedLimits: SharedLimits;
  #claimed = 0;
  /** Whether the outbox may hold reports that can be claimed now. */
  #moreToClaim = true;
  #turnQueued = false;
  #turns: Promise<void> = Promise.resolve();
  #pollTimer: NodeJS.Timeout | undefined;
  #restoring = false;
  #lastHousekeeping = Number.NEGATIVE_INFINITY;
  /** For what can happen again and again. */
  readonly #logRepeated: Log;
  /** Ends the wait of each report that is being resolved. */
  readonly #skips = new Set<() => void>();
  #phase: Phase = "running";
  #onIdle: (() => void)[] = [];

  constructor(options: CourierOptions) {
    const resolve = async ({ envelope }: ClaimedReport) => envelope;
    const clocks = { now: Date.now, monotonicNow: () => performance.now() };
    const times = { pollMs: 250, maxClaimMs: 15_000 };
    this.#options = { resolve, ...clocks, ...times, random: Math.random, ...options };
    this.#pace = new Pace(this.#options);
    this.#sharedLimits = new SharedLimits(this.#options);
    this.#logRepeated = oncePerMinute(options.log);
  }

  start(): void {
    this.#poll();
  }

  /**
   * Sends what can be sent at once, including what is being appended. Then ends all claims, so that
   * another process can take over. What was not delivered stays in the outbox. Envelopes are sent
   * as they are stored now: nothing waits for `resolve`.
   *
   * @param deadlineMs maximum time for sending. An outbox that doesn't answer takes a second more
   */
  async stop(deadlineMs: number): Promise<void> {
    const { outbox, delivery } = this.#options;
    this.#phase = "draining";
    for (const skip of this.#skips) skip();
    await atMost(deadlineMs, this.#drain());
    this.#phase = "ended";
    clearTimeout(this.#pollTimer);
    delivery.close();
    this.#sharedLimits.shareRest(false);
    // A claim that is still on its way would outlast `release`.
    await atMost(
      lastAnswerMs,
      this.#turns.then(() => outbox.flush()),
    );
    this.#phase = "released";
    await atMost(lastAnswerMs, outbox.release());
  }

  /**
   * Sends what can be sent at once, for a process that is frozen at other times: it does not wait for
   * the end of a pause.
   *
   * @param maxMs after that, sending goes on, but this does not wait for it
   */
  async deliverNow(maxMs: number): Promise<void> {
    this.#pace.resume();
    await this.#restoreLimits();
    await atMost(maxMs, this.#drain());
  }

  #hasEnded(): boolean {
    return this.#phase === "ended" || this.#phase === "released";
  }

  /** Resolves once nothing is left that can be sent now. */
  async #drain(): Promise<void> {
    await this.#options.outbox.flush();
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
      this.#moreToClaim = true;
      this.#queueTurn();
    });
  }

  #poll(): void {
    // Before everything else, so that an outbox that doesn't answer can't end the polling.
    this.#pollTimer = setTimeout(() => this.#poll(), this.#options.pollMs);
    this.#pollTimer.unref();
    if (this.#restoring) this.#look();
    else void this.#restoreLimits().then(() => this.#look());
  }

  #look(): void {
    if (this.#hasEnded()) return;
    this.#sharedLimits.shareRest();
    const now = this.#options.monotonicNow();
    if (now - this.#lastHousekeeping >= housekeepingMs) void this.#keepHouse();
    this.#moreToClaim = true;
    this.#queueTurn();
  }

  async #restoreLimits(): Promise<void> {
    this.#restoring = true;
    try {
      await this.#sharedLimits.restore();
    } catch (error) {
      this.#outboxFailed(error);
    }
    this.#restoring = false;
  }

  /** Turns never overlap. One that is requested during another follows it. */
  #queueTurn(): void {
    if (this.#turnQueued) return;
    this.#turnQueued = true;
    this.#turns = this.#turns.then(async () => {
      // Answers that come together share one claim.
      await afterInput();
      this.#turnQueued = false;
      await this.#turn();
    });
  }

  /** Claims and sends as many reports as there is room for. Never rejects. */
  async #turn(): Promise<void> {
    try {
      for (let room = this.#room(); room > 0 && this.#moreToClaim; room = this.#room()) {
        await this.#claim(room);
      }
    } catch (error) {
      // The next poll tries again.
      this.#moreToClaim = false;
      this.#outboxFailed(error);
    }
    if (this.#claimed > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #claim(limit: number): Promise<void> {
    const { outbox, limits } = this.#options;
    // A report that comes while the claim is on its way sets it to true again.
    this.#moreToClaim = false;
    const reports = await this.#inTime(
      outbox.claim({ limit, without: limits.unsendable(), ...this.#pace.order() }),
    );
    // The outbox answered too late for `stop`: only another release ends this claim.
    if (this.#phase === "released") return await outbox.release();
    const bytes = reports.reduce((sum, report) => sum + sizeOf(report), 0);
    if (reports.length === limit || bytes >= claimBytes) this.#moreToClaim = true;
    this.#claimed += reports.length;
    // A failure, a limit or `stop` may have come while the claim was on its way.
    const unsendable = limits.unsendable();
    const maySend = this.#maySend();
    for (const [i, report] of reports.entries()) {
      if (i < maySend && (report.categories & unsendable) === 0) void this.#deliver(report);
      else void this.#requeue(report);
    }
  }

  /** Gives up a claim that takes too long. What it brings later is put back. */
  async #inTime(claim: Promise<ClaimedReport[]>): Promise<ClaimedReport[]> {
    const { outbox, maxClaimMs } = this.#options;
    let reports: ClaimedReport[] | undefined;
    await atMost(
      maxClaimMs,
      claim.then((claimed) => {
        reports = claimed;
      }),
    );
    if (reports) return reports;
    const end = async (late: ClaimedReport[]) => {
      if (this.#phase === "released") await outbox.release();
      else await Promise.all(late.map(({ id }) => outbox.requeue(id)));
    };
    claim.then(end).catch((error) => this.#outboxFailed(error));
    throw new Error("The outbox did not answer a claim.");
  }

  /** How many more reports may be claimed and sent now. */
  #room(): number {
    return Math.min(this.#maySend(), maxClaimed - this.#claimed);
  }

  #maySend(): number {
    return this.#hasEnded() ? 0 : this.#pace.maySend();
  }

  async #deliver(report: ClaimedReport): Promise<void> {
    const { delivery, now } = this.#options;
    this.#pace.begin(report);
    const envelope = await this.#resolve(report);
    if (this.#hasEnded()) return;
    const deliveredBefore = this.#pace.delivered;
    let answer: ServiceAnswer | undefined;
    let cause: unknown;
    try {
      answer = await delivery.send({ ...report, envelope }, now());
    } catch (error) {
      cause = error;
    }
    this.#pace.end(report);
    if (this.#hasEnded()) return;
    if (answer) this.#handleAnswer(report, answer, deliveredBefore);
    else if (isUnreadable(cause)) {
      this.#options.outbox.setAside("The report can't be read.", cause);
      void this.#ack(report.id, "internal_sdk_error");
    } else this.#deliveryFailed(report, String(cause), deliveredBefore);
    this.#queueTurn();
  }

  /** @returns the stored envelope where resolving fails, or would delay `stop` */
  #resolve(report: ClaimedReport): Promise<Uint8Array> {
    if (this.#phase !== "running") return Promise.resolve(report.envelope);
    return new Promise((settle) => {
      const skip = () => settle(report.envelope);
      this.#skips.add(skip);
      this.#options
        .resolve(report)
        .then(settle, (error) => {
          this.#logRepeated("warn", "report not resolved", { cause: String(error) });
          skip();
        })
        .finally(() => this.#skips.delete(skip));
    });
  }

  #handleAnswer(
    report: ClaimedReport,
    { status, headers }: ServiceAnswer,
    deliveredBefore: number,
  ): void {
    const { limits } = this.#options;
    const limitsChanged = limits.learn(status, headers, report.categories);
    if (limitsChanged) {
      this.#logRepeated("warn", "service limits reports", { categories: limits.names() });
      this.#sharedLimits.share();
    }
    if (status >= 200 && status < 300) {
      this.#deliverySucceeded(report);
      void this.#ack(report.id, "delivered");
    } else if (status === 429 && limits.wait(report.categories) > 0) {
      void this.#requeue(report);
    } else if (status === 429 && headers["x-sentry-rate-limits"] !== undefined) {
      this.#refusedByUnknownLimit(report, headers["x-sentry-rate-limits"]);
    } else if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.#deliverySucceeded(report);
      this.#logRepeated("warn", "service refuses reports", { status });
      void this.#ack(report.id, "send_error");
    } else {
      this.#deliveryFailed(report, `status ${status}`, deliveredBefore);
    }
    // Last, so that this report is removed before.
    if (limitsChanged) void this.#dropUnwanted();
  }

  #deliverySucceeded(report: ClaimedReport): void {
    const wasDown = this.#pace.succeed(report);
    if (wasDown) this.#options.log("info", "service takes reports again");
  }

  /** @param deliveredBefore see `Pace.fail` */
  #deliveryFailed(report: ClaimedReport, cause: string, deliveredBefore: number): void {
    const { random, log } = this.#options;
    const failure = this.#pace.fail(report, deliveredBefore);
    if (failure === "down") log("warn", "service takes no reports", { cause });
    else if (failure) this.#logRepeated("warn", "service fails a report again", { cause });
    void this.#requeue(report, backoff(report.failures + 1, random()));
  }

  /** The service is well: only reports of this kind wait, and not for long, as it may mean others. */
  #refusedByUnknownLimit(report: ClaimedReport, header: string): void {
    const { limits, random } = this.#options;
    this.#logRepeated("warn", "service refuses reports by an unknown limit", {
      limits: header.slice(0, 200),
    });
    if (report.failures > 0) this.#pace.pauseRetries();
    else limits.hold(report.categories);
    void this.#requeue(report, backoff(report.failures + 1, random()));
  }

  /**
   * The claim lasts until that is committed, so that the report isn't sent again meanwhile. One that
   * can't be acknowledged though the outbox works is set aside after some tries: others take its place,
   * and it is tried again with back-off.
   */
  async #ack(id: number, outcome: Outcome): Promise<void> {
    const { outbox, pollMs, random } = this.#options;
    let isSetAside = false;
    for (let failures = 1; ; failures++) {
      try {
        await outbox.ack(id, outcome);
        break;
      } catch (error) {
        // The outbox has logged why.
        if (!isSetAside && failures >= maxAckTries && (await outbox.stats()).writable) {
          isSetAside = true;
          outbox.setAside("The report can't be acknowledged.", error);
          this.#giveBackPlace();
        }
      }
      const wait = isSetAside ? backoff(failures - maxAckTries + 1, random()) : pollMs;
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
    if (!isSetAside) this.#giveBackPlace();
  }

  #giveBackPlace(): void {
    this.#claimed--;
    this.#queueTurn();
  }

  async #requeue(report: ClaimedReport, retryAfterMs?: number): Promise<void> {
    try {
      await this.#options.outbox.requeue(report.id, retryAfterMs);
    } catch (error) {
      this.#outboxFailed(error);
    }
    this.#claimed--;
    this.#moreToClaim = true;
    this.#queueTurn();
  }

  async #dropUnwanted(): Promise<void> {
    const { outbox, limits, log } = this.#options;
    try {
      await outbox.dropUnwanted(limits.limitedForLong());
    } catch (error) {
      log("warn", "limited reports not dropped", { cause: String(error) });
    }
  }

  async #keepHouse(): Promise<void> {
    const { outbox, limits, monotonicNow, log } = this.#options;
    this.#lastHousekeeping = monotonicNow();
    // By the limits that another process has learned as well.
    await this.#dropUnwanted();
    try {
      await outbox.expire(limits.limited());
      await outbox.reportDrops();
    } catch (error) {
      log("warn", "reports not expired", { cause: String(error) });
    }
  }

  #outboxFailed(error: unknown): void {
    this.#logRepeated("error", "courier can't use the outbox", { cause: String(error) });
  }
}
