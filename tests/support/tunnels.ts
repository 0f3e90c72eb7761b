import http from "node:http";
import { connect } from "node:net";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { clientReader } from "@/packages/relay/src/http/client-address";
import { ClientLimit, feedbackRate } from "@/packages/relay/src/http/rates";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import { Tunnel, type TunnelOptions } from "@/packages/relay/src/tunnel/tunnel";
import { type CompletionOptions, completion } from "@/packages/sentry/src/server/complete-envelope";
import { Releases } from "@/packages/sentry/src/server/releases";
import { listen } from "./listening";
import { openOutbox } from "./outboxes";

/** What a tunnel said over HTTP. */
export interface Said {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: { id?: string | null; error?: string; detail?: string };
}

/** What a tunnel completes envelopes with. */
export const reporting = {
  release: "1.2.3",
  environment: "staging",
  serverTracesSampleRate: 0.25,
  browserTracesSampleRate: 0.5,
};

/** Which release a page has, as a server of this one knows it, which has these told of by others. */
export function releasesOf(others: Record<string, string>): CompletionOptions["releaseOf"] {
  const rows = Object.entries(others).map(([build, value]) => {
    return { name: `release of build ${build}`, value };
  });
  const driver = { read: async () => rows } as unknown as Driver;
  const { release } = reporting;
  const releases = new Releases({ build: "own-build", release, driver: () => driver });
  return (build) => releases.ofPage(build);
}

export interface TunnelSetting extends Partial<TunnelOptions>, Partial<CompletionOptions> {
  trustedProxies?: string[];
}

/** A tunnel on a real port, with an outbox on a real file, which completes what pages send without the SDK. */
export async function startTunnel({ trustedProxies = [], ...options }: TunnelSetting = {}) {
  const opened = openOutbox();
  const limits = new ServiceLimits();
  const tunnel = new Tunnel({
    append: (...report) => opened.outbox.append(...report),
    limits,
    maxBytes: 2 * 1024 * 1024,
    memory: new BodyMemory(2 * 1024 * 1024),
    rate: 100_000,
    feedbackLimit: new ClientLimit(feedbackRate),
    clientOf: clientReader(trustedProxies),
    reportClientIp: false,
    receive: completion({ reporting, releaseOf: async () => reporting.release, ...options }),
    log: opened.log,
    ...options,
  });
  const { port } = await listen((request, response) => void tunnel.handle(request, response));
  return { ...opened, tunnel, limits, port, send: sender(port) };
}

/** Sends one request, its body in chunks of unknown number unless a length is among the headers. */
function sender(port: number) {
  return (
    body: Uint8Array | Iterable<Uint8Array>,
    headers: http.OutgoingHttpHeaders = {},
    method = "POST",
  ): Promise<Said> =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, host: "127.0.0.1", method, headers, agent: false });
      let answered = false;
      request.on("response", (response) => {
        answered = true;
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          const text = Buffer.concat(chunks).toString();
          resolve({ status, headers, body: text === "" ? {} : JSON.parse(text) });
        });
      });
      // Whoever is refused in mid-body may find the door shut while still sending.
      request.on("error", (error) => {
        if (!answered) reject(error);
      });
      if (body instanceof Uint8Array) request.end(body);
      else {
        for (const chunk of body) request.write(chunk);
        request.end();
      }
    });
}

/**
 * Opens a connection, says this, and no more.
 *
 * @returns all that came back until the other side closed the connection
 */
export function sayAndWait(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let heard = "";
    socket.on("data", (chunk) => {
      heard += chunk;
    });
    socket.on("close", () => resolve(heard));
    socket.on("error", reject);
  });
}
