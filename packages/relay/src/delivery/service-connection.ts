import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { buildConnector, Dispatcher, Pool } from "undici";
import { maxAnswerBytes, type ServiceAnswer } from "./service-answer.ts";

/** The HTTP proxy by which the service is reached. */
export interface OutgoingProxy {
  /** Without credentials. */
  url: string;
  /** The value of `Proxy-Authorization`, if it wants one. */
  authorization?: string | undefined;
  /** Which hosts are reached without it: as the value of `NO_PROXY`. */
  bypass?: string | undefined;
}

/** Why the service can't be reached by the proxy that was asked for. */
export interface ProxyFault {
  variable: string;
  /** One sentence, without the value. */
  reason: string;
}

export interface ServiceTimes {
  /** Maximum time to connect, by way of a proxy and with TLS. */
  connectMs: number;
  /** Maximum time in which nothing of the report is taken, and nothing of the answer comes. */
  stallMs: number;
  /** Maximum time for all of it. */
  totalMs: number;
}

/** A report goes out in parts of so many bytes: each that is taken is progress. */
const partBytes = 64 * 1024;
/** How much of what it has taken the system, or a proxy on this machine, may still be sending. */
const maxBuffered = 8 * 1024 * 1024;
/** Bytes a millisecond that the slowest line takes which is waited for: 20 MiB in two minutes. */
const slowestRate = (20 * 1024 * 1024) / 120_000;

/**
 * What is read at most of a connection from one report to the next: also interim answers and extensions of chunks,
 * which undici does not count. Heads and trailers it limits itself.
 */
const maxReadBytes = 256 * 1024;

/** What Node and undici say of a connection that the other side has closed. */
const brokenCodes = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/** Whether a connection broke, and not for a limit of ours: a service may close one as it is used again. */
export function isBroken({ code = "" }: NodeJS.ErrnoException): boolean {
  return brokenCodes.includes(code);
}

/** Posts to one URL over keep-alive connections, with limits on inactivity. Follows no redirect. */
export class ServiceConnection {
  readonly #agent: Promise<Dispatcher>;
  readonly #times: ServiceTimes;
  readonly #target: { origin: string; path: string };

  constructor(url: string, proxy: OutgoingProxy | undefined, times: ServiceTimes) {
    this.#times = times;
    const { origin, pathname: path } = new URL(url);
    this.#target = { origin, path };
    this.#agent = openAgent(proxy, times.connectMs);
    // Whoever posts finds out why.
    this.#agent.catch(() => {});
  }

  /**
   * What counts is the status, even if the rest of the answer does not come; a success that does not end counts
   * only if the report was sent whole.
   *
   * @param until when it must be over, by `performance.now`
   * @throws {Error} if the network fails, or a limit is exceeded
   */
  async post(
    [head, body]: readonly [head: Uint8Array, body: Uint8Array],
    headers: Record<string, string>,
    until: number,
  ): Promise<ServiceAnswer> {
    const agent = await this.#agent;
    const { connectMs, stallMs } = this.#times;
    const length = head.length + body.length;
    return new Promise((resolve, reject) => {
      let request: Dispatcher.DispatchController | undefined;
      let answer: ServiceAnswer | undefined;
      let sent = false;
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const limit = (ms: number, reason: string) => {
        clearTimeout(timer);
        // undici may ask for a part after the answer has come.
        if (isOver) return;
        const left = Math.max(0, until - performance.now());
        timer = setTimeout(
          () => end(new Error(ms < left ? reason : "The delivery took too long.")),
          Math.min(ms, left),
        );
      };
      const end = (error?: Error) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        if (answer && (!error || sent || answer.status >= 300)) resolve(answer);
        else reject(error);
        if (!answer?.complete) request?.abort(error ?? new Error("The rest is not read."));
      };
      function* parts() {
        for (const part of split(head, body)) {
          limit(stallMs, "The service takes no more of the report.");
          yield part;
        }
        sent = true;
        const buffered = Math.min(length, maxBuffered) / slowestRate;
        limit(stallMs + buffered, "The answer took too long.");
      }
      const decoder = new TextDecoder();
      // One part goes out with the head of the request, which costs half as much; the agent limits the connection.
      const isOnePart = length <= partBytes;
      if (isOnePart) limit(connectMs + stallMs, "The answer took too long.");
      else limit(connectMs, "The connection took too long.");
      agent.dispatch(
        {
          ...this.#target,
          method: "POST",
          headers: { ...headers, "Content-Length": String(length) },
          // An iterable, as undici documents it; its types lack that.
          body: isOnePart ? Buffer.concat([head, body]) : (parts() as unknown as Readable),
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(controller) {
            request = controller;
            // It had no connection until now, so that it couldn't be broken off.
            if (isOver) controller.abort(new Error("The limit is over."));
          },
          onResponseStart(_, status, headers) {
            if (status < 200) return;
            sent ||= isOnePart;
            answer = { status, headers: joined(headers), text: "", complete: false };
            limit(stallMs, "The answer took too long.");
          },
          onResponseData(_, chunk) {
            if (!answer || isOver) return;
            limit(stallMs, "The answer took too long.");
            const room = maxAnswerBytes - answer.text.length;
            answer.text += decoder.decode(chunk.subarray(0, room), { stream: true });
            // Nothing waits for the rest.
            if (answer.text.length >= maxAnswerBytes) end();
          },
          onResponseEnd() {
            if (answer) answer.complete = true;
            end();
          },
          onResponseError: (_, error) => end(error),
        },
      );
    });
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#agent.then((agent) => agent.destroy()).catch(() => {});
  }
}

async function openAgent(proxy: OutgoingProxy | undefined, connectMs: number): Promise<Dispatcher> {
  // Otherwise undici would make its own agent that of `fetch` in the whole process: this loads Node's.
  void globalThis.Headers;
  const { Agent, buildConnector, EnvHttpProxyAgent, Pool } = await import("undici");
  // Each step of connecting has undici's limits, which only clean up: all steps together have ours.
  const stepMs = connectMs + 1000;
  const connect = { timeout: stepMs };
  const factory = (origin: string | URL, options: Pool.Options) => {
    const { connect } = options;
    const connector = typeof connect === "function" ? connect : buildConnector({ ...connect });
    const connectAndLimit: buildConnector.connector = (target, callback) => {
      let isLate = false;
      const deadline = setTimeout(() => {
        isLate = true;
        callback(new Error("The connection took too long."), null);
      }, connectMs).unref();
      connector(target, (...result) => {
        const [, socket] = result;
        if (isLate) return void socket?.destroy();
        clearTimeout(deadline);
        if (socket) limitReading(socket);
        callback(...result);
      });
    };
    return new Pool(origin, { ...options, connect: connectAndLimit });
  };
  if (!proxy) return new Agent({ connect, factory });
  return new EnvHttpProxyAgent({
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    // Empty, not undefined: it would read the environment.
    noProxy: proxy.bypass ?? "",
    ...(proxy.authorization && { token: proxy.authorization }),
    // Many a proxy takes CONNECT for TLS alone.
    proxyTunnel: false,
    connect,
    factory,
    proxyTls: connect,
    requestTls: connect,
    // A proxy that does not answer to CONNECT.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: stepMs }),
  });
}

function limitReading(socket: Socket): void {
  let left = maxReadBytes;
  let written = 0;
  // It comes before undici's own listener, which takes all that is there.
  socket.on("readable", () => {
    // Another report has begun, or more of this one was taken.
    if (socket.bytesWritten !== written) left = maxReadBytes;
    written = socket.bytesWritten;
    left -= socket.readableLength;
    if (left < 0) socket.destroy(new Error("The answer is too long."));
  });
}

function* split(head: Uint8Array, body: Uint8Array): Generator<Uint8Array> {
  yield head;
  for (let from = 0; from < body.length; from += partBytes) {
    yield body.subarray(from, from + partBytes);
  }
}

function joined(headers: Record<string, string | string[] | undefined>): ServiceAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}
