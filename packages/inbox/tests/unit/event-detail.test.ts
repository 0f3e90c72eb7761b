import { expect, test } from "vitest";
import { findEvent } from "@/packages/inbox/src/model/events";
import { eventDetail } from "@/packages/inbox/src/views/event-detail";
import type { StoredReport } from "@/packages/relay/src/outbox/reports";
import { envelope, errorEvent, stored } from "@/tests/support/envelopes";

const id = "0123456789abcdef0123456789abcdef";

function readDetail(report: StoredReport, eventId: string) {
  const found = findEvent(report, eventId);
  return found && eventDetail(found.event);
}

function detailOf(over: Record<string, unknown>) {
  const event = errorEvent({ event_id: id, ...over });
  return readDetail(stored(1, envelope([["event", event]])), id);
}

test("the stack is shown with the newest call first, own frames marked, and where each was", () => {
  expect(detailOf({})?.exceptions).toEqual([
    {
      type: "TypeError",
      message: "nothing there",
      frames: [
        { function: "invoke", place: "lib.js:3", own: false },
        { function: "onClick", place: "/button.tsx:12", own: true },
        { function: "dispatch", place: "react-dom.js:9", own: false },
      ],
    },
  ]);
});

test("a frame has the code around its line, where the event holds it", () => {
  const frame = {
    filename: "pages/a.tsx",
    lineno: 12,
    pre_context: ["1", "2", "3", "4", "", "6"],
    context_line: "",
    post_context: ["8"],
  };
  const exception = { values: [{ stacktrace: { frames: [frame] } }] };
  expect(detailOf({ exception })?.exceptions[0]?.frames[0]?.source).toEqual({
    before: ["2", "3", "4", "", "6"],
    line: "",
    after: ["8"],
    number: 12,
  });
});

test("an event without an id of its own is found by that of its envelope", () => {
  const event = errorEvent({ event_id: undefined });
  const report = stored(1, envelope([["event", event]], { event_id: id }));
  expect(readDetail(report, id)?.exceptions).toHaveLength(1);
});

test("causes follow what they caused, and one unhandled exception makes the event unhandled", () => {
  const values = [
    { type: "Root", value: "deep", mechanism: { handled: false } },
    { type: "Middle", value: "between" },
    { type: "Thrown", value: "on top", mechanism: { handled: true } },
  ];
  const detail = detailOf({ exception: { values } });
  expect(detail?.exceptions.map((one) => one.type)).toEqual(["Thrown", "Middle", "Root"]);
  expect(detail?.handled).toBe(false);
});

test("breadcrumbs, tags and contexts are read in each form the protocol has", () => {
  const crumb = { timestamp: 2, category: "ui.click", message: "button", data: { a: { b: 1 } } };
  for (const breadcrumbs of [[crumb], { values: [crumb] }]) {
    expect(detailOf({ breadcrumbs })?.breadcrumbs).toEqual([
      { at: 2000, category: "ui.click", message: "button", data: [["a", '{"b":1}']] },
    ]);
  }
  for (const tags of [{ locale: "en" }, [["locale", "en"]]]) {
    expect(detailOf({ tags })?.tags).toEqual([["locale", "en"]]);
  }
  const contexts = { trace: { trace_id: "t" }, os: { name: "Linux", version: null }, empty: {} };
  expect(detailOf({ contexts, extra: { n: 1 } })).toMatchObject({
    contexts: [
      { name: "os", entries: [["name", "Linux"]] },
      { name: "extra", entries: [["n", "1"]] },
    ],
  });
});

test("a breadcrumb shows nothing twice, and no mark of the SDK's", () => {
  const dataOf = (crumb: object) => detailOf({ breadcrumbs: [crumb] })?.breadcrumbs[0]?.data;
  const written = (...args: unknown[]) => ({
    category: "console",
    message: args.map(String).join(" "),
    data: { arguments: args, logger: "console" },
  });
  expect(dataOf(written("ready"))).toEqual([]);
  expect(dataOf(written("ready", { after: 3 }))).toEqual([["arguments", '["ready",{"after":3}]']]);
  const data = { method: "GET", url: "/a", __span: "871af1551143b168" };
  expect(dataOf({ category: "fetch", data })).toEqual([
    ["method", "GET"],
    ["url", "/a"],
  ]);
});

test("the user stands first among the contexts, as scrubbed", () => {
  const user = { id: "u-7", email: "[Filtered]", plan: "gold" };
  expect(detailOf({ user, contexts: { os: { name: "Linux" } } })?.contexts).toEqual([
    {
      name: "user",
      entries: [
        ["id", "u-7"],
        ["email", "[Filtered]"],
        ["plan", "gold"],
      ],
    },
    { name: "os", entries: [["name", "Linux"]] },
  ]);
});

test("what nests without end is shown as far as it makes sense", () => {
  const nested = (levels: number) => {
    const text = `{"event_id":"${id}","extra":{"deep":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    return readDetail(stored(1, Buffer.from(`{}\n{"type":"event"}\n${text}`)), id);
  };
  expect(nested(90)?.contexts[0]?.entries).toEqual([["deep", '[[["…"]]]']]);
  // No SDK sends this; no function may call itself that often.
  expect(nested(200)).toBeUndefined();
  expect(nested(20_000)).toBeUndefined();
});

test("a report that doesn't hold the event gives nothing", () => {
  expect(readDetail(stored(1, envelope([["event", errorEvent()]])), id)).toBeUndefined();
  expect(readDetail(stored(1, Buffer.from("nonsense")), id)).toBeUndefined();
});

test("there is an end to how much of a report is shown", () => {
  const many = Array.from({ length: 500 }, (_, i) => i);
  const detail = detailOf({
    breadcrumbs: many.map((i) => ({ message: `crumb ${i}` })),
    tags: Object.fromEntries(many.map((i) => [`tag${i}`, "x"])),
    exception: { values: many.map((i) => ({ type: `E${i}` })) },
  });
  expect(detail?.breadcrumbs).toHaveLength(100);
  expect(detail?.breadcrumbs.at(-1)?.message).toBe("crumb 499");
  expect(detail?.tags).toHaveLength(60);
  expect(detail?.exceptions.map((one) => one.type)).toContain("E499");
  expect(detail?.exceptions).toHaveLength(10);
});
