import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  differencesOf,
  judge,
  type KnownDifference,
  linesOf,
  tableOf,
} from "../../comparison/differences.ts";
import { knownDifferences } from "../../comparison/known-differences.ts";
import type { Facts } from "../../comparison/reports.ts";

/** What an app says of one report. */
function saying(facts: Record<string, string>, report = "pageload /a"): Map<string, Facts> {
  return new Map([[report, new Map(Object.entries(facts))]]);
}

const row = (more: Partial<KnownDifference>): KnownDifference => ({
  report: "pageload *",
  place: "contexts.trace.origin",
  sentry: "auto.*",
  signpost: "manual",
  kind: "given up",
  reason: "It is a test.",
  ...more,
});

describe("differences", () => {
  it("are none where both say the same", () => {
    const same = { transaction: "/a", "tags.area": "checkout" };
    expect(differencesOf({ sentry: saying(same), signpost: saying(same) })).toEqual([]);
  });

  it("are other values, and what only one of them says", () => {
    const found = differencesOf({
      sentry: saying({ transaction: "GET /a", "contexts.react.version": "19" }),
      signpost: saying({ transaction: "/a", "tags.side": "server" }),
    });
    expect(found).toEqual([
      { report: "pageload /a", place: "contexts.react.version", sentry: "19", signpost: "–" },
      { report: "pageload /a", place: "tags.side", sentry: "–", signpost: "server" },
      { report: "pageload /a", place: "transaction", sentry: "GET /a", signpost: "/a" },
    ]);
  });

  it("are reports that only one of them sends, without their facts", () => {
    const found = differencesOf({
      sentry: new Map(),
      signpost: saying({ transaction: "/a" }, "http.server /a"),
    });
    expect(found).toEqual([
      { report: "http.server /a", place: "sent", sentry: "–", signpost: "yes" },
    ]);
  });

  it("leave out the attributes of a span that only one of them has", () => {
    const found = differencesOf({
      sentry: saying({
        "span http.client GET /b": "auto",
        "span http.client GET /b · type": "fetch",
      }),
      signpost: saying({}),
    });
    expect(found.map(({ place }) => place)).toEqual(["span http.client GET /b"]);
  });

  it("are said once for all reports that have the same one", () => {
    const one = { place: "transaction", sentry: "a", signpost: "b" };
    expect(
      linesOf([
        { report: "x", ...one },
        { report: "y", ...one },
      ]),
    ).toEqual(["transaction: a / b   (x; y)"]);
  });
});

describe("known differences", () => {
  const found = {
    report: "pageload /a",
    place: "contexts.trace.origin",
    sentry: "auto.pageload",
    signpost: "manual",
  };

  it("cover what is of their form in every part", () => {
    expect(judge([found], [row({})])).toEqual({ unknown: [], gone: [] });
  });

  it.each([
    { report: "navigation *" },
    { place: "transaction" },
    { sentry: "manual" },
    { signpost: "auto" },
    { report: "*load /b" },
  ])("don't cover what differs in one: %o", (more) => {
    const known = row(more);
    expect(judge([found], [known])).toEqual({ unknown: [found], gone: [known] });
  });

  it("don't match one piece of text twice", () => {
    const { unknown } = judge([{ ...found, sentry: "aba" }], [row({ sentry: "ab*ba" })]);
    expect(unknown).toHaveLength(1);
  });

  it("are told when they no longer occur", () => {
    expect(judge([], [row({})]).gone).toEqual([row({})]);
  });

  it("have a reason each, and stand in the documentation", () => {
    for (const { reason } of knownDifferences) expect(reason).toMatch(/^[A-Z].*\.$/);
    expect(readFileSync("docs/sentry.md", "utf8")).toContain(tableOf(knownDifferences));
  });
});
