import { createServer } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type CurrentRequest,
  type Failure,
  shared,
} from "@/packages/sentry/src/server/reporting-state";
import { reportCaptured, reportSent } from "@/packages/sentry/src/server/reports-under-way";
import {
  reportCrashes,
  reportFailure,
  reportRequestError,
} from "@/packages/sentry/src/server/request-errors";
import { listen } from "@/tests/support/listening";

let current: CurrentRequest;
let captured: { error: unknown; eventId: string; failure: Failure }[];

beforeEach(() => {
  captured = [];
  current = { failures: new Map(), logged: new Map() };
  shared().reporter = {
    capture(error, eventId, failure) {
      captured.push({ error, eventId, failure });
      return eventId;
    },
    currentRequest: () => current,
    traceMeta: () => undefined,
    flush: () => {},
  };
});

afterEach(() => {
  shared().reporter = undefined;
});

const context = {
  routerKind: "Pages Router",
  routePath: "/server",
  routeType: "render",
  revalidateReason: undefined,
} as const;

function request() {
  return { path: "/server?a=1", method: "GET", headers: {} };
}

test("what Next tells of an error goes into its report", async () => {
  const error = new Error("x");
  await reportRequestError(error, request(), context);
  expect(captured).toEqual([
    {
      error,
      eventId: expect.stringMatching(/^[\da-f]{32}$/),
      failure: {
        route: "/server",
        mechanism: "auto.function.nextjs.on_request_error",
        nextjs: {
          request_path: "/server",
          router_kind: "Pages Router",
          router_path: "/server",
          route_type: "render",
        },
      },
    },
  ]);
});

/** An API route that fails, as Next serves it. */
async function failingRoute(error: object, status: number): Promise<string> {
  const server = createServer(async (_request, response) => {
    current = { failures: new Map(), logged: new Map(), response };
    const route = { ...context, routePath: "/api/charge", routeType: "route" } as const;
    await reportRequestError(error, { ...request(), path: "/api/charge" }, route);
    response.statusCode = status;
    response.end("told");
  });
  const { origin } = await listen(server);
  return (await fetch(origin)).text();
}

test.each([
  [400, 400],
  [413, 413],
  [404, 500],
  [402, 500],
  [500, 500],
  [0, 500],
])(
  "of an API route's error that carries %i, its answer decides, which is %i",
  async (statusCode, status) => {
    const error = Object.assign(new Error("x"), { statusCode });
    expect(await failingRoute(error, status)).toBe("told");
    expect(captured.map((one) => one.error)).toEqual(status === 500 ? [error] : []);
  },
);

test("an answer to an error that carries a status waits for its report, too", async () => {
  const order: string[] = [];
  const { reporter } = shared();
  shared().reporter = {
    ...reporter,
    currentRequest: () => current,
    capture(_error, eventId) {
      const stored = new Promise<void>((resolve) => {
        setImmediate(() => {
          order.push("stored");
          resolve();
        });
      });
      reportSent(eventId, stored);
      reportCaptured(eventId, Promise.resolve(eventId));
      return eventId;
    },
  } as typeof reporter;
  await failingRoute(Object.assign(new Error("x"), { statusCode: 404 }), 500);
  order.push("answered");
  expect(order).toEqual(["stored", "answered"]);
});

test.each([400, 404, 500])(
  "a page's error that carries %i is answered with 500",
  async (statusCode) => {
    await reportRequestError(Object.assign(new Error("x"), { statusCode }), request(), context);
    expect(captured).toHaveLength(1);
  },
);

test("an error of a catch-all API route is reported like any other", async () => {
  const own = { ...context, routePath: "/api/[[...unknown]]" };
  await reportRequestError(new Error("x"), request(), own);
  expect(captured).toHaveLength(1);
});

test("a request whose client has gone is neither reported nor logged as failed", async () => {
  const error = new Error("aborted");
  current = { ...current, isGivenUp: (one) => one === error };
  expect(await reportFailure(error, { mechanism: "test" }, "POST")).toBeUndefined();
  expect(captured).toEqual([]);
  expect(current.logged.size).toBe(0);
});

test("an error that also fails the error page is one event", async () => {
  const error = new Error("x");
  const first = await reportFailure(error, { route: "/server", mechanism: "test" }, "GET");
  const second = await reportFailure(error, { route: "/_error", mechanism: "test" }, "GET");
  expect(second).toBe(first);
  expect(captured).toHaveLength(1);
});

test("only an exception that may end the process is waited for, not a rejection", () => {
  const on = vi.spyOn(process, "on").mockReturnThis();
  const flushed: boolean[] = [];
  reportCrashes((mayEnd) => flushed.push(mayEnd));
  const listeners = on.mock.calls.map(([event, listener]) => [event, listener] as const);
  on.mockRestore();
  for (const name of ["unhandledRejection", "uncaughtExceptionMonitor"]) {
    const [, listener] = listeners.find(([event]) => event === name) ?? [];
    listener?.(new Error("x"));
  }
  expect(flushed).toEqual([false, true]);
});
