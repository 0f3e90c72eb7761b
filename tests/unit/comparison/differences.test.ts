import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { differencesOf, judge, knownDifferencesIn } from "../../comparison/differences.ts";
import type { Facts } from "../../comparison/reports.ts";

/** What an app says of one report. */
function saying(facts: Record<string, string>, report = "pageload /a"): Map<string, Facts> {
  return new Map([[report, new Map(Object.entries(facts))]]);
}

test("what differs is other values, and what only one of two apps says or sends", () => {
  const sentry = saying({
    same: "a",
    transaction: "GET /a",
    "contexts.react.version": "19",
    // The attributes of a span that only one of them has need no saying.
    "span http.client GET /b": "auto",
    "span http.client GET /b · type": "fetch",
  });
  const signpost = saying({ same: "a", transaction: "/a", "tags.side": "server" });
  signpost.set("http.server /a", new Map([["transaction", "/a"]]));
  expect(differencesOf({ sentry, signpost })).toEqual([
    { report: "http.server /a", place: "sent", sentry: "–", signpost: "yes" },
    ...[
      { place: "contexts.react.version", sentry: "19", signpost: "–" },
      { place: "span http.client GET /b", sentry: "auto", signpost: "–" },
      { place: "tags.side", sentry: "–", signpost: "server" },
      { place: "transaction", sentry: "GET /a", signpost: "/a" },
    ].map((difference) => ({ report: "pageload /a", ...difference })),
  ]);
});

const origin = "contexts.trace.origin";
const found = { report: "pageload /a", place: origin, sentry: "auto.load", signpost: "manual" };
const form = { report: "pageload *", place: origin, sentry: "auto.*", signpost: "manual" };
const known = { ...form, kind: "given up", reason: "It is a test." } as const;

test("a known difference covers what is of its form, and is told when it no longer occurs", () => {
  expect(judge([found], [known])).toEqual({ unknown: [], gone: [] });
  expect(judge([], [known])).toEqual({ unknown: [], gone: [known] });
});

test.each([
  { report: "navigation *" },
  { report: "*load /b" },
  { place: "transaction" },
  { sentry: "manual" },
  { sentry: "auto.*.load" },
  { signpost: "auto" },
])("it does not cover what differs in one part: %o", (part) => {
  const other = { ...known, ...part };
  expect(judge([found], [other])).toEqual({ unknown: [found], gone: [other] });
});

test("the known differences are those of the documentation, each with its reason", () => {
  const rows = knownDifferencesIn(readFileSync("packages/sentry/CALLS.md", "utf8"));
  expect(rows).toContainEqual({
    report: "http.server *",
    place: "request.query_string",
    sentry: "*",
    signpost: "*[Filtered]",
    kind: "privacy",
    reason: "Values of a query are never sent.",
  });
  expect(rows.length).toBeGreaterThan(40);
  for (const { kind, reason } of rows) {
    expect(kind).toMatch(/^(privacy|better here|given up)$/);
    expect(reason).toMatch(/^[A-Z].*\.$/);
  }
});
