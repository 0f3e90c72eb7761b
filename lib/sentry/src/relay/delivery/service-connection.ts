import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { OutgoingProxy } from "../../shared/environment/outgoing-proxy.ts";
import { maxAnswerBytes, type ServiceAnswer } from "./service-answer.ts";

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

/** What Node and undici say of a connection that the other side has closed. */
const brokenCodes = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/** What undici says where there is no connection within the limit: of the service, and of a proxy's tunnel. */
const connectCodes = ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"];

/** Whether a connection broke, and not for a limit of ours: a service may close one as it is used again. */
export function isBroken(error: unknown): boolean {
  return brokenCodes.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code);
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
    const { connectMs, stallMs } = this.#times;
    const length = head.length + body.length;
    const aborter = new AbortController();
    let fail = (_: Error) => {};
    // A request that has no connection yet can't be aborted.
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    failure.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const limit = (ms: number, reason: string) => {
      clearTimeout(timer);
      // undici may ask for a part after the answer has come.
      if (isOver) return;
      const left = Math.max(0, until - performance.now());
      const error = new Error(ms < left ? reason : "The delivery took too long.");
      timer = setTimeout(
        () => {
          fail(error);
          aborter.abort(error);
        },
        Math.min(ms, left),
      );
    };
    let sent = false;
    function* parts() {
      for (const part of split(head, body)) {
        limit(stallMs, "The service takes no more of the report.");
        yield part;
      }
      sent = true;
      const buffered = Math.min(length, maxBuffered) / slowestRate;
      limit(stallMs + buffered, "The answer took too long.");
    }
    let answer: ServiceAnswer | undefined;
    // One part goes out with the head of the request, which costs half as much; the agent limits the connection.
    const isOnePart = length <= partBytes;
    if (isOnePart) limit(connectMs + stallMs, "The answer took too long.");
    else limit(connectMs, "The connection took too long.");
    try {
      const agent = await this.#agent;
      const posted = agent.request({
        ...this.#target,
        method: "POST",
        headers: { ...headers, "Content-Length": String(length) },
        // An iterable, as undici documents it; its types lack that.
        body: isOnePart ? Buffer.concat([head, body]) : (parts() as unknown as Readable),
        signal: aborter.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const response = await Promise.race([posted, failure]);
      sent ||= isOnePart;
      answer = {
        status: response.statusCode,
        headers: joined(response.headers),
        text: "",
        complete: false,
      };
      await readText(response.body, answer, () => limit(stallMs, "The answer took too long."));
      return answer;
    } catch (error) {
      if (answer && (sent || answer.status >= 300)) return answer;
      if (connectCodes.includes(codeOf(error))) {
        throw new Error("The connection took too long.", { cause: error });
      }
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#agent.then((agent) => agent.destroy()).catch(() => {});
  }
}

async function openAgent(proxy: OutgoingProxy | undefined, connectMs: number): Promise<Dispatcher> {
  // Otherwise undici would make its own agent that of `fetch` in the whole process: this loads Node's.
  void globalThis.Headers;
  const { EnvHttpProxyAgent, Pool } = await import("undici");
  const connect = { timeout: connectMs };
  return new EnvHttpProxyAgent({
    // Empty, not undefined: it would read the environment.
    httpProxy: proxy?.url ?? "",
    httpsProxy: proxy?.url ?? "",
    noProxy: proxy?.bypass ?? "",
    ...(proxy?.authorization && { token: proxy.authorization }),
    // Many a proxy takes CONNECT for TLS alone.
    proxyTunnel: false,
    connect,
    proxyTls: connect,
    requestTls: connect,
    // A proxy that does not answer to CONNECT.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectMs }),
  });
}

function* split(head: Uint8Array, body: Uint8Array): Generator<Uint8Array> {
  yield head;
  for (let from = 0; from < body.length; from += partBytes) {
    yield body.subarray(from, from + partBytes);
  }
}

/** Reads the beginning of an answer into its `text`; nothing waits for the rest. */
async function readText(
  body: AsyncIterable<Buffer>,
  answer: ServiceAnswer,
  onProgress: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  onProgress();
  for await (const chunk of body) {
    onProgress();
    const room = maxAnswerBytes - answer.text.length;
    answer.text += decoder.decode(chunk.subarray(0, room), { stream: true });
    if (answer.text.length >= maxAnswerBytes) return;
  }
  answer.complete = true;
}

function joined(headers: Record<string, string | string[] | undefined>): ServiceAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}
