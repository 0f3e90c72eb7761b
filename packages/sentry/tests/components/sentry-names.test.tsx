import * as sdk from "@sentry/react";
import * as own from "@signpost/sentry";
import { expect, test } from "vitest";

const kinds = (names: object) =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, typeof value]));

test("each of Sentry's names in the browser is of the SDK's kind", () => {
  const ours = kinds(own);
  const different = Object.entries(kinds(sdk)).filter(([name, kind]) => ours[name] !== kind);
  expect(different).toEqual([]);
});

test("what is no function has the SDK's value", () => {
  expect(own.defaultRequestInstrumentationOptions).toEqual(
    sdk.defaultRequestInstrumentationOptions,
  );
  const priorities = ({ defaultStackLineParsers, winjsStackLineParser }: typeof sdk) =>
    [...defaultStackLineParsers, winjsStackLineParser].map(([priority]) => priority);
  expect(priorities(own as never)).toEqual(priorities(sdk));
});
