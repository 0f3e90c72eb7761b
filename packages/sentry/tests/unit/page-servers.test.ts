import { EventEmitter, once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { errorResponses, writeErrorResponse } from "@/packages/relay/src/http/answers";
import {
  countInFlight,
  onEachRequest,
  type RequestStep,
} from "@/packages/sentry/src/server/request-steps";
import { serving, whenAnswered } from "@/packages/sentry/src/server/serving";
import { listen } from "@/tests/support/listening";

const steps: RequestStep[] = [];
onEachRequest(() => steps);
// Chosen once the first request comes: a bundler may run a server's own modules before `init` or after it.
steps.push((request, response, next) => {
  if (request.url === "/tunnel") response.end("by a step");
  else next();
});

async function ask({ origin }: { origin: string }, path = "/tunnel"): Promise<string> {
  return (await fetch(origin + path)).text();
}

const answer: http.RequestListener = (_request, response) => response.end("by a listener");

/** Marks each request that it gets, as Next does. */
const next: http.RequestListener = (request, response) => {
  Object.assign(request, { [Symbol.for("NextInternalRequestMeta")]: {} });
  response.end("by Next");
};

test("of the servers beside `next start`, the one with Next's port is taken care of, from its first request on, and no other", async () => {
  const [metrics, pages] = [await listen(answer), await listen(answer)];
  vi.stubEnv("__NEXT_PRIVATE_ORIGIN", pages.origin);
  vi.stubEnv("PORT", String(pages.port));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await ask(metrics)).toBe("by a listener");
  expect(await ask(pages)).toBe("by a step");
  expect(await ask(metrics)).toBe("by a listener");
});

test("a custom server is taken care of from its first request on; others no longer, once one has reached Next", async () => {
  await expect.poll(() => serving().pageServers.size).toBe(0);
  const [metrics, pages] = [await listen(answer), await listen(next)];
  expect(await ask(pages)).toBe("by a step");
  expect(await ask(pages, "/")).toBe("by Next");
  await expect.poll(() => serving().pageServers.size).toBe(1);
  expect(await ask(metrics)).toBe("by a listener");
  expect(await ask(pages)).toBe("by a step");
});

test("a second server of one Next is one, too, once a request of it has reached Next", async () => {
  await expect.poll(() => serving().pageServers.size).toBe(0);
  const [first, second] = [await listen(next), await listen(next)];
  expect(await ask(first, "/")).toBe("by Next");
  await expect.poll(() => serving().pageServers.size).toBe(1);
  expect(await ask(second, "/")).toBe("by Next");
  await expect.poll(() => serving().pageServers.size).toBe(2);
  expect(await ask(second)).toBe("by a step");
  expect(await ask(first)).toBe("by a step");
});

test("a server that closes is forgotten", async () => {
  await expect.poll(() => serving().pageServers.size).toBe(0);
  const server = http.createServer(next);
  const { origin } = await listen(server);
  await ask({ origin }, "/");
  await expect.poll(() => serving().pageServers.size).toBe(1);
  server.closeAllConnections();
  server.close();
  await expect.poll(() => serving().pageServers.size).toBe(0);
});

test("a listener that is taken away, or comes later, is one, also after the first request", async () => {
  const server = http.createServer(answer);
  const at = await listen(server);
  expect(await ask(at, "/")).toBe("by a listener");
  server.off("request", answer);
  server.on("request", (_request, response) => response.end("by another"));
  expect(await ask(at, "/")).toBe("by another");
  expect(server.listenerCount("request")).toBe(1);
});

test("requests of HTTP/2 take the same steps, with the host that they were sent to", async () => {
  const hosts: unknown[] = [];
  onEachRequest(() => [
    countInFlight,
    (request, response, go) => {
      if (request.url !== "/refused") return go();
      hosts.push(request.headers.host);
      void writeErrorResponse(request, response, errorResponses.tooLarge("Too large."));
    },
  ]);
  const server = http2.createServer((_request, response) => void response.end("by a listener"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const answerTo = async (path: string) => {
    const stream = session.request({ ":path": path, ":method": "POST" });
    stream.end(Buffer.alloc(100_000));
    const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
    return [headers[":status"], String(Buffer.concat(await stream.toArray()))];
  };
  expect(await answerTo("/tunnel")).toEqual([200, "by a step"]);
  expect(await answerTo("/refused")).toEqual([413, expect.stringContaining("too_large")]);
  expect(hosts).toEqual([`127.0.0.1:${port}`]);
  serving().stopping = true;
  onTestFinished(() => {
    serving().stopping = false;
  });
  // A server that stops answers what its clients have begun, and has them begin no more.
  const begun = await Promise.all(Array.from({ length: 6 }, () => answerTo("/")));
  expect(begun).toEqual(Array(6).fill([200, "by a listener"]));
  await expect.poll(() => session.closed).toBe(true);
  await expect.poll(() => serving().requestsInFlight).toBe(0);
});

test("a response may have the listeners of the package besides, or any number where the app allows that", async () => {
  const { defaultMaxListeners } = EventEmitter;
  onTestFinished(() => {
    EventEmitter.defaultMaxListeners = defaultMaxListeners;
  });
  const limits: number[] = [];
  const server = await listen((request, response) => {
    whenAnswered(request, response, () => {});
    limits.push(response.getMaxListeners());
    response.end();
  });
  await ask(server, "/");
  EventEmitter.defaultMaxListeners = 0;
  await ask(server, "/");
  expect(limits).toEqual([defaultMaxListeners + 2, 0]);
});
