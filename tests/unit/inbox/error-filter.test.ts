import { describe, expect, test } from "vitest";
import { digest } from "@/lib/inbox/digest";
import { filterErrors, filterQuery, filterValues, readFilter } from "@/lib/inbox/error-filter";
import { groupErrors } from "@/lib/inbox/error-groups";
import { byGroup } from "@/lib/inbox/group-status";
import { listHref, queryOf } from "@/lib/inbox/hrefs";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

function error(type: string, value: string, over: Record<string, unknown> = {}) {
  const { file = "app:///a.tsx", ...event } = over;
  const frames = [{ filename: file, function: "f", lineno: 1, in_app: true }];
  const exception = { values: [{ type, value, stacktrace: { frames } }] };
  return envelope([["event", errorEvent({ exception, ...event })]]);
}

const errors = groupErrors(
  [
    error("TypeError", "Cannot read basket", { release: "1", transaction: "GET /shop/[id]" }),
    error("RangeError", "Too (deep)", { environment: "staging", file: "app:///lib/tree.ts" }),
    error("Error", "gone", { release: "2", transaction: "/shop/[id]" }),
    error("Error", "gone", { release: "1", transaction: "/about" }),
  ].flatMap((bytes, i) => digest(stored(i + 1, bytes)).errors),
);
const idOf = (message: string) => errors.find((one) => one.message === message)?.id ?? "";

/** The messages that a query finds. */
function found(query: string, states = byGroup([])): string[] {
  const filter = readFilter(new URLSearchParams(query));
  return filterErrors(filter, { errors, states, runningRelease: "2" }).map((one) => one.message);
}

describe("the search", () => {
  test.each([
    ["BASKET", ["Cannot read basket"]],
    ["rangeerror", ["Too (deep)"]],
    ["tree.ts", ["Too (deep)"]],
    ["/shop/[id]", ["gone", "Cannot read basket"]],
    ["shop basket", ["Cannot read basket"]],
    ["(deep)", ["Too (deep)"]],
    [".*", []],
    ["basket gone", []],
    ["  ", ["gone", "Too (deep)", "Cannot read basket"]],
  ])("%j finds %j", (text, messages) => {
    expect(found(`q=${encodeURIComponent(text)}`)).toEqual(messages);
  });

  test("takes hostile patterns as text, in no time", () => {
    for (const text of ["(a+)+$", "[[", "\\", "\ud800", "*".repeat(5000), "q z ".repeat(5000)]) {
      expect(found(String(new URLSearchParams({ q: text })))).toEqual([]);
    }
    const { search } = readFilter(new URLSearchParams({ q: "x".repeat(5000) }));
    expect(search).toHaveLength(200);
  });
});

describe("a filter", () => {
  test.each([
    ["release=2", ["gone"]],
    ["environment=staging", ["Too (deep)"]],
    ["route=/about", ["gone"]],
    ["origin=browser", ["gone", "Too (deep)", "Cannot read basket"]],
    ["origin=server", []],
    ["release=1&route=/about", ["gone"]],
    ["state=new", ["gone"]],
  ])("%s keeps %j", (query, messages) => {
    // The newest "gone" is of release 1, and its first occurrence of release 2.
    expect(found(query)).toEqual(messages);
  });

  test("needs one occurrence that has everything asked for", () => {
    expect(found("release=2&route=/about")).toEqual([]);
  });

  test("hides ignored errors unless it asks for them", () => {
    const states = byGroup([
      { group: idOf("gone"), state: "ignored", since: 0 },
      { group: idOf("Too (deep)"), state: "resolved", since: Date.now() * 2 },
      { group: idOf("Cannot read basket"), state: "resolved", since: 0 },
    ]);
    expect(found("", states)).toEqual(["Too (deep)", "Cannot read basket"]);
    expect(found("state=ignored", states)).toEqual(["gone"]);
    expect(found("state=resolved", states)).toEqual(["Too (deep)"]);
    expect(found("state=came-back", states)).toEqual(["Cannot read basket"]);
    expect(found("state=open", states)).toEqual(["Cannot read basket"]);
    expect(found("state=all", states)).toHaveLength(3);
    expect(found("state=nonsense", states)).toHaveLength(2);
  });

  test("stands in the URL as it was read from it", () => {
    const query = "q=a+%26+b&release=1%2F2&state=open";
    const filter = readFilter(new URLSearchParams(query));
    const href = listHref("errors", 2, filterQuery(filter));
    expect(readFilter(queryOf(href))).toEqual(filter);
    expect(href).toBe(`/reports?${query}&page=2`);
    expect(filterQuery(readFilter(new URLSearchParams("release=&q=")))).toEqual({});
  });

  test("offers the values that occur, and no more than a list can have", () => {
    expect(filterValues(errors)).toEqual({
      kind: ["error"],
      release: ["1", "2", "1.0.0"],
      environment: ["production", "staging"],
      route: ["/about", "/failures/client-event", "/shop/[id]"],
      origin: ["browser"],
    });
    const many = groupErrors(
      Array.from({ length: 300 }, (_, i) =>
        error("E", "v", { release: `r${i}`, transaction: `/${i}` }),
      ).flatMap((bytes, i) => digest(stored(i + 1, bytes)).errors),
    );
    expect(filterValues(many).release).toHaveLength(100);
    expect(filterValues(many).route).toHaveLength(100);
  });
});

test("messages can be told from errors", () => {
  const message = envelope([
    ["event", errorEvent({ exception: undefined, level: "info", message: "hello" })],
  ]);
  const { errors: both } = digest(stored(9, message));
  const groups = [...errors, ...groupErrors(both)];
  const within = { errors: groups, states: byGroup([]), runningRelease: "2" };
  const texts = (query: string) =>
    filterErrors(readFilter(new URLSearchParams(query)), within).map((one) => one.message);
  expect(texts("kind=message")).toEqual(["hello"]);
  expect(texts("kind=error")).toHaveLength(3);
  expect(filterValues(groups).kind).toEqual(["error", "message"]);
});
