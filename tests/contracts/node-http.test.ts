import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, get, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";

const channel = "http.server.request.start";

interface Started {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

let undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.reverse()) step();
  undo = [];
});

function onStart(listener: (started: Started) => void): void {
  const take = (message: unknown) => listener(message as Started);
  subscribe(channel, take);
  undo.push(() => unsubscribe(channel, take));
}

async function serve(listener: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function answerOf(url: string) {
  const response = await fetch(url, { headers: { connection: "close" } });
  return { response, body: await response.text() };
}

test("each request is told of with its server, before any listener", async () => {
  const order: unknown[][] = [];
  const { server, url } = await serve((request, response) => {
    order.push(["listener", request, response]);
    response.end();
  });
  onStart((started) => order.push(["channel", started.request, started.response, started.server]));
  await answerOf(url);
  const [first, second] = order;
  expect(
    [first?.[0], second?.[0], first?.[1] === second?.[1], first?.[3] === server],
    `Node no longer publishes ${channel} with the request and its server before the server's listeners run: packages/sentry/src/server/serving.ts tells of the server there, whose emit request-steps.ts wraps, and packages/sentry/src/server/start-sdk.ts limits traces.`,
  ).toEqual(["channel", "listener", true, true]);
});

test("a server whose emit is wrapped there gives this very request to it, with what is set on request and response", async () => {
  onStart(({ server }) => {
    const { emit } = server;
    server.emit = function (this: Server, ...args: [string, ...unknown[]]) {
      const [event, request, response] = args as [string, IncomingMessage, ServerResponse];
      if (event === "request") {
        response.setHeaders(new Map([["X-Early", "yes"]]));
        request.url = "/changed";
      }
      return Reflect.apply(emit, this, args);
    };
  });
  const { url } = await serve((request, response) => response.end(request.url));
  const { response, body } = await answerOf(`${url}/asked`);
  expect(
    [response.headers.get("x-early"), body],
    "Node no longer emits `request` by the server's own emit, or what is set on request and response there no longer holds: packages/sentry/src/server/request-steps.ts runs all steps of lib/server/requests.ts there.",
  ).toEqual(["yes", "/changed"]);
});

test("a response tells of its end by close, also where the client goes away", async () => {
  const ends: boolean[] = [];
  const closed = new Promise<void>((resolve) => {
    onStart(({ response }) => {
      response.once("close", () => {
        ends.push(response.writableFinished);
        if (ends.length === 2) resolve();
      });
    });
  });
  const { url } = await serve((request, response) => {
    if (request.url === "/left") response.flushHeaders();
    else response.end();
  });
  await answerOf(`${url}/answered`);
  get(`${url}/left`, (response) => response.destroy());
  await closed;
  expect(
    ends,
    "A response no longer ends with `close` and writableFinished: packages/sentry/src/server/serving.ts counts requests by it, and packages/sentry/src/server/request-traces.ts ends spans.",
  ).toEqual([true, false]);
});

test("every answer goes by ServerResponse.prototype's writeHead and end", async () => {
  const calls: string[] = [];
  const { writeHead, end } = ServerResponse.prototype;
  undo.push(() => Object.assign(ServerResponse.prototype, { writeHead, end }));
  Object.assign(ServerResponse.prototype, {
    writeHead(this: ServerResponse, ...args: unknown[]) {
      calls.push(`writeHead ${args.length}`);
      // The length decided on here is the one that is sent.
      this.setHeader("Content-Length", 4);
      return Reflect.apply(writeHead, this, args);
    },
    end(this: ServerResponse, ...args: unknown[]) {
      calls.push("end");
      return Reflect.apply(end, this, args[0] === "bare" ? ["page"] : args);
    },
  });
  const { url } = await serve((_request, response) => {
    response.statusCode = 500;
    response.end("bare");
  });
  const { response, body } = await answerOf(url);
  expect(
    [response.status, body, calls],
    "ServerResponse.prototype.writeHead and end can't stand between Next and the client any more: lib/server/fallback-error-page.ts replaces them to show a page where Next says `Internal Server Error`.",
  ).toEqual([500, "page", ["end", "writeHead 1"]]);
});

test("a response's own writeHead replaces the prototype's", async () => {
  onStart(({ response }) => {
    const { writeHead } = response;
    response.writeHead = ((status: number, ...rest: []) => {
      if (status >= 400) response.setHeader("Cache-Control", "no-store");
      return writeHead.call(response, status, ...rest);
    }) as typeof writeHead;
  });
  const { url } = await serve((_request, response) => {
    response.statusCode = 404;
    response.setHeader("Cache-Control", "max-age=30");
    response.end();
  });
  const { response } = await answerOf(url);
  expect(
    response.headers.get("cache-control"),
    "Node no longer sends an answer's head by the response's own writeHead: lib/server/requests.ts keeps failed page data out of caches there.",
  ).toBe("no-store");
});

test("a connection is told of, with its server, before its first request is read", async () => {
  const take = (message: unknown) => {
    const { socket } = message as { socket: Socket & { server?: Server } };
    socket.server?.removeAllListeners("upgrade");
  };
  subscribe("net.server.socket", take);
  undo.push(() => unsubscribe("net.server.socket", take));
  const { server, url } = await serve((_request, response) => response.end("plain"));
  let upgrades = 0;
  server.on("upgrade", (_request, socket) => {
    upgrades += 1;
    socket.destroy();
  });
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  undo.push(() => client.destroy());
  const answer = new Promise<string>((resolve) => {
    client.on("data", (bytes) => resolve(String(bytes)));
    client.on("close", () => resolve("closed"));
  });
  client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  expect(
    [upgrades, (await answer).endsWith("plain")],
    "net.server.socket no longer comes with `socket.server` before the first request, or a server without listeners to `upgrade` no longer answers as usual: lib/server/upgrades.ts relies on both, and each request for an upgrade would leave a socket open for ever.",
  ).toEqual([0, true]);
});
