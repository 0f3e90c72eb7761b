import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2Session } from "node:http2";
import { log, oncePerMinute } from "../shared/log.ts";
import { onPageServer, servesPages, serving, whenAnswered } from "./serving.ts";

/**
 * One thing that happens to a request before the server's own listeners, Next's among them, get it. It
 * prepares the request and calls `next`, or runs `next` in a scope, both at once; or it answers the
 * request itself and does not call `next`.
 */
export type RequestStep = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => void;

/**
 * Takes each request of the servers that Next serves pages on through the steps, in their order, from now on.
 * A step that throws is logged and left out: the steps after it still run, and what it threw does not
 * become an uncaught exception. The server's listeners stay as they are, since its `emit` is wrapped.
 *
 * @param steps called with the first request
 */
export function onEachRequest(steps: () => readonly RequestStep[]): void {
  let run: ReturnType<typeof runner> | undefined;
  onPageServer((server) => {
    const { emit } = server;
    server.emit = function (this: Server, ...args: [string, ...unknown[]]) {
      // A custom server may have turned out to be none of Next's.
      if (args[0] !== "request" || !servesPages(server)) return Reflect.apply(emit, this, args);
      const [, request, response] = args as unknown as [string, IncomingMessage, ServerResponse];
      nameHost(request);
      run ??= runner(steps());
      run(request, response, () => Reflect.apply(emit, this, args));
      return true;
    };
  });
}

function runner(steps: readonly RequestStep[]) {
  const logFailure = oncePerMinute(log);
  return (request: IncomingMessage, response: ServerResponse, serve: () => void) => {
    const runFrom = (index: number) => {
      const step = steps[index];
      if (!step) return serve();
      let isOver = false;
      const next = () => {
        isOver = true;
        runFrom(index + 1);
      };
      try {
        step(request, response, next);
      } catch (error) {
        // It is not this step that has thrown.
        if (isOver) throw error;
        logFailure("error", "request step failed", { step: step.name, cause: String(error) });
        next();
      }
    };
    runFrom(0);
  };
}

/** As RFC 9113 has it for what makes HTTP/1 of HTTP/2: 8.3.1. */
function nameHost({ headers }: IncomingMessage): void {
  const authority = headers[":authority"];
  if (typeof authority === "string") headers.host ??= authority;
}

/**
 * Serves one path without Next, whose way to an API route costs more than all that the tunnel does.
 * No file under pages/api can take the path from it.
 *
 * @param path with the base path, without query. With a slash at its end it is the same: with Next's
 *   `trailingSlash`, proxies and clients may add one
 * @param handle must not reject
 */
export function serveDirectly(
  path: string,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): RequestStep {
  const withSlash = `${path}/`;
  return (request, response, next) => {
    const [asked] = (request.url ?? "").split("?", 1);
    if (asked === path || asked === withSlash) void handle(request, response);
    else next();
  };
}

/** Counts the request until it is answered. */
export const countInFlight: RequestStep = (request, response, next) => {
  const state = serving();
  state.requestsInFlight += 1;
  whenAnswered(request, response, finished);
  if (state.stopping) takeNoMore(request, response);
  next();
};

const leaving = new WeakSet<Http2Session>();

/** Has the client begin no further request on this connection. What it has begun is answered. */
function takeNoMore(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor < 2) return void response.setHeader("Connection", "close");
  const { session } = (request as unknown as Http2ServerRequest).stream;
  if (!session || leaving.has(session)) return;
  leaving.add(session);
  // Before Node 24, a server that closes lets HTTP/2's go on. What was sent before the client had this is still
  // taken. Source: https://datatracker.ietf.org/doc/html/rfc9113#section-6.8
  session.goaway(0, 2 ** 31 - 1);
  session.ping(() => session.close());
}

function finished(): void {
  const state = serving();
  state.requestsInFlight -= 1;
  state.onResponse?.();
}
