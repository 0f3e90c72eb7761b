import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";
import type { RequestStep } from "@signpost/sentry/server";
import {
  clientReader,
  errorResponses,
  onPageServer,
  refusals,
  runtimeConfig,
  shareKey,
  unansweredOn,
  whenAnswered,
  writeErrorResponse,
} from "@signpost/sentry/server";
import { basePath } from "@/lib/navigation/location";

/** No browser sends the next request of a connection before the answer; some tools send a few. */
const maxPipelined = 32;
/** Far more than are in flight where nobody holds them up. Each takes some 300 kB of memory. */
const maxTogether = 800;
/** Answers that go on without end, such as events that a server sends: each takes some 60 kB while it rests. */
const maxStreamsTogether = 2_000;
/** How many may ask at once how reporting fares. Where the database is frozen, each waits. */
const maxAskReporting = 64;

/**
 * Of the heap's limit, for each connection. It takes some 10 kB, and twice as much for a head that does not
 * come to its end; the limit counts what is for new objects beside that for old ones.
 */
const connectionBytes = 96 * 1024;
/** Lines in the head of a request, with room for what proxies add. Node and Next keep several copies of each. */
export const maxHeaders = 200;

const readyPath = `${basePath}/api/health/ready`;

/**
 * Closes a connection that asks for more and more without waiting for answers: Node begins to handle
 * all requests of a connection at once, and keeps the answers until it is their turn.
 */
export const refusePipelined: RequestStep = ({ socket }, _response, next) => {
  if (!socket.destroyed && unansweredOn(socket) <= maxPipelined) return next();
  if (!socket.destroyed) refusals().note("requests", "too_many_pipelined");
  socket.destroy();
};

/**
 * Closes connections beyond as many as the heap has room for: the oldest of whoever has most that waits for no
 * answer, else the new one. One subscriber, or one proxy, has half of them at most. Of a head, Node reads so many lines; since 24.21 at the latest it refuses one that has more, with 431.
 */
export function limitConnections(
  max = Math.floor(getHeapStatistics().heap_size_limit / connectionBytes),
): void {
  const open = new InFlight<Socket>(max);
  const clientOf = clientReader([]);
  onPageServer(
    (server) => {
      server.maxHeadersCount = maxHeaders;
    },
    (socket) => {
      const key = shareKey(clientOf({ socket, headers: {} } as IncomingMessage).address);
      const close = (one: Socket) => {
        refusals().note("requests", "too_many_connections");
        open.leave(one);
        one.destroy();
      };
      if (open.isFull) open.ofLargest((one) => unansweredOn(one) === 0).forEach(close);
      if (open.enter(socket, key)) socket.once("close", () => open.leave(socket));
      else close(socket);
    },
  );
}

/**
 * Refuses requests while too many are in flight, of one subscriber or of all. Health checks are not
 * among these, unless they wait behind other answers of their connection, as no real one does.
 */
export function shedLoad(maxStreams = maxStreamsTogether): RequestStep {
  const pages = new InFlight<ServerResponse>(maxTogether);
  const streams = new InFlight<ServerResponse>(maxStreams);
  const askReporting = new InFlight<ServerResponse>(maxAskReporting);
  const clientOf = clientReader(runtimeConfig().trustedProxies);
  return function shedLoad(request, response, next) {
    const { url = "", socket } = request;
    const [path] = url.split("?", 1);
    const isAlone = unansweredOn(socket) <= 1;
    // These are answered soon, and whoever gets no answer restarts the server, or sends no visitors.
    const isHealth = path === `${basePath}/api/health/live` || url === readyPath;
    if (isAlone && isHealth) return next();
    const inFlight = isAlone && path === readyPath ? askReporting : pages;
    const key = shareKey(clientOf(request).address);
    const enter = () => inFlight.enter(response, key);
    if (!enter() && !(inFlight.moveStreams(streams) && enter())) {
      refusals().note("requests", "too_many_in_flight");
      void writeErrorResponse(request, response, tooMany).catch(() => {});
      return;
    }
    whenAnswered(request, response, () => {
      inFlight.leave(response);
      streams.leave(response);
    });
    next();
  };
}

/** What is there at once: requests by their responses, or connections. */
class InFlight<T extends object> {
  readonly #max: number;
  /** Whose it is, by address. */
  readonly #all = new Map<T, string>();
  readonly #byAddress = new Map<string, number>();

  /** @param max of all together. One subscriber has half of it, and leaves room for others */
  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#all.size >= this.#max;
  }

  /** @returns the first of whoever has most, of those that may go; none if there is none */
  ofLargest(mayGo: (one: T) => boolean): T[] {
    const most = Math.max(...this.#byAddress.values());
    for (const [one, key] of this.#all) {
      if (this.#byAddress.get(key) === most && mayGo(one)) return [one];
    }
    return [];
  }

  /** @returns whether there is room */
  enter(one: T, key: string): boolean {
    const own = this.#byAddress.get(key) ?? 0;
    if (this.#all.size >= this.#max || own >= this.#max / 2) return false;
    this.#all.set(one, key);
    this.#byAddress.set(key, own + 1);
    return true;
  }

  /** Does nothing where it is not among these. */
  leave(one: T): void {
    const key = this.#all.get(one);
    if (key === undefined) return;
    this.#all.delete(one);
    const own = (this.#byAddress.get(key) ?? 0) - 1;
    if (own > 0) this.#byAddress.set(key, own);
    else this.#byAddress.delete(key);
  }

  /**
   * An answer that has begun, goes on, and whose client has read all of it so far is no load.
   *
   * @param streams has these from now on, as far as it has room
   * @returns whether there were any
   */
  moveStreams(this: InFlight<ServerResponse>, streams: InFlight<ServerResponse>): boolean {
    const before = this.#all.size;
    for (const [response, key] of this.#all) {
      const rests =
        response.headersSent && !response.writableEnded && response.writableLength === 0;
      if (rests && streams.enter(response, key)) this.leave(response);
    }
    return this.#all.size < before;
  }
}

const tooMany = errorResponses.unavailable("Too many requests are being answered.");
