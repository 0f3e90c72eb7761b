import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PageRequest } from "@/packages/sentry/src/browser/first-load/requests";

type Given = Parameters<typeof fetch>;

let requests: PageRequest[];
let answer: () => Promise<Response>;
/** What the page's own `fetch` was called with. */
let asked: Given[];

async function pageFetch(...given: Given): Promise<Response> {
  asked.push(given);
  return answer();
}

const native = Object.getOwnPropertyDescriptor(window, "fetch") ?? { configurable: true };

/** Takes `fetch` as it is when it is loaded. */
async function watch(headersFor: (url: string, given: Headers) => object | undefined = () => {}) {
  vi.resetModules();
  const module = await import("@/packages/sentry/src/browser/first-load/requests");
  ({ requests } = module);
  module.watchRequests(headersFor as Parameters<typeof module.watchRequests>[0]);
}

beforeEach(async () => {
  asked = [];
  answer = async () => new Response("x", { status: 201 });
  vi.stubGlobal("fetch", pageFetch);
  await watch();
});

afterEach(() => {
  vi.unstubAllGlobals();
  Object.defineProperty(window, "fetch", native);
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

test("what a script gives is passed on as it is, whatever it is", async () => {
  const whole = new Request(`${location.origin}/whole`, { method: "PUT", body: "x" });
  const each: unknown[][] = [
    ["/relative", { method: "PUT", body: new FormData(), headers: { "Content-Type": "x" } }],
    [new URL("/url", location.href), null],
    [whole, { priority: "high" }],
    ["http://:bad"],
    [],
  ];
  for (const given of each) await window.fetch(...(given as Given));
  expect(asked.map((given) => given.length)).toEqual(each.map((given) => given.length));
  each.flat().forEach((one, index) => {
    expect(asked.flat()[index]).toBe(one);
  });
  expect(whole.bodyUsed).toBe(false);
});

test("what `fetch` is called on, and a failure of its, are passed on", async () => {
  const on: unknown[] = [];
  vi.stubGlobal("fetch", async function (this: unknown) {
    on.push(this);
    return answer();
  });
  await watch();
  await window.fetch(`${location.origin}/a`);
  const bare = window.fetch;
  await bare(`${location.origin}/b`);
  expect(on).toEqual([window, undefined]);
  const failure = new TypeError("Failed to fetch");
  answer = () => Promise.reject(failure);
  await expect(window.fetch(`${location.origin}/c`)).rejects.toBe(failure);
  expect(noted()).toEqual([
    ["GET", "/a", 201, true],
    ["GET", "/b", 201, true],
    ["GET", "/c", undefined, true],
  ]);
});

describe("headers are added", () => {
  const trace = () => ({ "sentry-trace": "t" });

  test.each<[string, Given, unknown]>([
    ["to none", ["http://a.example/a"], { "sentry-trace": "t" }],
    [
      "to an object, under whose names others may add their own",
      ["http://a.example/a", { headers: { "Content-Type": "x" } }],
      { "Content-Type": "x", "sentry-trace": "t" },
    ],
    [
      "to a list",
      [
        "http://a.example/a",
        {
          headers: [
            ["x-a", "1"],
            ["x-a", "2"],
          ],
        },
      ],
      { "x-a": "1, 2", "sentry-trace": "t" },
    ],
    [
      "to those of a request",
      [new Request("http://a.example/", { headers: { "x-a": "1" } })],
      { "x-a": "1", "sentry-trace": "t" },
    ],
  ])("%s, and all else stays as it was given", async (_, [input, init], headers) => {
    await watch(trace);
    const signal = new AbortController().signal;
    const own = { ...init, method: "POST", signal };
    const before = { ...own };
    await window.fetch(input, own);
    expect(asked[0]?.[0]).toBe(input);
    expect(asked[0]?.[1]).toEqual({ ...before, headers });
    expect(own, "the script's own object").toEqual(before);
  });

  test("to a request that stands in the place of options, which keeps all else", async () => {
    await watch(trace);
    const own = new Request("http://a.example/", {
      method: "PUT",
      headers: { "x-a": "1" },
      body: "contents",
      credentials: "include",
      signal: AbortSignal.abort("given up"),
    });
    await window.fetch("http://a.example/b", own);
    const [, init = {}] = asked[0] ?? [];
    expect(init).toMatchObject({ method: "PUT", credentials: "include" });
    expect(init.headers).toMatchObject({ "x-a": "1", "sentry-trace": "t" });
    expect(init.signal?.reason).toBe("given up");
    expect(await new Response(init.body).text()).toBe("contents");
  });

  test("by whoever wrapped `fetch` before, with code that knows addresses as text only", async () => {
    const { fetch } = window;
    vi.stubGlobal("fetch", (url: string, init: RequestInit = {}) =>
      fetch(url.replace("/x", "/api/x"), { ...init, headers: { ...init.headers, "x-a": "b" } }),
    );
    await watch(trace);
    await window.fetch("http://a.example/x", { headers: { "x-nextjs-data": "1" } });
    expect(asked).toEqual([
      [
        "http://a.example/api/x",
        { headers: { "x-nextjs-data": "1", "sentry-trace": "t", "x-a": "b" } },
      ],
    ]);
  });

  test("in place of those that they have, in whatever letters", async () => {
    await watch((_url, given) => ({ baggage: `${given.get("baggage")},sentry-a=b` }));
    for (const headers of [{ Baggage: "own=1", "X-A": "b" }, [["Baggage", "own=1"]] as HeadersInit])
      await window.fetch("http://a.example/a", { headers });
    const carried = asked.map(([, init]) => Object.fromEntries(new Headers(init?.headers)));
    expect(carried).toEqual([
      { baggage: "own=1,sentry-a=b", "x-a": "b" },
      { baggage: "own=1,sentry-a=b" },
    ]);
  });

  test("not where whoever says which has failed", async () => {
    await watch(() => {
      throw new Error("ours");
    });
    await window.fetch("http://a.example/a");
    expect(asked).toEqual([["http://a.example/a"]]);
  });
});

describe("a request that has failed with the headers of a trace", () => {
  const failure = new TypeError("Failed to fetch");

  beforeEach(() => {
    vi.stubGlobal("fetch", pageFetch);
  });

  /** Fails the first request, and answers the others. */
  async function ask(input: Given[0], init?: RequestInit, error: unknown = failure) {
    await watch((_url, given) => (given.has("sentry-trace") ? undefined : { "sentry-trace": "t" }));
    const answers = [() => Promise.reject(error), async () => new Response("again")];
    answer = () => (answers.shift() as typeof answer)();
    return window.fetch(input, init);
  }

  test.each<[string, Given, headers: object]>([
    ["a GET", ["http://a.example/a"], {}],
    ["a HEAD", ["http://a.example/a", { method: "head", headers: { "X-A": "b" } }], { "X-A": "b" }],
    [
      "a request",
      [new Request("http://a.example/a", { headers: { traceparent: "own" } })],
      { traceparent: "own" },
    ],
  ])("is asked once more without them: %s", async (_, given, headers) => {
    expect(await (await ask(...given)).text()).toBe("again");
    expect(asked).toHaveLength(2);
    expect(asked[1]?.[0]).toBe(given[0]);
    expect(asked[1]?.[1]).toEqual({ ...given[1], headers });
    expect(requests, "and is one for the page").toMatchObject([{ status: 200 }]);
  });

  test("and has them of Sentry's SDK, is asked without them", async () => {
    const headers = { "X-A": "b", "sentry-trace": "t", baggage: "sentry-a=b", traceparent: "t" };
    await ask("http://a.example/a", { headers, cache: "no-store" });
    expect(asked[0]?.[1]?.headers).toBe(headers);
    expect(asked[1]?.[1]).toEqual({ headers: { "X-A": "b" }, cache: "no-store" });
  });

  test.each<[string, RequestInit, error?: unknown]>([
    ["a POST", { method: "POST" }],
    ["page data, for which the router has rules of its own", { headers: { "x-nextjs-data": "1" } }],
    ["one that was cancelled", {}, new DOMException("aborted", "AbortError")],
  ])("is not asked again: %s", async (_, init, error = failure) => {
    await expect(ask("http://a.example/a", init, error)).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  });

  test("fails as the second one does", async () => {
    await watch(() => ({ "sentry-trace": "t" }));
    const failures = [failure, new TypeError("and again")];
    answer = () => Promise.reject(failures[asked.length - 1]);
    await expect(window.fetch("http://a.example/a")).rejects.toBe(failures[1]);
    expect(asked).toHaveLength(2);
  });
});

test("a request without the headers of a trace is asked once", async () => {
  const failure = new TypeError("Failed to fetch");
  answer = () => Promise.reject(failure);
  await expect(window.fetch("http://a.example/a")).rejects.toBe(failure);
  expect(asked).toHaveLength(1);
});

describe("where the page's `fetch`", () => {
  test.each<[string, PropertyDescriptor, told: RegExp | undefined]>([
    ["has a getter alone", { get: () => () => answer() }, /watchRequests.*Cannot set property/],
    ["can't be written", { value: () => answer(), writable: false }, /watchRequests.*read only/],
    ["is not there", { value: undefined, writable: true }, undefined],
    [
      "can't be read",
      {
        get() {
          throw new Error("hostile");
        },
      },
      /hostile/,
    ],
  ])(
    "%s, it is left alone, development says so, and nothing else is lost",
    async (_, own, told) => {
      Object.assign(window, { __NEXT_DATA__: { page: "/", buildId: "b" } });
      const descriptor = { configurable: true, ...own };
      Object.defineProperty(window, "fetch", descriptor);
      const info = vi.spyOn(console, "info").mockImplementation(() => {});
      vi.resetModules();
      const { init } = await import("@/packages/sentry/src/browser/first-load/init");
      const { lastNavigation } = await import(
        "@/packages/sentry/src/browser/first-load/navigation"
      );
      const { default: Router } = await import("next/router");
      init();
      expect(Object.getOwnPropertyDescriptor(window, "fetch")).toMatchObject(descriptor);
      expect(info.mock.calls.join()).toMatch(told ?? /^$/);
      info.mockRestore();
      // Which starts last.
      Router.events.emit("routeChangeStart", "/next", { shallow: false });
      expect(lastNavigation().url).toBe("/next");
    },
  );
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
