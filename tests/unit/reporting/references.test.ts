import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { referenceFor, referenceOnErrorPage } from "@/lib/reporting/server/references";
import { shared } from "@/lib/reporting/server/shared";

let captured: [error: unknown, eventId: string][];

beforeEach(() => {
  captured = [];
  shared().reporter = {
    capture(error, eventId) {
      captured.push([error, eventId]);
      return eventId;
    },
    traceMeta: () => undefined,
    flush: () => {},
  };
});

afterEach(() => {
  shared().reporter = undefined;
});

const mechanism = "test";

function request(): IncomingMessage {
  return { headers: {}, method: "GET", url: "/" } as IncomingMessage;
}

test("an exception is reported by the first who asks, and has one reference for all", () => {
  const error = new Error("x");
  const reference = referenceFor(error, { mechanism });
  expect(reference).toMatch(/^[\da-f]{32}$/);
  expect(referenceFor(error, { mechanism })).toBe(reference);
  expect(referenceOnErrorPage(error, request())).toBe(reference);
  expect(captured).toEqual([[error, reference]]);
});

test("the error page may be the first", () => {
  const error = new Error("x");
  const req = request();
  const reference = referenceOnErrorPage(error, req);
  expect(referenceFor(error, { mechanism, headers: req.headers })).toBe(reference);
  expect(captured).toHaveLength(1);
});

test.each(["a string", undefined, 7, { code: 1 }])(
  "%j that was thrown has the same reference on the error page, where it comes wrapped",
  (thrown) => {
    const req = request();
    const reference = referenceFor(thrown, { mechanism, headers: req.headers });
    expect(referenceOnErrorPage(new Error(String(thrown)), req)).toBe(reference);
    expect(captured).toHaveLength(1);
  },
);

test("two exceptions of one request are two events", () => {
  const { headers } = request();
  const first = referenceFor(new Error("x"), { mechanism, headers });
  expect(referenceFor(new Error("y"), { mechanism, headers })).not.toBe(first);
  expect(captured).toHaveLength(2);
});

test("the same string thrown in two requests is two events", () => {
  const first = referenceFor("x", { mechanism, headers: request().headers });
  expect(referenceFor("x", { mechanism, headers: request().headers })).not.toBe(first);
});

test("an error page without an error is reported as that", () => {
  const reference = referenceOnErrorPage(undefined, request());
  expect(captured).toEqual([[expect.any(Error), reference]]);
});

test("an error page without error or request has a reference too", () => {
  expect(referenceOnErrorPage(null, undefined)).toBe(captured[0]?.[1]);
});

test("what throws again the same way in one request, as the error page does, is one event", () => {
  const req = request();
  const { headers } = req;
  const reference = referenceFor(new TypeError("x"), { mechanism, headers });
  expect(referenceFor(new TypeError("x"), { mechanism, headers })).toBe(reference);
  expect(referenceOnErrorPage(new TypeError("x"), req)).toBe(reference);
  expect(captured).toHaveLength(1);
  referenceFor(new TypeError("x"), { mechanism, headers: request().headers });
  expect(captured).toHaveLength(2);
});

test("things that can't be told apart in words are events of their own", () => {
  const { headers } = request();
  referenceFor(Object.create(null), { mechanism, headers });
  referenceFor(Object.create(null), { mechanism, headers });
  expect(captured).toHaveLength(2);
});

test("where no event is made, the reference is that of the event that there is", () => {
  const { headers } = request();
  shared().reporter = { ...shared().reporter, capture: () => "earlier" } as never;
  const error = new Error("x");
  expect(referenceFor(error, { mechanism, headers })).toBe("earlier");
  expect(referenceFor(error, { mechanism })).toBe("earlier");
  expect(referenceOnErrorPage(undefined, { headers } as IncomingMessage)).toBe("earlier");
});
