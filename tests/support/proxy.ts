import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type Duplex, pipeline } from "node:stream";

/** A request as it came to the proxy. */
export interface Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  /** As far as it has come. */
  body: string;
  /** Whether the whole body has come. */
  complete: boolean;
}

/** What happens to a request instead of being passed on as it is. */
export type Treatment = (exchange: Exchange) => void | Promise<void>;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  /** Passes the request on, and the answer back with these headers put in place of its own. */
  pass: (headers?: OutgoingHttpHeaders) => void;
}

/** Gives an answer of its own. */
export function answer(status: number, body = "", type = "application/json"): Treatment {
  return ({ res }) => {
    res.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
  };
}

/** Ends the connection without a word. */
export const drop: Treatment = ({ res }) => {
  res.destroy();
};

/** Promises more than it gives, then ends the connection. */
export const cutShort: Treatment = ({ res }) => {
  res.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  res.write('{"pageProps":', () => res.destroy());
};

/** Never answers. */
export const hang: Treatment = () => {};

/** Keeps requests waiting until it is told to let them go on. */
export function hold() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const treatment =
    (headers?: OutgoingHttpHeaders): Treatment =>
    async ({ pass }) => {
      await gate;
      pass(headers);
    };
  return { gate, treatment, release };
}

/** Passes the answer back with other headers. */
export function withHeaders(headers: OutgoingHttpHeaders): Treatment {
  return ({ pass }) => pass(headers);
}

/** A real HTTP proxy in front of an app, which can be told to fail. */
export interface FaultProxy {
  /** Such as `http://localhost:40123`. */
  origin: string;
  /** The requests whose path and query match, in order of arrival. */
  seen: (pattern: RegExp) => Seen[];
  /** How many requests that match are being answered at the moment. */
  underWay: (pattern: RegExp) => number;
  /** Treats the requests that match from now on. @returns what ends it */
  treat: (pattern: RegExp, treatment: Treatment) => () => void;
  /** Passes on to another server from now on, as after a deployment. */
  pointAt: (origin: string) => void;
  stop: () => Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startProxy(first: string): Promise<FaultProxy> {
  let target = first;
  const seen: Seen[] = [];
  const open = new Set<Seen>();
  const treatments = new Map<symbol, [RegExp, Treatment]>();
  const server = createServer((req, res) => {
    const { method = "GET", url = "/", headers } = req;
    const one: Seen = { method, url, headers, body: "", complete: false };
    seen.push(one);
    req.on("data", (chunk) => {
      one.body += chunk;
    });
    req.once("end", () => {
      one.complete = true;
    });
    open.add(one);
    res.once("close", () => open.delete(one));
    const pass = (own: OutgoingHttpHeaders = {}) => passOn(target, req, res, own);
    // The latest word counts.
    const treatment = [...treatments.values()].findLast(([pattern]) => pattern.test(url))?.[1];
    if (treatment) void treatment({ req, res, pass });
    else pass();
  });
  // The development server talks to its pages by web socket.
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (req, socket, head) => {
    upgraded.add(socket);
    upgrade(target, req, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    seen: (pattern) => seen.filter(({ url }) => pattern.test(url)),
    underWay: (pattern) => [...open].filter(({ url }) => pattern.test(url)).length,
    treat: (pattern, treatment) => {
      const key = Symbol("treatment");
      treatments.set(key, [pattern, treatment]);
      return () => treatments.delete(key);
    },
    pointAt: (origin) => {
      target = origin;
    },
    stop: () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function passOn(
  target: string,
  req: IncomingMessage,
  res: ServerResponse,
  headers: OutgoingHttpHeaders,
): void {
  const onward = request(
    new URL(target).origin,
    { method: req.method, path: req.url, headers: req.headers },
    (from) => {
      res.writeHead(from.statusCode ?? 502, { ...from.headers, ...headers });
      from.pipe(res);
    },
  );
  onward.on("error", () => res.destroy());
  res.once("close", () => onward.destroy());
  req.pipe(onward);
}

function upgrade(target: string, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const onward = request(new URL(target).origin, { path: req.url, headers: req.headers });
  onward.on("upgrade", (from, open, first) => {
    const headers = Object.entries(from.headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(["HTTP/1.1 101 Switching Protocols", ...headers, "", ""].join("\r\n"));
    socket.write(first);
    open.write(head);
    pipeline(socket, open, socket, () => {});
  });
  onward.on("response", () => socket.destroy());
  onward.on("error", () => socket.destroy());
  socket.on("error", () => onward.destroy());
  onward.end();
}
