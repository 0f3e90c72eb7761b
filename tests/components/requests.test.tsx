import { beforeEach, expect, test, vi } from "vitest";
import type { PageRequest } from "@/lib/sentry/browser/first-load/requests";

let requests: PageRequest[];
let answer: () => Promise<Response>;
let asked: unknown[][];

beforeEach(async () => {
  asked = [];
  answer = async () => new Response("x", { status: 201 });
  // Takes `fetch` as it is when it is loaded.
  vi.stubGlobal("fetch", async (...args: unknown[]) => {
    asked.push(args);
    return answer();
  });
  vi.resetModules();
  const module = await import("@/lib/sentry/browser/first-load/requests");
  ({ requests } = module);
  module.watchRequests((_url, args) => args);
});

const noted = () =>
  requests.map(({ type, method, url, status, end }) => [
    type,
    method,
    url.pathname,
    status,
    end !== undefined,
  ]);

test("a fetch is noted with its method, and its status as soon as that is there", async () => {
  await window.fetch("/a", { method: "post" });
  await window.fetch(new Request(`${location.origin}/b`, { method: "DELETE" }));
  await window.fetch(new URL("/c", location.href));
  expect(noted()).toEqual([
    ["fetch", "POST", "/a", 201, true],
    ["fetch", "DELETE", "/b", 201, true],
    ["fetch", "GET", "/c", 201, true],
  ]);
});

test("the browser is asked with what the script has given, and its failure is the script's", async () => {
  const init = { method: "PUT", body: "x" };
  await window.fetch("/a", init);
  expect(asked).toEqual([["/a", init]]);
  expect(asked[0]?.[1]).toBe(init);
  const failure = new TypeError("Failed to fetch");
  answer = () => Promise.reject(failure);
  await expect(window.fetch("/b")).rejects.toBe(failure);
  await expect(window.fetch("http://:bad")).rejects.toThrow(TypeError);
  expect(noted()).toEqual([
    ["fetch", "PUT", "/a", 201, true],
    ["fetch", "GET", "/b", undefined, true],
  ]);
});

test("one under way has neither end nor status", async () => {
  answer = () => new Promise(() => {});
  void window.fetch("/slow");
  expect(noted()).toEqual([["fetch", "GET", "/slow", undefined, false]]);
});

test("an XMLHttpRequest is noted, each time it is sent", async () => {
  const request = new XMLHttpRequest();
  for (const path of ["/one", "/two"]) {
    await new Promise((resolve) => {
      request.onloadend = resolve;
      request.open("get", path);
      request.send();
    });
  }
  // Nothing answers at the document's address.
  expect(noted()).toEqual([
    ["xhr", "GET", "/one", undefined, true],
    ["xhr", "GET", "/two", undefined, true],
  ]);
});

test("of many requests the last are kept", async () => {
  for (let n = 0; n < 120; n++) await window.fetch(`/${n}`);
  expect(requests).toHaveLength(100);
  expect(requests.at(-1)?.url.pathname).toBe("/119");
});
