import { beforeEach, expect, test } from "vitest";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { isNoise } from "@/packages/sentry/src/browser/first-load/noise";
import { thrownOf } from "@/packages/sentry/src/browser/first-load/thrown";
import { minimalErrorEnvelope } from "@/packages/sentry/src/browser/first-load/without-sdk";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { reporting } from "@/tests/support/tunnels";

beforeEach(() => {
  Object.assign(window, { __NEXT_DATA__: { page: "/dynamic/[id]", buildId: "build-1" } });
});

function eventFor(error: unknown, event?: ErrorEvent) {
  const reported = {
    error,
    hint: { mechanism: { type: "auto.browser.global_handlers.onerror", handled: false } },
    at: 1500,
    reference: "a".repeat(32),
    route: "/dynamic/[id]",
    url: "http://localhost/dynamic/a?token=secret#x",
    event,
  };
  const envelope = minimalErrorEnvelope(reported);
  const [header, item, payload, end] = envelope.split("\n");
  expect(JSON.parse(header ?? "")).toEqual({
    event_id: "a".repeat(32),
    minimal: "build-1",
    sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(JSON.parse(item ?? "")).toEqual({ type: "event" });
  expect(end).toBe("");
  expect(payload).not.toContain("frames");
  return completed(envelope);
}

/** What the tunnel makes of the envelope. */
function completed(envelope: string) {
  const read = readEnvelope(Buffer.from(envelope));
  if ("fault" in read) throw new Error(read.detail);
  const made = completeEnvelope(read, reporting);
  if (typeof made !== "object") throw new Error(`Expected an envelope, got ${made}`);
  const event = JSON.parse(String(made.items[0]?.payload));
  expect(event).toMatchObject({
    release: reporting.release,
    environment: reporting.environment,
  });
  return event;
}

test("an error is an event with type, message, stack, time and route", () => {
  const error = new TypeError("failed at /a?token=secret");
  error.stack =
    "TypeError: x\n    at inner (https://a.example/b.js:3:14)\n    at https://a.example/c.js?t=secret:1:2";
  const event = eventFor(error);
  expect(event).toMatchObject({
    event_id: "a".repeat(32),
    timestamp: 1.5,
    transaction: "/dynamic/[id]",
    request: { url: "http://localhost/dynamic/a" },
  });
  expect(event.exception.values[0]).toMatchObject({
    type: "TypeError",
    value: "failed at /a?token=[Filtered]",
    stacktrace: {
      frames: [
        { function: "?", lineno: 1, colno: 2 },
        { function: "inner", filename: "https://a.example/b.js", lineno: 3, colno: 14 },
      ],
    },
  });
  expect(JSON.stringify(event)).not.toContain("secret");
});

test.each([
  ["a text", "a text"],
  [null, "null"],
  [{ message: 7, stack: 7 }, "Object captured as exception with keys: message, stack"],
])("%j, which is no error, can be reported", (thrown, value) => {
  const [exception] = eventFor(thrown).exception.values;
  expect(exception).toMatchObject({ type: "Error", value });
  expect(exception).not.toHaveProperty("stacktrace");
});

class Nameless extends Event {
  static override name = 7 as unknown as string;
}
const throwing = () => {
  throw new Error("unreadable");
};
const hostile = (...keys: string[]) =>
  Object.defineProperties({}, Object.fromEntries(keys.map((key) => [key, { get: throwing }])));
const noKeys = "Object captured as exception with keys: [object has no keys]";
const hostileError = Object.defineProperty(new Error(), "message", { get: throwing });

test.each([
  ["throwing getters", hostile("name", "message", "stack"), "Error", noKeys],
  ["throwing getters, an error", hostileError, "Error", "No error message"],
  ["a proxy that throws", new Proxy({}, { get: throwing }), "Error", "Uncaught"],
  ["a BigInt as its name", Object.assign(new Error("x"), { name: 7n }), "7", "x"],
  ["no way to become a text", Object.create(null), "Error", noKeys],
  ["a class without a name", new Nameless("x"), "7", "Event `7` (type=x) captured as exception"],
])("an error with %s can be reported", (_what, thrown, type, value) => {
  const event = new ErrorEvent("error", { message: "Uncaught" });
  expect(eventFor(thrown, event).exception.values[0]).toMatchObject({ type, value });
  expect(eventFor(thrown).exception.values[0]).toMatchObject({ type });
});

test("a policy violation has its fingerprint, an error that happens to have one does not", () => {
  const more = { fingerprint: ["a", "b"], name: "CSPViolation" };
  const error = Object.assign(new Error("img-src blocked inline"), more);
  expect(eventFor(error)).not.toHaveProperty("fingerprint");
  const envelope = minimalErrorEnvelope({
    error,
    hint: { mechanism: { type: "signpost.policy", handled: false } },
    at: 1,
    reference: "a".repeat(32),
    url: location.href,
  });
  expect(completed(envelope)).toMatchObject({
    fingerprint: ["CSPViolation", "img-src", "inline"],
    exception: { values: [{ type: "CSPViolation", mechanism: { type: "signpost.policy" } }] },
  });
});

test("where the stack has no frame, as of a script that can't be parsed, the browser's place is its frame", () => {
  const error = new SyntaxError("Unexpected token");
  const long = `SyntaxError: ${"x".repeat(20_000)}`;
  for (const stack of ["SyntaxError: Unexpected token", "", long]) {
    error.stack = stack;
    const place = { filename: "https://a.example/b.js", lineno: 3, colno: 14 };
    const [exception] = eventFor(error, new ErrorEvent("error", place)).exception.values;
    expect(exception.stacktrace).toMatchObject({ frames: [place] });
    const filename = `https://a.example/${"x".repeat(20_000)}`;
    const far = eventFor(error, new ErrorEvent("error", { ...place, filename }));
    expect(far.exception.values[0].stacktrace).toMatchObject({
      frames: [{ lineno: 3, colno: 14 }],
    });
    expect(JSON.stringify(far).length).toBeLessThan(20_000);
  }
});

test("a script of an extension that can't be parsed is noise", () => {
  const error = new SyntaxError("Unexpected token");
  error.stack = "SyntaxError: Unexpected token";
  const filename = "chrome-extension://abc/inject.js";
  const event = new ErrorEvent("error", { filename, lineno: 3, colno: 14, error });
  expect(isNoise(thrownOf(error, event), error)).toBe(true);
});

test("a huge error becomes a small event", () => {
  const error = new Error("long ".repeat(100_000));
  error.name = "Name".repeat(100_000);
  const frames = Array.from(
    { length: 500 },
    (_, i) => `    at f${i} (https://a.example/b.js:${i}:1)`,
  );
  error.stack = ["Error", ...frames].join("\n");
  const event = eventFor(error);
  expect(JSON.stringify(event).length).toBeLessThan(30_000);
  const { stacktrace } = event.exception.values[0];
  // Those nearest to where it was thrown.
  expect(stacktrace.frames).toHaveLength(50);
  expect(stacktrace.frames.at(-1)).toMatchObject({ function: "f0" });
});
