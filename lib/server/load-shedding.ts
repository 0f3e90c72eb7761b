import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";
import { clientReader, errorResponses, shareKey, writeErrorResponse } from "@signpost/relay/http";
import type { RequestStep } from "@signpost/sentry/server";
import {
  onPageServer,
  relay,
  runtimeConfig,
  unansweredOn,
  whenAnswered,
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
  if (!socket.destroyed) relay().refusals.note("requests", "too_many_pipelined");
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
        relay().refusals.note("requests", "too_many_connections");
        one.destroy();
      };
      const idle = open.isFull ? open.oldestOfMost((one) => unansweredOn(one) === 0) : undefined;
      if (idle) {
        open.leave(idle);
        close(idle.one);
      }
      const entry = open.enter(socket, key);
      if (entry) socket.once("close", () => open.leave(entry));
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
    const entry =
      inFlight.enter(response, key) ??
      (inFlight.moveStreams(streams) ? inFlight.enter(response, key) : undefined);
    if (!entry) {
      relay().refusals.note("requests", "too_many_in_flight");
      void writeErrorResponse(request, response, tooMany).catch(() => {});
      return;
    }
    whenAnswered(request, response, () => {
      inFlight.leave(entry);
      streams.leave(entry);
    });
    next();
  };
}

interface Entry<T> {
  readonly one: T;
  /** Whose it is, by address. */
  readonly key: string;
  readonly number: number;
  /** Its place in the list that it is in. */
  index: number;
}

/**
 * What is there at once: requests by their responses, or connections.
 *
 * A list and no Map: V8 makes the table of a Map that changes with each request anew every few requests, and what
 * was in the old ones becomes garbage that only a collection of the whole heap can find.
 */
class InFlight<T> {
  readonly #max: number;
  readonly #all: Entry<T>[] = [];
  readonly #byAddress = new Map<string, number>();
  #entered = 0;

  /** @param max of all together. One subscriber has half of it, and leaves room for others */
  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#all.length >= this.#max;
  }

  /** The one that came first of whoever has most, of those that may go. */
  oldestOfMost(mayGo: (one: T) => boolean): Entry<T> | undefined {
    const most = Math.max(...this.#byAddress.values());
    return this.#all
      .filter(({ one, key }) => this.#byAddress.get(key) === most && mayGo(one))
      .reduce<Entry<T> | undefined>((a, b) => (a && a.number < b.number ? a : b), undefined);
  }

  /** @returns nothing where there is no room */
  enter(one: T, key: string): Entry<T> | undefined {
    const entry = { one, key, number: this.#entered, index: 0 };
    this.#entered += 1;
    return this.#add(entry) ? entry : undefined;
  }

  #add(entry: Entry<T>): boolean {
    const own = this.#byAddress.get(entry.key) ?? 0;
    if (this.isFull || own >= this.#max / 2) return false;
    this.#byAddress.set(entry.key, own + 1);
    entry.index = this.#all.push(entry) - 1;
    return true;
  }

  /** Does nothing where it is not among these. */
  leave(entry: Entry<T>): void {
    const { index, key } = entry;
    if (this.#all[index] !== entry) return;
    const last = this.#all.pop();
    if (last && last !== entry) {
      last.index = index;
      this.#all[index] = last;
    }
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
    const before = this.#all.length;
    for (const entry of [...this.#all]) {
      const { headersSent, writableEnded, writableLength } = entry.one;
      if (!headersSent || writableEnded || writableLength > 0) continue;
      this.leave(entry);
      if (!streams.#add(entry)) this.#add(entry);
    }
    return this.#all.length < before;
  }
}

const tooMany = errorResponses.unavailable("Too many requests are being answered.");
