import { isDeepStrictEqual } from "node:util";
import type { Dsn } from "../dsn.ts";
import { type CategorySet, isSendable } from "../envelope/categories.ts";
import { addressHeader, type Envelope, headerLine, readEnvelope } from "../envelope/envelope.ts";
import { feedbackAsEvent, withoutLimited } from "../envelope/outgoing-envelope.ts";
import { type Log, oncePerMinute } from "../log.ts";
import type { ClaimedReport, Origin, Outcome } from "../outbox/reports.ts";
import { backoff } from "../timing.ts";
import { type Destination, Refusal } from "./destination.ts";
import { isOfService, type ServiceAnswer, verdictOf, wordsOf } from "./service-answer.ts";
import {
  isBroken,
  type OutgoingProxy,
  type ProxyFault,
  ServiceConnection,
  type ServiceTimes,
} from "./service-connection.ts";
import type { ServiceLimits } from "./service-limits.ts";

export interface ServiceOptions {
  limits: ServiceLimits;
  log: Log;
  /** Counts how often it, or what stands before it, has answered with each status, or not at all. */
  answers?: Map<number | "none", number>;
  /** Counts and logs a report that can't be read, see `Outbox`. */
  setAside(reason: string, cause: unknown): void;
  /** Gives the envelope to send in place of the stored one, in a time that it bounds. */
  resolve?: (envelope: Envelope, origin: Origin) => Promise<Envelope>;
  /** See {@link feedbackAsEvent}. */
  feedbackAsEvent?: boolean;
  /** By which the service is reached, or why it can't be. */
  proxy?: OutgoingProxy | ProxyFault | undefined;
  times?: Partial<ServiceTimes>;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** 0 to 1, for the jitter of back-off. */
  random?: () => number;
}

/** Why the service takes nothing, by its last answer, or by the configuration. */
export interface ServiceRefusal {
  /** None if it can't even be asked. */
  status: number | null;
  /** One line, in the service's own words. */
  reason: string;
}

const client = "signpost/0.1.0";

/** The service that a DSN names. Reports go there over keep-alive connections. */
export class Service implements Destination {
  readonly #options: ServiceOptions;
  readonly #times: ServiceTimes;
  /** None where the proxy by which it would be reached can't be used. */
  readonly #connection: ServiceConnection | undefined;
  readonly #log: Log;
  #closed = false;
  /** Whether the last report was answered: the next one may go over the same connection. */
  #isWell = false;
  /** Undefined once it has taken something since. */
  refusal: ServiceRefusal | undefined;

  constructor(
    private readonly dsn: Dsn,
    options: ServiceOptions,
  ) {
    this.#options = options;
    this.#log = oncePerMinute(options.log);
    this.#times = { connectMs: 5000, stallMs: 10_000, totalMs: 120_000, ...options.times };
    const { proxy, log } = options;
    if (proxy && "reason" in proxy) {
      this.refusal = { status: null, reason: proxy.reason };
      log("error", "service can't be reached", { ...proxy });
    } else this.#connection = new ServiceConnection(dsn.envelopeUrl, proxy, this.#times);
  }

  /**
   * Asks the service whether it takes reports, and tells the log what it says, so that a wrong DSN is found
   * before the first error. What is sent is an envelope without items. Sentry's Relay takes that before it
   * looks at the key: a refused one is told with the first report there. Never rejects.
   */
  async ask(): Promise<void> {
    const { limits } = this.#options;
    try {
      const answer = await this.#send({ header: {}, body: new Uint8Array() }, 0, null);
      limits.learn(answer.status, answer.headers);
      const verdict = verdictOf(answer);
      if (verdict === "refused") return void this.#refuse(answer);
      if (verdict === "taken") this.#endRefusal();
      const level = verdict === "failed" ? "warn" : "info";
      this.#log(level, "service answers", { status: answer.status });
    } catch (error) {
      if (this.#closed || error instanceof Refusal) return;
      this.#log("warn", "service can't be reached", { cause: String(error) });
    }
  }

  /**
   * @throws {Refusal} if it takes nothing by this DSN
   * @throws {Error} if the network fails, a time limit is exceeded, or the service has a fault
   */
  async deliver(report: ClaimedReport, stopping: AbortSignal): Promise<Outcome<undefined>> {
    const { now = Date.now } = this.#options;
    const claimedAt = now();
    const read = readEnvelope(report.envelope);
    if ("fault" in read) {
      this.#options.setAside("The report can't be read.", read.detail);
      return { kind: "dropped", reason: "internal_sdk_error" };
    }
    const resolved = await this.#resolve(read, report.origin, stopping);
    const limited = this.#options.limits.limited() & report.categories;
    // A limit may have come meanwhile.
    if (!isSendable(report.categories, limited)) return { kind: "back" };
    const { rest, lost } = withoutLimited(resolved, limited);
    const sent = this.#options.feedbackAsEvent ? feedbackAsEvent(rest) : rest;
    // `receivedAt` is of the store's clock, which may differ from this one.
    const age = report.age + now() - claimedAt;
    const answer = await this.#send(sent, age, report.clientAddress);
    const outcome = this.#outcome(answer, report.categories & ~limited, report.attempts);
    return outcome.kind === "taken" && lost.length > 0 ? { ...outcome, lost } : outcome;
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
  }

  /** @returns the stored envelope where resolving fails, or would delay the end of the process */
  async #resolve(envelope: Envelope, origin: Origin, stopping: AbortSignal): Promise<Envelope> {
    const { resolve } = this.#options;
    if (!resolve || stopping.aborted) return envelope;
    let stop = () => {};
    const stopped = new Promise<Envelope>((resolve) => {
      stop = () => resolve(envelope);
    });
    stopping.addEventListener("abort", stop);
    try {
      return await Promise.race([resolve(envelope, origin), stopped]);
    } catch (error) {
      this.#log("warn", "report not resolved", { cause: String(error) });
      return envelope;
    } finally {
      stopping.removeEventListener("abort", stop);
    }
  }

  /** What becomes of a report, by what the answer says. @throws {Error} see `deliver` */
  #outcome(answer: ServiceAnswer, sent: CategorySet, attempts: number): Outcome<undefined> {
    const { limits, random = Math.random } = this.#options;
    const { status } = answer;
    const limited = limits.learn(status, answer.headers, sent);
    switch (verdictOf(answer)) {
      case "taken":
        this.#endRefusal();
        return { kind: "taken", value: undefined };
      case "dropped":
        this.#log("warn", "service refuses a report", { status, reason: wordsOf(answer) });
        return { kind: "dropped", reason: "send_error" };
      case "limited":
        if ((limited & sent) !== 0) return { kind: "back" };
        // The service is well: only reports of this kind wait, and not for long, as it may mean others.
        this.#log("warn", "service refuses reports by an unknown limit", {
          limits: answer.headers["x-sentry-rate-limits"]?.slice(0, 200),
        });
        return { kind: "later", ms: backoff(attempts + 1, random()) };
      case "refused":
        throw this.#refuse(answer);
      case "failed": {
        const isServices = isOfService(answer) || status >= 500;
        const whose = isServices ? "" : ", and not from the service itself";
        const words = wordsOf(answer);
        throw new Error(`status ${status}${whose}${words && `: ${words}`}`);
      }
    }
  }

  /** Keeps why the service takes nothing, and tells it once, as it changes. */
  #refuse(answer: ServiceAnswer): Refusal {
    const refusal = { status: answer.status, reason: wordsOf(answer) };
    if (!isDeepStrictEqual(refusal, this.refusal)) {
      this.#options.log("error", "service refuses reports", refusal);
    }
    this.refusal = refusal;
    return new Refusal(`status ${answer.status}`);
  }

  #endRefusal(): void {
    if (!this.refusal) return;
    this.refusal = undefined;
    this.#options.log("info", "service has ended its refusal");
  }

  /**
   * Sends one report, addressed to the service. Its `sent_at` is the client's, moved on by the time that the
   * report has waited here: by that, the service corrects a client's wrong clock.
   *
   * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#ingestion
   *
   * @param age milliseconds since it was received
   */
  async #send(
    { header, body }: Pick<Envelope, "header" | "body">,
    age: number,
    clientAddress: string | null,
  ): Promise<ServiceAnswer> {
    const connection = this.#connection;
    if (!connection) throw new Refusal(this.refusal?.reason);
    const { now = Date.now } = this.#options;
    const sent_at = movedOn(header.sent_at, age, now());
    const head = headerLine({ ...addressHeader(header, this.dsn), sent_at });
    const headers = {
      "Content-Type": "application/x-sentry-envelope",
      "User-Agent": client,
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=${client}, sentry_key=${this.dsn.publicKey}`,
      ...(clientAddress ? { "X-Forwarded-For": clientAddress } : {}),
    };
    const until = performance.now() + this.#times.totalMs;
    const post = () => connection.post([head, body], headers, until);
    const { answers } = this.#options;
    let status: number | "none" = "none";
    try {
      const answer = await post().catch((error) => {
        // The service may close an idle connection at the moment it is used again.
        if (!this.#isWell || this.#closed || !isBroken(error)) throw error;
        return post();
      });
      status = answer.status;
      return answer;
    } finally {
      this.#isWell = status !== "none";
      answers?.set(status, (answers.get(status) ?? 0) + 1);
    }
  }
}

/** @returns an ISO time of four digits of a year: services refuse others */
function movedOn(sentAt: unknown, age: number, now: number): string {
  const sent = typeof sentAt === "string" ? Date.parse(sentAt) : Number.NaN;
  const moved = new Date(sent + Math.max(0, age));
  const year = moved.getUTCFullYear();
  return (year >= 0 && year <= 9999 ? moved : new Date(now)).toISOString();
}
