import { type Client, type ErrorEvent, eventFiltersIntegration } from "@sentry/core";
import { expect, test } from "vitest";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { isNoise } from "@/packages/sentry/src/browser/first-load/noise";
import { completeEnvelope } from "@/packages/sentry/src/server/complete-envelope";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { reporting } from "@/tests/support/tunnels";

/** Whether the SDK drops it by default. */
function isIgnored(value: string): boolean {
  const event: ErrorEvent = { type: undefined, exception: { values: [{ type: "Error", value }] } };
  const client = { getOptions: () => ({}) } as Client;
  return eventFiltersIntegration().processEvent?.(event, {}, client) === null;
}

/** What the tunnel makes of it, where it has left a page without the SDK. */
function completed(value: string, handled = false) {
  const event_id = eventId();
  const mechanism = { type: "auto.browser.global_handlers.onerror", handled };
  const event = { event_id, thrown: { type: "Error", value, mechanism } };
  const written = envelopeOf({ event_id, minimal: true }, [
    { type: "event" },
    JSON.stringify(event),
  ]);
  const envelope = readEnvelope(written);
  if ("fault" in envelope) throw new Error(envelope.detail);
  return completeEnvelope(envelope, reporting);
}

test.each([
  ["Script error", true],
  ["Script error.", true],
  ["Script error. of ours", false],
  ["ResizeObserver loop completed with undelivered notifications.", true],
  ["ResizeObserver loop limit exceeded", false],
  ["Failed to fetch", false],
  ["Object captured as exception with keys: [object has no keys]", false],
])("the commonest of what the SDK ignores brings no SDK: %s, %s", (value, expected) => {
  expect(
    isNoise({ type: "Error", value, stack: "" }, new Error(value)),
    "packages/sentry/src/browser/first-load/noise.ts has the SDK's words",
  ).toBe(expected);
  expect(isIgnored(value)).toBe(expected);
});

test.each([
  "Cannot redefine property: googletag",
  "Can't find variable: gmo",
  "undefined is not an object (evaluating 'a.L')",
  'can\'t redefine non-configurable property "solana"',
  "x: vv().getRestrictions is not a function",
  "Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:4",
  "Error invoking postMessage: Java object is gone",
  "Script error.",
  "Javascript error: Script error. on line 0",
])(
  "what the SDK ignores is dropped by the tunnel too, unless the app has captured it: %s",
  (value) => {
    expect(isIgnored(value)).toBe(true);
    expect(completed(value)).toBe("unwanted");
    expect(completed(value, true)).toHaveProperty("items");
  },
);

test.each(["Object Not Found Matching Id:3", "Failed to fetch", ""])(
  "nothing else is dropped by its words: %s",
  (value) => {
    expect(completed(value)).toHaveProperty("items");
  },
);
