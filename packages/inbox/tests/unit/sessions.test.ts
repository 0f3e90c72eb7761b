import { expect, test } from "vitest";
import type { ReportContext } from "@/packages/inbox/src/model/fields";
import { readSessions } from "@/packages/inbox/src/model/sessions";

const hour = Date.parse("2026-01-02T03:00:00.000Z");
const minute = 60_000;
const context: ReportContext = {
  reportId: 1,
  origin: "server",
  receivedAt: hour + 30 * minute,
  sentAt: hour + 30 * minute,
  envelope: new Uint8Array(),
  eventId: undefined,
};
const attrs = { release: "1.2.3", environment: "production" };
const at = (minutes: number) => new Date(hour + minutes * minute).toISOString();

test("counts are summed up for each hour", () => {
  const aggregates = [
    { started: at(28), exited: 40, errored: 3, crashed: 2 },
    { started: at(29), exited: 5 },
    { started: at(-1), crashed: 1 },
  ];
  expect(readSessions({ attrs, aggregates }, context)).toEqual([
    { release: "1.2.3", hour, started: 50, errored: 3, crashed: 2 },
    { release: "1.2.3", hour: hour - 60 * minute, started: 1, errored: 0, crashed: 1 },
  ]);
});

test("what ended abnormally or with a rejection has crashed", () => {
  const aggregates = [{ started: at(0), exited: 1, abnormal: 2, unhandled: 3 }];
  expect(readSessions({ attrs, aggregates }, context)).toMatchObject([{ started: 6, crashed: 5 }]);
});

test("an hour is one of this server's clock", () => {
  const aggregates = [{ started: at(0), exited: 1 }];
  const behind = { ...context, receivedAt: context.receivedAt + 120 * minute };
  expect(readSessions({ attrs, aggregates }, behind)).toMatchObject([
    { hour: hour + 120 * minute },
  ]);
});

test("a browser's counts are none, and neither are those of no release", () => {
  const aggregates = [{ started: at(0), exited: 1 }];
  expect(readSessions({ attrs, aggregates }, { ...context, origin: "browser" })).toEqual([]);
  for (const attributes of [undefined, {}, { release: "" }, { release: {} }, "1.2.3", []]) {
    expect(readSessions({ attrs: attributes, aggregates }, context)).toEqual([]);
  }
});

test.each([
  ["no list", {}],
  ["no aggregate", ["x", 1, null, []]],
  ["no counts", [{ started: at(0) }]],
  ["what is no number", [{ started: at(0), exited: "5", errored: {}, crashed: null }]],
  [
    "what is no whole number, or too large",
    [{ started: at(0), exited: 0.5, errored: -1, crashed: 1e300 }],
  ],
])("%s counts nothing", (_what, aggregates) => {
  expect(readSessions({ attrs, aggregates }, context)).toEqual([]);
});

test("a long release is cut off, and so is a long list", () => {
  const aggregates = Array.from({ length: 1000 }, (_, i) => ({ started: at(-60 * i), exited: 1 }));
  const found = readSessions({ attrs: { release: "x".repeat(5000) }, aggregates }, context);
  expect(found).toHaveLength(100);
  expect(found[0]?.release).toHaveLength(200);
});

test("a time that can't be read is that of the report", () => {
  const aggregates = [{ started: "yesterday", exited: 1 }, { exited: 1 }];
  expect(readSessions({ attrs, aggregates }, context)).toMatchObject([{ hour, started: 2 }]);
});
