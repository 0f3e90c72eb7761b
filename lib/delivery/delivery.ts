import http from "node:http";
import https from "node:https";
import { urlToHttpOptions } from "node:url";
import type { Dsn } from "@/lib/config/dsn";
import { addressHeader } from "@/lib/envelope/address-envelope";
import { readEnvelopeHeader } from "@/lib/envelope/read-envelope";
import { headerLine } from "@/lib/envelope/write-envelope";
import type { ClaimedReport } from "@/lib/outbox/outbox";

export interface ServiceAnswer {
  status: number;
  headers: { "x-sentry-rate-limits"?: string; "retry-after"?: string };
}

export interface DeliveryLimits {
  /** Maximum time to connect, TLS included. */
  connectMs: number;
  /** Maximum time from the connection to the end of the answer. */
  responseMs: number;
  /** Maximum time from the status to the end of the answer, once all is sent. */
  restMs: number;
}

const client = "signpost/0.1.0";

class StaleConnection extends Error {}

class UnreadableReport extends Error {}

/** Whether `send` has failed for what it was to send: another try would fail too. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableReport;
}

/** Sends reports to the service over keep-alive connections. */
export class Delivery {
  readonly #limits: DeliveryLimits;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  #closed = false;
  readonly #target: http.RequestOptions;
  readonly #headers: http.OutgoingHttpHeaders;

  constructor(
    private readonly service: Dsn,
    limits: Partial<DeliveryLimits> = {},
  ) {
    this.#limits = { connectMs: 5000, responseMs: 10_000, restMs: 1000, ...limits };
    const { Agent, request } = service.envelopeUrl.startsWith("https:") ? https : http;
    this.#agent = new Agent({ keepAlive: true, scheduling: "lifo" });
    this.#request = request;
    this.#target = { ...urlToHttpOptions(new URL(service.envelopeUrl)), agent: this.#agent };
    this.#headers = {
      "Content-Type": "application/x-sentry-envelope",
      "User-Agent": client,
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=${client}, sentry_key=${service.publicKey}`,
    };
  }

  /**
   * Sends one report, addressed to the service and with `sent_at` set to now.
   * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#ingestion
   *
   * Follows no redirect. What counts is the status, even if the rest of the answer does not come; but a
   * success that does not end counts only if the report was sent whole.
   *
   * @param now milliseconds since the epoch
   * @throws {Error} if the network fails, a time limit is exceeded, or it is unreadable
   */
  async send(report: ClaimedReport, now: number): Promise<ServiceAnswer> {
    const read = readEnvelopeHeader(report.envelope);
    if ("fault" in read) throw new UnreadableReport(read.detail);
    const addressed = addressHeader(read.header, this.service);
    addressed.sent_at = new Date(now).toISOString();
    const head = headerLine(addressed);
    try {
      return await this.#post(head, read.body, report.clientAddress);
    } catch (error) {
      // The service may close an idle connection at the moment it is used again.
      if (!(error instanceof StaleConnection) || this.#closed) throw error;
      return await this.#post(head, read.body, report.clientAddress);
    }
  }

  #post(head: Buffer, body: Uint8Array, clientAddress?: string): Promise<ServiceAnswer> {
    return new Promise((resolve, reject) => {
      const request = this.#request({
        ...this.#target,
        method: "POST",
        headers: {
          ...this.#headers,
          "Content-Length": head.length + body.length,
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
      let timer = setTimeout(fail, this.#limits.connectMs, "The connection took too long.");
      const limit = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(fail, ms, "The answer took too long.");
      };
      const connected = () => limit(this.#limits.responseMs);
      request.once("socket", (socket) => {
        if (request.reusedSocket) connected();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
      });
      request.once("finish", () => {
        sent = true;
        if (answer) limit(this.#limits.restMs);
      });
      request.once("response", (response) => {
        const said = { status: response.statusCode ?? 0, headers: limitHeaders(response.headers) };
        answer = said;
        if (sent) limit(this.#limits.restMs);
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

  /** Aborts the requests that are running. */
  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }
}

function limitHeaders(headers: http.IncomingHttpHeaders): ServiceAnswer["headers"] {
  const limits = headers["x-sentry-rate-limits"];
  return {
    "x-sentry-rate-limits": Array.isArray(limits) ? limits.join(",") : limits,
    "retry-after": headers["retry-after"],
  };
}
