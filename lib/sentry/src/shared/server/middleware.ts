import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { RequestHook } from "./each-request.ts";

/** Answers a request without Next. Must not reject; gives nothing if the request is for Next. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void> | undefined;

/** Runs `serve`, which lets Next serve the request, at once. */
export type Around = (
  request: IncomingMessage,
  response: ServerResponse,
  serve: () => void,
) => void;

/**
 * @param answers asked in this order
 * @param around what Next's part runs in
 */
export function answerBeforeNext(
  answers: Middleware[],
  around: Around = (_request, _response, serve) => serve(),
): RequestHook {
  const prepared = new WeakSet<Server>();
  return ({ server }) => {
    if (prepared.has(server)) return;
    prepared.add(server);
    const listeners = server.rawListeners("request");
    server.removeAllListeners("request");
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const isAnswered = answers.some((answer) => answer(request, response) !== undefined);
      if (isAnswered) return;
      around(request, response, () => {
        for (const listener of listeners) listener.call(server, request, response);
      });
    });
  };
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
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Middleware {
  const withSlash = `${path}/`;
  return (request, response) => {
    const [asked] = (request.url ?? "").split("?", 1);
    return asked === path || asked === withSlash ? handle(request, response) : undefined;
  };
}
