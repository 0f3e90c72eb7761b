import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../log.ts";
import { sizeOf } from "../outbox/capacity.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { type ClaimedReport, isRemoved, type Outcome } from "../outbox/reports.ts";
import { atMost, backoff } from "../timing.ts";
import type { Destination } from "./destination.ts";
import { DestinationHealth } from "./destination-health.ts";
import type { ServiceLimits } from "./service-limits.ts";
import { ToldOfLimits } from "./told-of-limits.ts";

export interface DispatcherOptions {
  outbox: Outbox;
  /** Without one, reports wait in the outbox until they are too old. */
  destination: Destination | undefined;
  limits: ServiceLimits;
  log: Log;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
  random?: () => number;
  /** How often to look for what others have appended, or what has waited long enough. */
  pollMs?: number;
  /** After which time the claim of a report that takes long is renewed. */
  renewMs?: number;
  /** Between two claims where few reports come: one costs as much as for many. */
  claimIntervalMs?: number;
}

/** Maximum number of reports that are being delivered at the same time. */
const maxDelivering = 16;
/** The maximum with those that are not acknowledged yet: after a crash, so many can be delivered twice. */
const maxClaimed = 64;
/** While these have more bytes, nothing more is claimed. */
const maxClaimedBytes = 16 * 1024 * 1024;
/**
 * A larger report may take minutes. One at a time is in hand, beside what the limits above allow, so that it
 * holds up no other.
 */
const maxSmallSize = 4 * 1024 * 1024;
/**
 * For how long only small ones are claimed where that has failed, and works without the large ones: a database may
 * send none of these in time.
 */
const onlySmallMs = 60_000;
/** How often acknowledging a report is tried before others take its place. */
const maxAcknowledgeTries = 20;
/** The number of answers remembered that could not be acknowledged. */
const maxUnacknowledged = 256;
/** The most intervals that a slow claim puts off the next one, 0.4 s: a report is to arrive within a second. */
const maxClaimIntervals = 10;
/** How long a process that stops claims, and how long it then waits for answers at least. */
const lastClaimsMs = 1500;
const answersMs = 6000;
/** How long stopping waits for an outbox that doesn't answer, after its deadline. */
const lastAnswerMs = 1000;

/** Brings the reports in the outbox to their destination. */
export class Dispatcher {
  readonly health: DestinationHealth;
  readonly #options: Required<DispatcherOptions>;
  readonly #stopping = new AbortController();
  /** When the last reports are claimed, in milliseconds of `performance.now`. */
  #lastClaim = Number.POSITIVE_INFINITY;
  #ended = false;
  readonly #toldOfLimits: ToldOfLimits;
  /** What is claimed and not acknowledged yet, by id. When a lease ends meanwhile, it comes again. */
  readonly #inHand = new Map<number, ClaimedReport>();
  /** What is being delivered, and when its claim was made or last renewed; infinite during a renewal. */
  readonly #delivering = new Map<ClaimedReport, number>();
  /** See `onlySmallMs`. */
  #onlySmallUntil = Number.NEGATIVE_INFINITY;
  /** How many claims have failed one after another. */
  #failedClaims = 0;
  /**
   * What was set aside. Once its lease has ended, a service must not be asked again: its answer is kept. A
   * destination that writes rows may be, as these are one with the removal.
   */
  readonly #unacknowledged = new Map<number, Outcome | undefined>();
  #turnQueued = false;
  #turns: Promise<void> = Promise.resolve();
  #pollTimer: NodeJS.Timeout | undefined;
  #onIdle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    const times = { now: () => performance.now(), pollMs: 500, claimIntervalMs: 40, renewMs: 5000 };
    this.#options = { ...times, random: Math.random, ...options };
    this.health = new DestinationHealth(this.#options);
    this.#toldOfLimits = new ToldOfLimits(this.#options);
  }

  start(): void {
    const { outbox, destination, pollMs } = this.#options;
    outbox.onAppend = () => this.#wake();
    outbox.rowsOf = (taken) => destination?.rows?.(taken) ?? [];
    this.#pollTimer = setInterval(() => this.#poll(), pollMs).unref();
    this.#poll();
  }

  /** Claims for 1.5 s more; less where an answer might not come within so many milliseconds. */
  stopClaiming(maxMs: number): void {
    const claimMs = Math.min(lastClaimsMs, maxMs - answersMs);
    this.#lastClaim = Math.min(this.#lastClaim, performance.now() + claimMs);
  }

  /**
   * Delivers what can be claimed until then, see `stopClaiming`, including what is being appended, and waits
   * for what is under way. Then ends all claims, so that another process can take over. What was not
   * delivered stays in the outbox.
   *
   * @param maxMs maximum time for all that. An outbox that doesn't answer takes two seconds more
   */
  async stop(maxMs: number): Promise<void> {
    const { outbox, destination } = this.#options;
    this.#stopping.abort();
    this.stopClaiming(maxMs);
    await atMost(maxMs, this.#drain());
    this.#ended = true;
    clearInterval(this.#pollTimer);
    outbox.onAppend = undefined;
    destination?.close();
    // A claim that is still on its way would outlast `release`.
    const settled = this.#turns.then(() => outbox.flush());
    await atMost(lastAnswerMs, settled);
    await atMost(lastAnswerMs, outbox.release());
  }

  /** Waits for no pause, and not for what takes longer: that is delivered later. */
  async deliverNow(maxMs: number): Promise<void> {
    this.health.endPause();
    await atMost(maxMs, this.#drain());
  }

  /** Resolves once nothing is left that can be delivered now. */
  async #drain(): Promise<void> {
    await this.#options.outbox.flush();
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#wake();
    await idle;
  }

  #poll(): void {
    this.#toldOfLimits.tell(this.#options.limits.remaining());
    this.#renew();
    this.#wake();
  }

  /**
   * Each alone: one that fails has no part in the others. Its lease may end then, and another process delivers the
   * report as well.
   */
  #renew(): void {
    const { outbox, renewMs } = this.#options;
    for (const [report, renewedAt] of this.#delivering) {
      if (performance.now() - renewedAt < renewMs) continue;
      // A renewal of a large report writes all of it again: there is no other before that has ended.
      this.#delivering.set(report, Number.POSITIVE_INFINITY);
      const ended = () => {
        if (this.#delivering.has(report)) this.#delivering.set(report, performance.now());
      };
      outbox.renew(report).then(ended, ended);
    }
  }

  /** Requests a turn, which claims, and ends `#drain` if nothing is in hand then. Turns never overlap. */
  #wake(): void {
    if (this.#turnQueued) return;
    this.#turnQueued = true;
    this.#turns = this.#turns.then(async () => {
      this.#turnQueued = false;
      const waiting = this.#onIdle.splice(0);
      const interval = await this.#claim();
      if (this.#inHand.size > 0) this.#onIdle.push(...waiting);
      else for (const resolve of waiting) resolve();
      // Stopping does not wait for it.
      const { signal } = this.#stopping;
      if (interval > 0) await delay(interval, undefined, { ref: false, signal }).catch(() => {});
    });
  }

  /** Claims as many reports as there is room for. Never rejects. @returns milliseconds until the next turn */
  async #claim(): Promise<number> {
    const { outbox, limits, now, claimIntervalMs } = this.#options;
    const limit = this.#capacity();
    const inHand = [...this.#inHand.values()];
    const small = inHand.filter(isSmall);
    const bytes = small.reduce((sum, { envelope }) => sum + envelope.length, 0);
    if (limit <= 0 || bytes > maxClaimedBytes) return 0;
    const onlySmall = small.length < inHand.length || now() < this.#onlySmallUntil;
    const maxSize = onlySmall ? maxSmallSize : undefined;
    const begun = performance.now();
    try {
      const reports = await outbox.claim({ limit, without: limits.limited(), maxSize });
      const took = performance.now() - begun;
      // Several: the store was away, which says nothing of the large ones.
      if (this.#failedClaims > 1) this.#onlySmallUntil = Number.NEGATIVE_INFINITY;
      this.#failedClaims = 0;
      for (const report of reports) void this.#handle(report);
      // If there are more, answers that come together share one claim as well.
      if (reports.length === limit) return claimIntervalMs / 8;
      // Where much waits that may not be sent, a claim takes long, and holds up what is appended.
      return Math.max(claimIntervalMs, Math.min(4 * took, maxClaimIntervals * claimIntervalMs));
    } catch {
      // The outbox has logged why. The next poll tries again.
      this.#failedClaims++;
      this.#onlySmallUntil = onlySmall ? Number.NEGATIVE_INFINITY : now() + onlySmallMs;
      return claimIntervalMs;
    }
  }

  /** How many more reports may be claimed and delivered now. */
  #capacity(): number {
    const isOver = this.#ended || performance.now() >= this.#lastClaim;
    if (!this.#options.destination || isOver || this.health.isPaused) return 0;
    const most = this.health.pauses > 0 ? 1 : maxDelivering;
    const small = [...this.#delivering.keys()].filter(isSmall);
    return Math.min(most - small.length, maxClaimed - this.#inHand.size);
  }

  async #handle(report: ClaimedReport): Promise<void> {
    if (this.#inHand.has(report.id)) return;
    // A failure, a limit or `stop` may have come while the claim was on its way.
    const mayDeliver = this.#capacity() > 0 && this.#options.limits.mayGo(report.categories);
    this.#inHand.set(report.id, report);
    const answer = this.#unacknowledged.get(report.id);
    const outcome = answer ?? (mayDeliver ? await this.#deliver(report) : back);
    if (!this.#ended) await this.#acknowledge(report, outcome);
    this.#inHand.delete(report.id);
    this.#wake();
  }

  async #deliver(report: ClaimedReport): Promise<Outcome> {
    const { destination, random } = this.#options;
    const answersBefore = this.health.answers;
    this.#delivering.set(report, performance.now());
    try {
      const outcome = (await destination?.deliver(report, this.#stopping.signal)) ?? back;
      if (isRemoved(outcome)) this.health.succeed();
      return outcome;
    } catch (error) {
      // What was tried together fails together.
      const isNews = this.health.answers === answersBefore && !this.health.isPaused;
      if (isNews && !this.#ended) this.health.fail(report.attempts === 0, error);
      return { kind: "later", ms: backoff(report.attempts + 1, random()) };
    } finally {
      this.#delivering.delete(report);
    }
  }

  /**
   * One that can't be acknowledged though the outbox works is set aside: others take its place, and it is tried
   * again when its lease has ended. Never rejects.
   */
  async #acknowledge(report: ClaimedReport, outcome: Outcome): Promise<void> {
    const { outbox, destination, pollMs } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        await outbox.acknowledge(report, outcome);
        this.#unacknowledged.delete(report.id);
        return;
      } catch (error) {
        // The outbox has logged why.
        if (this.#ended) return;
        if (tries >= maxAcknowledgeTries && (await outbox.rehearse())) {
          const isKnown = this.#unacknowledged.has(report.id);
          if (!isKnown) outbox.setAside("The report can't be acknowledged.", error);
          const answer = destination?.rows ? undefined : outcome;
          if (isRemoved(outcome)) this.#unacknowledged.set(report.id, answer);
          break;
        }
      }
      await delay(pollMs, undefined, { ref: false });
    }
    if (this.#unacknowledged.size > maxUnacknowledged) this.#unacknowledged.clear();
  }
}

const back: Outcome = { kind: "back" };

const isSmall = ({ envelope }: ClaimedReport) => sizeOf(envelope) <= maxSmallSize;
