import { connect } from "node:net";
import type { NextApiHandler } from "next";
import { apiResolver } from "next/dist/server/api-utils/node/api-resolver.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { apiRoute, refuseUnknownApi } from "@/lib/server/api-route";
import { type Failure, shared } from "@/packages/sentry/src/server/reporting-state";
import { listen } from "@/tests/support/listening";

const captured: { error: unknown; eventId: string; failure: Failure }[] = [];

beforeEach(() => {
  captured.length = 0;
  shared().reporter = {
    capture(error, eventId, failure) {
      captured.push({ error, eventId, failure });
      return eventId;
    },
    currentRequest: () => undefined,
    traceMeta: () => undefined,
    flush: () => {},
  };
});

afterEach(() => {
  shared().reporter = undefined;
});

/** Serves one API route by Next's own API resolver, over a real connection. */
async function serve(handler: NextApiHandler): Promise<string> {
  const context = {
    dev: false,
    previewModeId: "a",
    previewModeEncryptionKey: "b",
    previewModeSigningKey: "c",
  };
  const { origin } = await listen((req, res) => {
    const route = { default: handler, config: { api: { bodyParser: false } } };
    void apiResolver(req, res, {}, route, context, false);
  });
  return `${origin}/api/test?q=secret`;
}

test("each method goes to its handler, HEAD to that of GET without the body", async () => {
  const url = await serve(
    apiRoute({
      GET: (_req, res) => res.status(200).json({ got: true }),
      POST: (_req, res) => res.status(201).json({ posted: true }),
    }),
  );
  expect(await (await fetch(url)).json()).toEqual({ got: true });
  expect((await fetch(url, { method: "POST" })).status).toBe(201);
  const head = await fetch(url, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe("");
});

test.each([
  ["PUT", "GET", "GET, HEAD"],
  ["OPTIONS", "GET", "GET, HEAD"],
  ["HEAD", "POST", "POST"],
] as const)("%s is refused where there is %s, with the methods that would do", async (...row) => {
  const [method, only, allow] = row;
  const handler: NextApiHandler = (_req, res) => res.status(200).json({});
  const url = await serve(apiRoute({ [only]: handler }));
  const answer = await fetch(url, { method });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
  if (method === "HEAD") return;
  const detail = "This address answers to GET, HEAD.";
  expect(await answer.json()).toEqual({ error: "method_not_allowed", detail });
});

test.each([
  ["an error", new Error("secret stack")],
  ["a string", "secret"],
  ["nothing", undefined],
])(
  "%s that is thrown is answered with a reference, never a stack, and reported once",
  async (_name, thrown) => {
    const url = await serve(
      apiRoute({
        GET(_req, res) {
          res.setHeader("Cache-Control", "public, max-age=300");
          throw thrown;
        },
      }),
    );
    const answer = await fetch(url);
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const body = (await answer.json()) as Record<string, string>;
    expect(Object.keys(body)).toEqual(["error", "detail", "reference"]);
    expect(body.error).toBe("internal");
    expect(body.reference).toMatch(/^[\da-f]{32}$/);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(captured).toHaveLength(1);
    expect(captured[0]?.eventId).toBe(body.reference);
    expect(captured[0]?.error).toBe(thrown);
  },
);

test("an answer that has begun is broken off when its handler fails", async () => {
  const url = await serve(
    apiRoute({
      GET(_req, res) {
        res.write("half");
        throw new Error("too late");
      },
    }),
  );
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  expect(captured).toHaveLength(1);
});

test("an error of a request that already failed with it keeps its reference", async () => {
  const error = new Error("twice");
  const fail = () => {
    throw error;
  };
  const url = await serve(apiRoute({ GET: fail }));
  const [first, second] = [await (await fetch(url)).json(), await (await fetch(url)).json()];
  expect(second).toEqual(first);
  expect(captured).toHaveLength(1);
});

test("an unknown address is refused without reading a large body, and nothing of it is repeated", async () => {
  const url = new URL(await serve(refuseUnknownApi));
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  let heard = "";
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.on("data", (chunk) => {
    heard += chunk;
    // The client stops sending once it has read the response.
    if (heard.includes("}")) socket.end();
  });
  socket.write(
    "POST /api/secret HTTP/1.1\r\nHost: own.example\r\nContent-Length: 1000000000\r\n\r\nsecret",
  );
  await closed;
  const [head = "", body = ""] = heard.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1.1 404 /);
  expect(head).toMatch(/^cache-control: no-store\r?$/im);
  expect(head).toMatch(/^connection: close\r?$/im);
  expect(JSON.parse(body)).toEqual({ error: "not_found", detail: expect.any(String) });
  expect(heard).not.toContain("secret");
});

test("a small body is skipped and the connection kept, where there is a body and where there is none", async () => {
  const url = await serve(refuseUnknownApi);
  for (const body of [undefined, "x".repeat(1000)]) {
    const answer = await fetch(url, { method: "DELETE", body });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("connection")).not.toBe("close");
  }
});
