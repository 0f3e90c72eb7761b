import { afterEach, beforeEach, expect, test } from "vitest";
import { captureFailure, referenceOnErrorPage } from "@/packages/sentry/src/server/references";
import { type CurrentRequest, shared } from "@/packages/sentry/src/server/reporting-state";

let current: CurrentRequest | undefined;
let captured: [error: unknown, eventId: string][];

beforeEach(() => {
  captured = [];
  current = undefined;
  shared().reporter = {
    capture(error, eventId) {
      captured.push([error, eventId]);
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

const mechanism = "test";

/** What follows belongs to a request of its own. */
function inRequest(): void {
  current = { failures: new Map(), logged: new Map() };
}

test.each([["in a request"], ["outside of any"]])(
  "an exception is reported by the first who asks, and has one reference for all: %s",
  (where) => {
    if (where === "in a request") inRequest();
    const error = new Error("x");
    const reference = captureFailure(error, { mechanism });
    expect(reference).toMatch(/^[\da-f]{32}$/);
    expect(captureFailure(error, { mechanism })).toBe(reference);
    expect(referenceOnErrorPage(error)).toBe(reference);
    expect(captured).toEqual([[error, reference]]);
  },
);

test("one error object that fails several requests is an event of each", () => {
  const error = new Error("could not connect");
  const references = [1, 2, 3].map(() => {
    inRequest();
    const reference = captureFailure(error, { mechanism });
    expect(referenceOnErrorPage(error)).toBe(reference);
    return reference;
  });
  expect(new Set(references).size).toBe(3);
  expect(captured).toEqual(references.map((reference) => [error, reference]));
  // As where nobody handles the rejection that failed a request.
  current = undefined;
  expect(captureFailure(error, { mechanism })).toBe(references.at(-1));
});

test("the error page may be the first", () => {
  inRequest();
  const error = new Error("x");
  const reference = referenceOnErrorPage(error);
  expect(captureFailure(error, { mechanism })).toBe(reference);
  expect(captured).toHaveLength(1);
});

test.each(["a string", undefined, 7, { code: 1 }])(
  "%j that was thrown has the same reference on the error page, where it comes wrapped",
  (thrown) => {
    inRequest();
    const reference = captureFailure(thrown, { mechanism });
    expect(referenceOnErrorPage(new Error(String(thrown)))).toBe(reference);
    expect(captured).toHaveLength(1);
  },
);

test("two exceptions of one request are two events", () => {
  inRequest();
  const first = captureFailure(new Error("x"), { mechanism });
  expect(captureFailure(new Error("y"), { mechanism })).not.toBe(first);
  expect(captured).toHaveLength(2);
});

test.each([[true], [false]])(
  "the same string thrown twice is two events, in two requests %s",
  (inRequests) => {
    if (inRequests) inRequest();
    const first = captureFailure("x", { mechanism });
    if (inRequests) inRequest();
    expect(captureFailure("x", { mechanism })).not.toBe(first);
  },
);

test("an error page without an error is reported as that", () => {
  inRequest();
  const reference = referenceOnErrorPage(undefined);
  expect(captured).toEqual([["_error.js called with falsy error (undefined)", reference]]);
});

test("an error page without error or request has a reference too", () => {
  expect(referenceOnErrorPage(null)).toBe(captured[0]?.[1]);
});

test("what throws again the same way in one request, as the error page does, is one event", () => {
  inRequest();
  const reference = captureFailure(new TypeError("x"), { mechanism });
  expect(captureFailure(new TypeError("x"), { mechanism })).toBe(reference);
  expect(referenceOnErrorPage(new TypeError("x"))).toBe(reference);
  expect(captured).toHaveLength(1);
  inRequest();
  captureFailure(new TypeError("x"), { mechanism });
  expect(captured).toHaveLength(2);
});

test.each([
  ["name", { name: "Error", message: "x" }],
  ["message", { name: "TypeError", message: "What was thrown can't be read" }],
  ["stack", { name: "TypeError", message: "x" }],
] as const)("an error whose %s can't be read is one event", (part, reported) => {
  inRequest();
  const error = Object.defineProperty(new TypeError("x"), part, {
    get() {
      throw new Error("unreadable");
    },
  });
  const reference = captureFailure(error, { mechanism });
  expect(captureFailure(error, { mechanism })).toBe(reference);
  expect(referenceOnErrorPage(error)).toBe(reference);
  expect(captured).toEqual([[expect.any(Error), reference]]);
  expect(captured[0]?.[0]).toMatchObject(reported);
});

test("what a client that goes away does to its own request is no failure", () => {
  const aborted = new Error("aborted");
  current = { failures: new Map(), logged: new Map(), isGivenUp: (error) => error === aborted };
  expect(captureFailure(aborted, { mechanism })).toMatch(/^[\da-f]{32}$/);
  expect(referenceOnErrorPage(aborted)).toBe(current.reference);
  expect(captured).toEqual([]);
  captureFailure(new Error("another"), { mechanism });
  expect(captured).toHaveLength(1);
});

test("things that can't be told apart in words are events of their own", () => {
  inRequest();
  captureFailure(Object.create(null), { mechanism });
  captureFailure(Object.create(null), { mechanism });
  expect(captured).toHaveLength(2);
});

test("where no event is made, the reference is that of the event that there is", () => {
  inRequest();
  shared().reporter = { ...shared().reporter, capture: () => "earlier" } as never;
  const error = new Error("x");
  expect(captureFailure(error, { mechanism })).toBe("earlier");
  expect(captureFailure(error, { mechanism })).toBe("earlier");
  expect(referenceOnErrorPage(undefined)).toBe("earlier");
});
