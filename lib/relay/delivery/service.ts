import http from "node:http";
import https from "node:https";
import { urlToHttpOptions } from "node:url";
import type { Dsn } from "@/lib/base/config/dsn";
import { oncePerMinute } from "@/lib/base/log";
import { addressHeader } from "@/lib/relay/envelope/address-envelope";
import { categorySet } from "@/lib/relay/envelope/categories";
import { readEnvelopeHeader } from "@/lib/relay/envelope/read-envelope";
import { headerLine } from "@/lib/relay/envelope/write-envelope";
import { backoff } from "@/lib/relay/outbox/backoff";
import type { ClaimedReport, Log, Outcome } from "@/lib/relay/outbox/outbox";
import type { Destination } from "./destination";
import { feedbackAsEvent } from "./feedback-events";
import type { LimitHeaders, ServiceLimits } from "./service-limits";

export interface ServiceOptions {
  /** Learns from each answer. */
  limits: ServiceLimits;
  log: Log;
  /** Counts and logs a report that can't be read, see `Outbox`. */
  setAside(reason: string, cause: unknown): void;
  /** Gives the envelope to send in place of the stored one, in a time that it bounds. */
  resolve?: (report: ClaimedReport) => Promise<Uint8Array>;
  /** Whether feedback is sent as an event, see {@link feedbackAsEvent}. */
  feedbackAsEvent?: boolean;
  times?: Partial<ServiceTimes>;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** 0 to 1, for the jitter of back-off. */
  random?: () => number;
}

export interface ServiceTimes {
  /** Maximum time to connect, TLS included. */
  connectMs: number;
  /** Maximum time from the connection to the end of the answer. */
  responseMs: number;
  /** Maximum time from the status to the end of the answer, once all is sent. */
  restMs: number;
}

interface ServiceAnswer {
  status: number;
  headers: LimitHeaders;
}

const client = "signpost/0.1.0";
const feedback = categorySet(["feedback"]);

class StaleConnection extends Error {}

/** The service that a DSN names. Reports go there over keep-alive connections. */
export class Service implements Destination {
  readonly #options: ServiceOptions;
  readonly #times: ServiceTimes;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #target: http.RequestOptions;
  readonly #log: Log;
  #closed = false;

  constructor(
    private readonly dsn: Dsn,
    options: ServiceOptions,
  ) {
    this.#options = options;
    this.#log = oncePerMinute(options.log);
    this.#times = { connectMs: 5000, responseMs: 10_000, restMs: 1000, ...options.times };
    const { Agent, request } = dsn.envelopeUrl.startsWith("https:") ? https : http;
    this.#agent = new Agent({ keepAlive: true, scheduling: "lifo" });
    this.#request = request;
    this.#target = { ...urlToHttpOptions(new URL(dsn.envelopeUrl)), agent: this.#agent };
  }

  /** @throws {Error} if the network fails, a time limit is exceeded, or the service has a fault */
  async deliver(report: ClaimedReport, stopping: AbortSignal): Promise<Outcome<undefined>> {
    const envelope = await this.#resolve(report, stopping);
    const isFeedback = this.#options.feedbackAsEvent && (report.categories & feedback) !== 0;
    const read = readEnvelopeHeader(isFeedback ? feedbackAsEvent(envelope) : envelope);
    if ("fault" in read) {
      this.#options.setAside("The report can't be read.", read.detail);
      return { kind: "dropped", reason: "internal_sdk_error" };
    }
    const answer = await this.#send(read.header, read.body, report.clientAddress);
    return this.#outcome(report, answer);
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  /** @returns the stored envelope where resolving fails, or would delay the end of the process */
  async #resolve(report: ClaimedReport, stopping: AbortSignal): Promise<Uint8Array> {
    const { resolve } = this.#options;
    if (!resolve || stopping.aborted) return report.envelope;
    let stop = () => {};
    const stopped = new Promise<Uint8Array>((asItIs) => {
      stop = () => asItIs(report.envelope);
    });
    stopping.addEventListener("abort", stop);
    try {
      return await Promise.race([resolve(report), stopped]);
    } catch (error) {
      this.#log("warn", "report not resolved", { cause: String(error) });
      return report.envelope;
    } finally {
      stopping.removeEventListener("abort", stop);
    }
  }

  #outcome(report: ClaimedReport, { status, headers }: ServiceAnswer): Outcome<undefined> {
    const { limits, random = Math.random } = this.#options;
    if (limits.learn(status, headers, report.categories)) {
      this.#log("warn", "service limits reports", { categories: limits.names() });
    }
    if (status >= 200 && status < 300) return { kind: "taken", value: undefined };
    const named = headers["x-sentry-rate-limits"];
    if (status === 429 && limits.wait(report.categories) > 0) return { kind: "back" };
    if (status === 429 && named !== undefined) {
      // The service is well: only reports of this kind wait, and not for long, as it may mean others.
      this.#log("warn", "service refuses reports by an unknown limit", {
        limits: named.slice(0, 200),
      });
      limits.hold(report.categories);
      return { kind: "later", ms: backoff(report.attempts + 1, random()) };
    }
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.#log("warn", "service refuses reports", { status });
      return { kind: "dropped", reason: "send_error" };
    }
    throw new Error(`status ${status}`);
  }

  /**
   * Sends one report, addressed to the service and with `sent_at` set to now. Follows no redirect. What counts
   * is the status, even if the rest of the answer does not come; a success that does not end counts only if
   * the report was sent whole.
   *
   * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#ingestion
   */
  async #send(
    header: Record<string, unknown>,
    body: Uint8Array,
    clientAddress: string | null,
  ): Promise<ServiceAnswer> {
    const { now = Date.now } = this.#options;
    const sent_at = new Date(now()).toISOString();
    const head = headerLine({ ...addressHeader(header, this.dsn), sent_at });
    try {
      return await this.#post(head, body, clientAddress);
    } catch (error) {
      // The service may close an idle connection at the moment it is used again.
      if (!(error instanceof StaleConnection) || this.#closed) throw error;
      return await this.#post(head, body, clientAddress);
    }
  }

  #post(head: Buffer, body: Uint8Array, clientAddress: string | null): Promise<ServiceAnswer> {
    return new Promise((resolve, reject) => {
      const { publicKey } = this.dsn;
      const request = this.#request({
        ...this.#target,
        method: "POST",
        headers: {
          "Content-Type": "application/x-sentry-envelope",
          "Content-Length": head.length + body.length,
          "User-Agent": client,
          "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=${client}, sentry_key=${publicKey}`,
          ...(clientAddress ? { "X-Forwarded-For": clientAddress } : {}),
        },
      });
      let answer: ServiceAnswer | undefined;
      let sent = false;
      let late: Error | undefined;
      const counts = () => answer !== undefined && (sent || answer.status >= 300);
      const fail = (reason: string) => {
        late = new Error(reason);
        request.destroy(late);
      };
      let timer = setTimeout(fail, this.#times.connectMs, "The connection took too long.");
      const limit = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(fail, ms, "The answer took too long.");
      };
      const connected = () => limit(this.#times.responseMs);
      request.once("socket", (socket) => {
        if (request.reusedSocket) connected();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
      });
      request.once("finish", () => {
        sent = true;
        if (answer) limit(this.#times.restMs);
      });
      request.once("response", (response) => {
        // Node has joined those that come twice.
        const headers = response.headers as LimitHeaders;
        const said = { status: response.statusCode ?? 0, headers };
        answer = said;
        if (sent) limit(this.#times.restMs);
        response.once("error", (error) => request.destroy(error));
        response.once("end", () => resolve(said));
        response.resume();
      });
      request.on("error", (cause) => {
        if (counts()) return;
        const stale = request.reusedSocket && !answer && !late;
        reject(stale ? new StaleConnection(cause.message, { cause }) : cause);
      });
      request.once("close", () => {
        clearTimeout(timer);
        if (answer && counts()) resolve(answer);
        else reject(new Error("The service closed the connection without an answer."));
      });
      request.write(head);
      request.end(body);
    });
  }
}
