import { readFileSync } from "node:fs";
import { type Client, type ErrorEvent, eventFiltersIntegration } from "@sentry/core";
import { expect, test } from "vitest";
import { isNoise } from "@/lib/sentry/src/browser/first-load/noise";

/** A message for each expression of the SDK's list. */
const messages = [
  "Script error.",
  "Javascript error: Script error. on line 0",
  "ResizeObserver loop completed with undelivered notifications.",
  "Cannot redefine property: googletag",
  "Can't find variable: gmo",
  "undefined is not an object (evaluating 'a.L')",
  `TypeError: can't redefine non-configurable property "solana"`,
  "vv().getRestrictions is not a function. (In 'vv().getRestrictions(1,a)')",
  "Can't find variable: _AutofillCallbackHandler",
  "Non-Error promise rejection: Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:1",
  "Error invoking postMessage: Java exception was raised during method invocation",
  "Error invoking postMessage: Java object is gone",
];

/** The SDK exports its list neither by itself nor by what it drops. */
function sdksList(): RegExp[] {
  const file = "node_modules/@sentry/core/build/esm/integrations/eventFilters.js";
  const [, list = ""] =
    /DEFAULT_IGNORE_ERRORS = \[\n(.*?)\n\];/s.exec(readFileSync(file, "utf8")) ?? [];
  return [...list.matchAll(/^ {2}\/(?!\/)(.*)\/,?$/gm)].map(
    ([, source = ""]) => new RegExp(source),
  );
}

test("what the SDK ignores by default is noise without it too", () => {
  const list = sdksList();
  expect(list.length, "expressions in the SDK's list").toBeGreaterThan(5);
  for (const expression of list) {
    const matching = messages.filter((message) => expression.test(message));
    expect(matching, `lib/sentry/src/browser/first-load/noise.ts lacks ${expression}`).not.toEqual(
      [],
    );
  }
  const news = messages.filter(
    (value) => !isNoise({ type: "Error", value, stack: "" }, new Error(value)),
  );
  expect(news).toEqual([]);
});

test.each([
  "Script error",
  "Script error.",
  "Script error. of ours",
  "Javascript error: Script error on line 0",
  "Javascript error: Script error. on line 0",
  "Javascript error: Script error on line 7",
  "ResizeObserver loop completed with undelivered notifications.",
  "ResizeObserver loop limit exceeded",
  "Cannot redefine property: googletag",
  "Cannot redefine property: googletags",
  "Can't find variable: gmo",
  "Can't find variable: gmos",
  "undefined is not an object (evaluating 'a.L')",
  "undefined is not an object (evaluating 'b.L')",
  'can\'t redefine non-configurable property "solana"',
  "x: vv().getRestrictions is not a function",
  "Can't find variable: _AutofillCallbackHandler",
  "Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:4",
  "Object Not Found Matching Id:3",
  "Error invoking postMessage: Java exception was raised during method invocation",
  "Java exception was raised during method invocation of ours",
  "Error invoking postMessage: Java object is gone",
  "Java object is gone too",
  "Failed to fetch",
  "Object captured as exception with keys: [object has no keys]",
])("what the SDK ignores is noise, and nothing else is by its words: %s", (value) => {
  const event: ErrorEvent = { type: undefined, exception: { values: [{ type: "Error", value }] } };
  const client = { getOptions: () => ({}) } as Client;
  const { processEvent } = eventFiltersIntegration();
  const ignored = processEvent?.(event, {}, client) === null;
  expect(
    isNoise({ type: "Error", value, stack: "" }, new Error(value)),
    "lib/sentry/src/browser/first-load/noise.ts has the SDK's list",
  ).toBe(ignored);
});
