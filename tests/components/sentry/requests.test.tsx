import { beforeEach, expect, test, vi } from "vitest";
import type { PageRequest } from "@/lib/sentry/src/browser/first-load/requests";

let requests: PageRequest[];
let answer: () => Promise<Response>;
let asked: Request[];

beforeEach(async () => {
  asked = [];
  answer = async () => new Response("x", { status: 201 });
  // Takes `fetch` as it is when it is loaded.
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(request);
    return answer();
  });
  vi.resetModules();
  const module = await import("@/lib/sentry/src/browser/first-load/requests");
  ({ requests } = module);
  module.watchRequests(() => {});
});

const noted = () =>
  requests.map(({ method, url, status, end }) => [
    method,
    new URL(url).pathname,
    status,
    end !== undefined,
  ]);

test("a fetch is noted with its method, and its status as soon as that is there", async () => {
  await window.fetch(`${location.origin}/a`, { method: "post" });
  await window.fetch(new Request(`${location.origin}/b`, { method: "DELETE" }));
  await window.fetch(new URL("/c", location.href));
  expect(noted()).toEqual([
    ["POST", "/a", 201, true],
    ["DELETE", "/b", 201, true],
    ["GET", "/c", 201, true],
  ]);
});

test("the browser is asked with what the script has given, and its failure is the script's", async () => {
  const headers = { "x-own": "y" };
  await window.fetch(`${location.origin}/a`, { method: "PUT", body: "x", headers });
  expect(asked[0]).toMatchObject({ method: "PUT", url: `${location.origin}/a` });
  expect([asked[0]?.headers.get("x-own"), await asked[0]?.text()]).toEqual(["y", "x"]);
  const failure = new TypeError("Failed to fetch");
  answer = () => Promise.reject(failure);
  await expect(window.fetch(`${location.origin}/b`)).rejects.toBe(failure);
  await expect(window.fetch("http://:bad")).rejects.toThrow(TypeError);
  expect(noted()).toEqual([
    ["PUT", "/a", 201, true],
    ["GET", "/b", undefined, true],
  ]);
});

test("what a script reads out of its own memory is no request", async () => {
  for (const url of ["data:text/plain,secret", `blob:${location.origin}/0`])
    await window.fetch(url);
  expect(asked).toHaveLength(2);
  expect(noted()).toEqual([]);
});

test("one under way has neither end nor status", async () => {
  answer = () => new Promise(() => {});
  void window.fetch(`${location.origin}/slow`);
  expect(noted()).toEqual([["GET", "/slow", undefined, false]]);
});

test("of many requests the last are kept", async () => {
  for (let n = 0; n < 120; n++) await window.fetch(`${location.origin}/${n}`);
  expect(requests).toHaveLength(100);
  expect(requests.at(-1)?.url).toBe(`${location.origin}/119`);
});
