import {
  captureException,
  type ErrorEvent as Event,
  getClient,
  globalHandlersIntegration,
  init,
} from "@sentry/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import type { BrowserErrorEvent } from "@/packages/sentry/src/browser/first-load/thrown";
import { minimalErrorEnvelope } from "@/packages/sentry/src/browser/first-load/without-sdk";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { reporting } from "@/tests/support/tunnels";

const events: Event[] = [];

beforeAll(() => {
  init({
    dsn: "http://key@localhost/1",
    defaultIntegrations: false,
    integrations: [globalHandlersIntegration()],
    attachStacktrace: false,
    beforeSend(event) {
      events.push(event);
      return null;
    },
  });
});

afterAll(() => getClient()?.close());

class Unusual {
  toString() {
    return "unusual";
  }
}

function withStack(error: Error): Error {
  error.stack = `${error.name}: ${error.message}\n    at inner (http://localhost/b.js:7:9)`;
  return error;
}

/** Each is made anew: the SDK reports one thing once. */
const things: [what: string, make: () => unknown][] = [
  ["an error", () => withStack(new TypeError("not a function"))],
  ["an error without a message", () => withStack(new Error())],
  [
    "an error with a name of its own",
    () => withStack(Object.assign(new Error("x"), { name: "OrderError" })),
  ],
  [
    "an error whose stack has no frame",
    () => Object.assign(new SyntaxError("x"), { stack: "SyntaxError: x" }),
  ],
  ["a text", () => "just a text"],
  ["an empty text", () => ""],
  ["null", () => null],
  ["undefined", () => undefined],
  ["a number", () => 42],
  ["zero", () => 0],
  ["a symbol", () => Symbol("a")],
  ["a BigInt", () => 7n],
  ["an object", () => ({ detail: "x", code: "E_X" })],
  ["an object without keys", () => ({})],
  ["an object with a message", () => ({ name: "E", message: "x", stack: "E: x" })],
  ["an object without a prototype", () => Object.assign(Object.create(null), { a: 1 })],
  [
    "an object that holds an error",
    () => ({ reason: withStack(new RangeError("inner")), code: 1 }),
  ],
  ["an object of a class", () => new Unusual()],
  ["an array", () => [1, 2]],
  ["a function", () => function named() {}],
  ["an event of the browser", () => new CustomEvent("failed")],
];

interface Thrown {
  type: string;
  value: string;
  stacktrace?: { frames: { lineno: number; colno: number }[] };
}

/** What the tunnel makes of what leaves without the SDK. */
function exceptionOf(error: unknown, event?: BrowserErrorEvent): Thrown {
  const type = `auto.browser.global_handlers.on${event?.type}`;
  const hint = event && { mechanism: { type, handled: false } };
  const page = { url: location.href, route: "/server" };
  const reference = "a".repeat(32);
  const envelope = minimalErrorEnvelope({ error, hint, event, at: 1, reference, ...page });
  const read = readEnvelope(Buffer.from(envelope));
  if ("fault" in read) throw new Error(read.detail);
  const made = completeEnvelope(read, reporting);
  if (typeof made !== "object") throw new Error(`Expected an envelope, got ${made}`);
  return JSON.parse(String(made.items[0]?.payload)).exception.values[0];
}

/** What is compared: where both have a stack, also its innermost place. */
function essence({ type, value, stacktrace }: Thrown) {
  const { lineno, colno } = stacktrace?.frames.at(-1) ?? {};
  return { type, value, lineno, colno };
}

function sdkEssence(): ReturnType<typeof essence> {
  const [event] = events.splice(0);
  return essence(event?.exception?.values?.at(-1) as Thrown);
}

test.each(things)("%s, thrown, is worded as by the SDK", (_what, make) => {
  const error = make();
  const place = { filename: "http://localhost/a.js", lineno: 3, colno: 14 };
  const message = "Uncaught, in the words of the browser";
  window.onerror?.(message, place.filename, place.lineno, place.colno, error as Error);
  const event = new ErrorEvent("error", { ...place, message, error });
  expect(essence(exceptionOf(error, event))).toEqual(sdkEssence());
});

test.each(things)("%s, rejected, is worded as by the SDK", (_what, make) => {
  const reason = make();
  const event = Object.assign(new Event("unhandledrejection"), { reason }) as PromiseRejectionEvent;
  window.onunhandledrejection?.(event);
  expect(essence(exceptionOf(reason, event))).toEqual(sdkEssence());
});

test.each(things)("%s, captured, is worded as by the SDK", (_what, make) => {
  const error = make();
  captureException(error);
  const { type, value } = exceptionOf(error);
  expect(sdkEssence()).toMatchObject({ type, value });
});
