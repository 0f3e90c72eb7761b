import { describe, expect, test } from "vitest";
import { digest } from "@/packages/inbox/src/model/digest";
import { tracePicture } from "@/packages/inbox/src/views/trace-picture";
import type { Origin, StoredReport } from "@/packages/relay/src/outbox/reports";
import { envelope, stored } from "@/tests/support/envelopes";

type Json = Record<string, unknown>;

const traceId = "a".repeat(32);
/** Seconds since the epoch. */
const t0 = 1_800_000_000;

function transaction(over: Json & { trace?: Json } = {}, spans: Json[] = []): Json {
  const { trace, ...rest } = over;
  const context = { trace_id: traceId, span_id: "root", op: "pageload", ...trace };
  return {
    transaction: "/a",
    start_timestamp: t0,
    timestamp: t0 + 1,
    contexts: { trace: context },
    spans,
    ...rest,
  };
}

const span = (id: string, parent: string, from: number, to: number, over: Json = {}): Json => ({
  span_id: id,
  parent_span_id: parent,
  trace_id: traceId,
  op: "resource",
  description: id,
  start_timestamp: t0 + from,
  timestamp: t0 + to,
  ...over,
});

function report(
  id: number,
  items: [string, Json][],
  { origin = "browser" as Origin, sentAt = t0, receivedAt = t0 } = {},
) {
  const header = { sent_at: new Date(sentAt * 1000).toISOString() };
  return stored(id, envelope(items, header), { origin, receivedAt: receivedAt * 1000 });
}

const drawn = async (...reports: StoredReport[]) =>
  (await tracePicture(traceId, reports))?.spans.map(({ name, depth, start, duration }) => [
    name,
    depth,
    Math.round(start),
    Math.round(duration),
  ]);

describe("the picture of a trace", () => {
  test("has browser and server on one axis, each span before those inside of it", async () => {
    const browser = transaction({}, [
      span("script", "root", 0.4, 0.6),
      span("inner", "script", 0.45, 0.5),
      span("request", "root", 0.1, 0.3),
    ]);
    const server = transaction({
      transaction: "GET /a",
      start_timestamp: t0 + 0.15,
      timestamp: t0 + 0.25,
      trace: { span_id: "server", op: "http.server" },
    });
    expect(
      await drawn(
        report(1, [["transaction", server]], { origin: "server" }),
        report(2, [["transaction", browser]]),
      ),
    ).toEqual([
      ["/a", 0, 0, 1000],
      ["request", 1, 100, 200],
      ["script", 1, 400, 200],
      ["inner", 2, 450, 50],
      ["/a", 0, 150, 100],
    ]);
  });

  test("knows streamed spans too, of this trace alone", async () => {
    const items = [
      { name: "/a", span_id: "root", is_segment: true, start_timestamp: t0, end_timestamp: t0 + 1 },
      { name: "in", span_id: "x", parent_span_id: "root", start_timestamp: t0, end_timestamp: t0 },
    ].map((one) => ({ ...one, trace_id: traceId }));
    const other = { ...items[0], trace_id: "b".repeat(32), name: "other" };
    expect(await drawn(report(1, [["span", { items: [...items, other] }]]))).toEqual([
      ["/a", 0, 0, 1000],
      ["in", 1, 0, 0],
    ]);
  });

  test("puts a browser with a wrong clock where it belongs", async () => {
    const early = transaction({ start_timestamp: t0 - 3600, timestamp: t0 - 3599 });
    const clock = { sentAt: t0 - 3598, receivedAt: t0 + 2 };
    const picture = await tracePicture(traceId, [report(1, [["transaction", early]], clock)]);
    expect(picture?.startAt).toBe(t0 * 1000);
    // Delivery alone takes a while.
    const late = { sentAt: t0 + 1, receivedAt: t0 + 2 };
    expect(
      (await tracePicture(traceId, [report(1, [["transaction", transaction()]], late)]))?.startAt,
    ).toBe(t0 * 1000);
  });

  test("tells vitals, release, environment and failures", async () => {
    const measured = transaction({
      release: "1",
      environment: "staging",
      measurements: { lcp: { value: 900 }, cls: { value: "x" }, ttfb: { value: -1 } },
      trace: { status: "internal_error" },
    });
    expect(await tracePicture(traceId, [report(1, [["transaction", measured]])])).toMatchObject({
      vitals: [{ vital: "lcp", value: 900 }],
      release: "1",
      environment: "staging",
      spans: [{ failed: true }],
    });
  });

  test("has room for work that goes on when the visit has ended, but not without end", async () => {
    const picture = (to: number) =>
      tracePicture(traceId, [
        report(1, [["transaction", transaction({}, [span("late", "root", 1.2, to)])]]),
      ]);
    expect(await picture(1.5)).toMatchObject({ duration: 1000, axis: 1500, left: 0 });
    expect(await picture(1e6)).toMatchObject({ duration: 1000, axis: 2000, left: 0 });
    const later = transaction({}, [span("later", "root", 2.1, 2.2)]);
    expect(await tracePicture(traceId, [report(1, [["transaction", later]])])).toMatchObject({
      axis: 1000,
      left: 1,
    });
  });

  test("is none without a root", async () => {
    expect(await tracePicture(traceId, [])).toBeUndefined();
    expect(
      await tracePicture("b".repeat(32), [report(1, [["transaction", transaction()]])]),
    ).toBeUndefined();
  });

  test("stays small, whatever a client sends", async () => {
    const many = Array.from({ length: 5_200 }, (_, i) => span(`s${i}`, "root", 0, i / 1e6));
    const picture = await tracePicture(traceId, [
      report(1, [["transaction", transaction({}, many)]]),
    ]);
    expect(picture?.spans).toHaveLength(200);
    expect(picture?.left).toBe(4800);
    expect(picture?.spans[0]?.name).toBe("/a");

    const deep = Array.from({ length: 150 }, (_, i) =>
      span(`s${i}`, i ? `s${i - 1}` : "root", 0, 1),
    );
    const depths = (await drawn(report(1, [["transaction", transaction({}, deep)]])))?.map(
      ([, d]) => d,
    );
    expect(Math.max(...(depths as number[]))).toBe(12);
    expect(depths).toHaveLength(151);
  });

  test("shows spans that are inside of each other, or of none, once each", async () => {
    const odd = [
      span("a", "b", 0, 1),
      span("b", "a", 0, 1),
      span("self", "self", 0, 1),
      span("orphan", "gone", 0, 1),
      span("root", "root", 0, 1),
      { op: "no times" },
      span("back", "root", 1, 0),
    ];
    const names = (await drawn(report(1, [["transaction", transaction({}, odd)]])))?.map(
      ([name]) => name,
    );
    expect(names?.sort()).toEqual(["/a", "a", "b", "orphan", "root", "self"]);
  });
});

describe("visits", () => {
  const visitsOf = (items: [string, Json][], origin: Origin = "browser") =>
    digest(report(1, items, { origin })).measurements.filter(({ metric }) => metric === "visit");

  test("are page loads and navigations of browsers, and requests of the server", () => {
    const of = (op: string, origin: Origin) =>
      visitsOf([["transaction", transaction({ trace: { op } })]], origin).length;
    expect([
      of("pageload", "browser"),
      of("navigation", "browser"),
      of("http.server", "server"),
    ]).toEqual([1, 1, 1]);
    // A client could make up requests of the server.
    expect([
      of("http.server", "browser"),
      of("pageload", "server"),
      of("other", "browser"),
    ]).toEqual([0, 0, 0]);
  });

  test("need a trace and a time that somebody can have waited", () => {
    const none: Json[] = [
      transaction({ trace: { trace_id: "short" } }),
      transaction({ timestamp: t0 - 1 }),
      transaction({ timestamp: t0 + 4000 }),
      transaction({ start_timestamp: null }),
    ];
    for (const one of none) expect(visitsOf([["transaction", one]])).toEqual([]);
  });
});
