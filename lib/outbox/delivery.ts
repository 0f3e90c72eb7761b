import http from "node:http";
import https from "node:https";
import { urlToHttpOptions } from "node:url";
import { addressHeader, headerLine } from "@/lib/envelope/address-envelope";
import { readEnvelopeHeader } from "@/lib/envelope/read-envelope";
import type { ClaimedReport } from "./outbox";

/** The service, as a DSN names it. */
export interface Service {
  text: string;
  publicKey: string;
  envelopeUrl: string;
}

export interface ServiceAnswer {
  status: number;
  headers: { "x-sentry-rate-limits"?: string; "retry-after"?: string };
}

export interface DeliveryLimits {
  /** Milliseconds until a connection stands, TLS included. */
  connectMs: number;
  /** Milliseconds from there until the answer is there in full. */
  responseMs: number;
}

const client = "signpost/0.1.0";

/** Hands reports to the service over connections that are kept open. */
export class Delivery {
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #to: http.RequestOptions;
  readonly #headers: http.OutgoingHttpHeaders;

  constructor(
    private readonly service: Service,
    private readonly limits: DeliveryLimits = { connectMs: 5000, responseMs: 10_000 },
  ) {
    const { Agent, request } = service.envelopeUrl.startsWith("https:") ? https : http;
    this.#agent = new Agent({ keepAlive: true, scheduling: "lifo" });
    this.#request = request;
    this.#to = { ...urlToHttpOptions(new URL(service.envelopeUrl)), agent: this.#agent };
    this.#headers = {
      "Content-Type": "application/x-sentry-envelope",
      "User-Agent": client,
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=${client}, sentry_key=${service.publicKey}`,
    };
  }

  /**
   * Sends one report, its header made out to the service and `sent_at` set to now.
   * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#ingestion
   *
   * @param now milliseconds since the epoch
   * @throws {Error} of the network, or that a limit of time was passed
   */
  send(report: ClaimedReport, now: number): Promise<ServiceAnswer> {
    const read = readEnvelopeHeader(report.envelope);
    if ("fault" in read) return Promise.reject(new Error(read.detail));
    const { body } = read;
    const addressed = addressHeader(read.header, this.service);
    addressed.sent_at = new Date(now).toISOString();
    const head = headerLine(addressed);
    return new Promise((resolve, reject) => {
      const request = this.#request({
        ...this.#to,
        method: "POST",
        headers: {
          ...this.#headers,
          "Content-Length": head.length + body.length,
          ...(report.clientAddress ? { "X-Forwarded-For": report.clientAddress } : {}),
        },
      });
      const fail = (what: string) => request.destroy(new Error(what));
      let timer = setTimeout(fail, this.limits.connectMs, "The connection took too long.");
      const connected = () => {
        clearTimeout(timer);
        timer = setTimeout(fail, this.limits.responseMs, "The answer took too long.");
      };
      request.once("socket", (socket) => {
        if (request.reusedSocket) connected();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
      });
      request.once("response", (response) => {
        response.once("error", request.destroy.bind(request));
        response.once("end", () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, headers: limitHeaders(response.headers) });
        });
        response.resume();
      });
      request.once("error", reject);
      request.once("close", () => {
        clearTimeout(timer);
        reject(new Error("The service closed the connection without an answer."));
      });
      request.write(head);
      request.end(body);
    });
  }

  close(): void {
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
