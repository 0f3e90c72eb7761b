import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isNoise } from "@/lib/sentry/browser/first-load/noise";

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
    expect(matching, `lib/sentry/browser/first-load/noise.ts lacks ${expression}`).not.toEqual([]);
  }
  const news = messages.filter(
    (value) => !isNoise({ type: "Error", value, stack: "" }, new Error(value)),
  );
  expect(news).toEqual([]);
});
